// The static mirror of the context stack: which types a name would be looked up in, and what it
// would find. Used by the check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kedge/templates.h"

namespace kedge::templates {

struct Frame {
  enum class Kind { Object, Open, Scalar };
  Kind kind = Kind::Object;
  std::size_t object = 0;  // Object
  std::string path;        // the payload path that led here; "" is the root
  bool descends = false;   // pushed from the innermost object frame itself
};

struct Resolution {
  bool found = false;
  bool through_list = false;
  bool from_innermost = false;          // the head was found in the innermost object frame
  const PayloadField* field = nullptr;  // null: an accessor, or below an open container
  bool open = false;                    // something below a map: nothing is known
  std::string path;                     // payload path as far as it resolved
  bool any = false;                     // at least the head resolved
  std::size_t failed_object = 0;        // where the failing segment was looked for
  bool failed_in_stack = false;         // the head failed: every frame was looked at
  std::string failed_segment;
};

class StaticScope {
 public:
  explicit StaticScope(const PayloadType& type) : type_(type) {
    frames_.push_back({Frame::Kind::Object, type.root, "", false});
  }
  Resolution resolve(std::string_view name) const;
  const std::vector<Frame>& frames() const { return frames_; }
  const PayloadType& type() const { return type_; }
  void push(Frame frame) { frames_.push_back(std::move(frame)); }
  void pop() { frames_.pop_back(); }
  std::vector<std::string> context() const;  // object types, innermost first
  // The stack as far as lookups and slots can tell two of them apart; `depth` path segments count.
  std::string canonical(std::size_t depth) const;
  std::optional<std::string> suggest(const Resolution& failed) const;

 private:
  void descend(std::string_view segment, const PayloadObject* object, Resolution& result) const;
  bool find_head(std::string_view head, Resolution& result) const;

  const PayloadType& type_;
  std::vector<Frame> frames_;
};

}  // namespace kedge::templates
