#include "templates/static_scope.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "templates/parse_tree.h"

namespace kedge::templates {
namespace {

std::string below(const std::string& path, std::string_view segment) {
  return path.empty() ? std::string(segment) : path + "." + std::string(segment);
}

// A field of that name, or the accessor of one.
bool has_name(const PayloadType& type, const PayloadObject& object, std::string_view name,
              const PayloadField*& field) {
  field = object.find(name);
  if (field != nullptr) {
    return true;
  }
  const std::vector<std::string> targets = accessor_targets(name);
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    const PayloadField* of = object.find(target);
    return of != nullptr && has_accessor(*of, type);
  });
}

std::string first_segments(const std::string& path, std::size_t depth) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < depth && at != std::string::npos; ++i) {
    at = path.find('.', at == 0 ? 0 : at + 1);
  }
  return depth == 0 ? "" : path.substr(0, at);
}

}  // namespace

bool StaticScope::find_head(std::string_view head, Resolution& result) const {
  bool innermost = true;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (frame.kind == Frame::Kind::Scalar) {
      continue;
    }
    result.from_innermost = innermost;
    innermost = false;
    if (frame.kind == Frame::Kind::Open) {
      result.open = true;
      result.path = below(frame.path, head);
      return true;
    }
    if (has_name(type_, type_.objects[frame.object], head, result.field)) {
      result.path = below(frame.path, head);
      return true;
    }
  }
  return false;
}

void StaticScope::descend(std::string_view segment, const PayloadObject* object,
                          Resolution& result) const {
  const PayloadField* next = nullptr;
  if (object == nullptr || !has_name(type_, *object, segment, next)) {
    result.found = false;
    result.failed_segment = segment;
    result.failed_object = object != nullptr ? result.field->object : type_.objects.size();
    return;
  }
  result.through_list = result.through_list || result.field->is_list;
  result.field = next;
  result.path = below(result.path, segment);
}

Resolution StaticScope::resolve(std::string_view name) const {
  Resolution result;
  bool first = true;
  result.found = true;
  each_segment(name, [&](std::string_view segment) {
    if (!result.found || result.open) {
      return;
    }
    if (first) {
      first = false;
      result.found = result.any = find_head(segment, result);
      result.failed_in_stack = !result.found;
      result.failed_segment = segment;
    } else {
      const bool container = result.field != nullptr && result.field->shape == FieldShape::Object;
      descend(segment, container ? &type_.objects[result.field->object] : nullptr, result);
    }
    const bool map =
        result.found && result.field != nullptr && result.field->shape == FieldShape::Map;
    if (map && segment.data() + segment.size() != name.data() + name.size()) {
      result.open = true;
    }
  });
  return result;
}

std::vector<std::string> StaticScope::context() const {
  std::vector<std::string> names;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == Frame::Kind::Object) {
      names.push_back(type_.objects[frames_[i].object].name);
    }
  }
  return names;
}

std::string StaticScope::canonical(std::size_t depth) const {
  std::string key;
  std::set<std::string> seen;
  for (std::size_t i = frames_.size(); i-- > 0;) {
    const Frame& frame = frames_[i];
    if (frame.kind == Frame::Kind::Scalar) {
      continue;
    }
    std::string type = frame.kind == Frame::Kind::Open ? "*" : std::to_string(frame.object);
    if (seen.insert(type).second) {
      key += "/" + type + ":" + first_segments(frame.path, depth);
    }
  }
  return key;
}

std::optional<std::string> StaticScope::suggest(const Resolution& failed) const {
  const std::string& wanted = failed.failed_segment;
  const std::size_t most = std::min<std::size_t>(2, (wanted.size() + 2) / 3);
  std::size_t best = most + 1;
  std::optional<std::string> nearest;
  const auto look_in = [&](std::size_t object) {
    if (object >= type_.objects.size()) {
      return;
    }
    std::vector<std::string> names;
    for (const PayloadField& field : type_.objects[object].fields) {
      names.push_back(field.name);
    }
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::size_t distance = base::edit_distance(wanted, name);
      if (distance < best) {
        best = distance;
        nearest = name;
      }
    }
  };
  if (!failed.failed_in_stack) {
    look_in(failed.failed_object);
    return nearest;
  }
  for (std::size_t i = frames_.size(); i-- > 0;) {
    if (frames_[i].kind == Frame::Kind::Object) {
      look_in(frames_[i].object);
    }
  }
  return nearest;
}

}  // namespace kedge::templates
