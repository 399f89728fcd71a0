// Where bytes for people go. A result goes to `out`, progress and diagnostics to `err`.
#pragma once

#include <string_view>

namespace kedge::base {

class Sink {
 public:
  virtual ~Sink() = default;
  virtual void write(std::string_view bytes) = 0;
};

}  // namespace kedge::base
