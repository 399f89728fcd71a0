// A sink that keeps what was written.
#pragma once

#include <string>

#include "base/sink.h"

namespace kedge::test {

class MemorySink final : public base::Sink {
 public:
  void write(std::string_view bytes) override;
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace kedge::test
