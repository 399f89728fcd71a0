// Collects the messages of one load. Nothing is thrown: all errors of all files are reported.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kedge/codes.h"
#include "kedge/metadata.h"

namespace kedge::metadata {

class Diagnostics {
 public:
  Diagnostic& error(Code code, std::string message, const Place& place, std::string hint = {}) {
    return add(code, Severity::Error, std::move(message), place, std::move(hint));
  }
  Diagnostic& warning(Code code, std::string message, const Place& place, std::string hint = {}) {
    return add(code, Severity::Warning, std::move(message), place, std::move(hint));
  }
  // By file, line, column, code and message; equal ones once.
  std::vector<Diagnostic> take_sorted();
  bool has_errors() const;

 private:
  Diagnostic& add(Code code, Severity severity, std::string message, const Place& place,
                  std::string hint);
  std::vector<Diagnostic> list_;
};

}  // namespace kedge::metadata
