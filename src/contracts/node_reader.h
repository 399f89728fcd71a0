// Small readers over document nodes that collect problems with positions. Used by the parts of
// connections.yml and of the sidecars that contracts owns.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/node.h"
#include "kedge/error.h"

namespace kedge::contracts {

class NodeReader {
 public:
  NodeReader(std::string_view file, Code code, std::vector<Problem>& problems)
      : file_(file), code_(code), problems_(problems) {}

  Position place(const document::Node& node) const {
    return {file_, node.range.line, node.range.column};
  }
  void problem(const document::Node& at, std::string message, std::string hint = {}) const;
  // Every key outside `known` is a problem, with the nearest name.
  void refuse_unknown(const document::Node& mapping, const std::vector<std::string>& known,
                      std::string_view what) const;
  std::optional<std::string> text(const document::Node& node, std::string_view what) const;
  std::optional<bool> boolean(const document::Node& node, std::string_view what) const;
  // A number as written.
  std::optional<std::string> number(const document::Node& node, std::string_view what) const;
  // One scalar or a list of scalars.
  std::vector<std::string> texts(const document::Node& node, std::string_view what) const;
  // A list of scalars only.
  std::optional<std::vector<std::string>> list(const document::Node& node,
                                               std::string_view what) const;
  NodeReader with(Code code) const { return {file_, code, problems_}; }

 private:
  std::string file_;
  Code code_;
  std::vector<Problem>& problems_;
};

}  // namespace kedge::contracts
