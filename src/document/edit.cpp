#include "document/edit.h"

#include <algorithm>
#include <span>

#include "base/overloaded.h"
#include "document/edit_plan.h"
#include "kedge/codes.h"

namespace kedge::document {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

std::size_t child_index(const Node& node, const Step& step) {
  return std::visit(
      base::Overloaded{
          [&](const std::string& key) {
            for (std::size_t i = 0; i < node.entries.size(); ++i) {
              if (node.entries[i].key.text == key) {
                return i;
              }
            }
            return kNone;
          },
          [&](std::size_t index) { return index < node.items.size() ? index : kNone; },
      },
      step);
}

const Node& child_at(const Node& node, std::size_t index) {
  return node.is_sequence() ? node.items[index] : node.entries[index].value;
}

std::size_t child_count(const Node& node) {
  return node.is_sequence() ? node.items.size() : node.entries.size();
}

[[noreturn]] void refuse(const Document& document, const Node& at, const std::string& why) {
  throw Error(Problem{codes::ERR_DOCUMENT,
                      "the file cannot be edited: " + why,
                      document.position(at),
                      "edit it by hand",
                      {}});
}

struct Target {
  const Node* node;
  EditPlan* plan;
};

// Walks to the node at `path`; an alias on the way is refused, since its text stands elsewhere.
Target walk(const Document& document, EditPlan& plan, std::span<const Step> path) {
  Target target{&document.root, &plan};
  for (const Step& step : path) {
    const std::size_t index = child_index(*target.node, step);
    if (index == kNone) {
      throw Error(codes::ERR_INTERNAL, "an edit names an item that does not exist");
    }
    const Node& child = child_at(*target.node, index);
    const Range& outer = target.node->range;
    const bool inside = child.range.begin >= outer.begin && child.range.end <= outer.end;
    if (target.node != &document.root && !inside) {
      refuse(document, *target.node, "the item is written elsewhere and used here by an alias");
    }
    target = {&child, &target.plan->children[index]};
  }
  return target;
}

void add_entry(EditPlan& plan, std::string_view key, Json value) {
  for (auto& [name, existing] : plan.added) {
    if (name == key) {
      existing = std::move(value);
      return;
    }
  }
  plan.added.emplace_back(std::string(key), std::move(value));
}

void push_entry(EditPlan& plan, std::string_view key, Json item) {
  for (auto& [name, existing] : plan.added) {
    if (name == key) {
      existing.push(std::move(item));
      return;
    }
  }
  Json list = Json::array();
  list.push(std::move(item));
  plan.added.emplace_back(std::string(key), std::move(list));
}

enum class Level { Root, Inner };

// Bottom-up: a container whose children all go becomes removed, emptied or replaced itself.
void settle(const Node& node, EditPlan& plan, Level level) {
  const bool root = level == Level::Root;
  std::size_t removed = 0;
  WhenEmptied when = WhenEmptied::KeepEmpty;
  for (auto& [index, child] : plan.children) {
    settle(child_at(node, index), child, Level::Inner);
    removed += child.removed ? 1 : 0;
    when = child.removed && child.when == WhenEmptied::RemoveKey ? WhenEmptied::RemoveKey : when;
  }
  const bool all = removed == child_count(node) && !node.is_scalar();
  if (!all || plan.removed || plan.replacement) {
    return;
  }
  if (!plan.appended.empty()) {
    plan.replacement = Json(Json::Array(plan.appended));
  } else if (!plan.added.empty() && !root) {
    plan.replacement = Json(Json::Object(plan.added));
  } else if (removed > 0 && plan.added.empty()) {
    plan.removed = when == WhenEmptied::RemoveKey && !root;
    plan.when = when;
    plan.emptied = !plan.removed;
  }
}

Json expected(const Node& node, const EditPlan* plan) {
  if (plan == nullptr || !plan->changes()) {
    return to_json(node);
  }
  if (plan->replacement) {
    return *plan->replacement;
  }
  const auto child_plan = [&](std::size_t index) {
    const auto found = plan->children.find(index);
    return found != plan->children.end() ? &found->second : nullptr;
  };
  if (node.is_sequence()) {
    Json::Array items;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (!plan->removes(i)) {
        items.push_back(expected(node.items[i], child_plan(i)));
      }
    }
    items.insert(items.end(), plan->appended.begin(), plan->appended.end());
    return Json(std::move(items));
  }
  Json::Object members;
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    if (!plan->removes(i)) {
      members.emplace_back(node.entries[i].key.text,
                           expected(node.entries[i].value, child_plan(i)));
    }
  }
  members.insert(members.end(), plan->added.begin(), plan->added.end());
  return Json(std::move(members));
}

std::string spliced(const std::string& source, std::vector<Splice> splices) {
  std::stable_sort(splices.begin(), splices.end(),
                   [](const Splice& a, const Splice& b) { return a.begin < b.begin; });
  std::string result;
  std::size_t at = 0;
  for (const Splice& splice : splices) {
    if (splice.begin > at) {
      result.append(source, at, splice.begin - at);
    }
    result += splice.text;
    at = std::max(at, splice.end);
  }
  return result.append(source, at, std::string::npos);
}

}  // namespace

const Node* find_node(const Node& root, const Path& path) {
  const Node* node = &root;
  for (const Step& step : path) {
    const std::size_t index = child_index(*node, step);
    if (index == kNone) {
      return nullptr;
    }
    node = &child_at(*node, index);
  }
  return node;
}

Editor::Editor(const Document& document)
    : document_(document), plan_(std::make_unique<EditPlan>()) {}
Editor::~Editor() = default;

bool Editor::empty() const {
  return !plan_->changes();
}

void Editor::remove(const Path& path, WhenEmptied when) {
  const Target target = walk(document_, *plan_, path);
  target.plan->removed = true;
  target.plan->when = when;
}

void Editor::append(const Path& list, Json item) {
  if (find_node(document_.root, list) == nullptr) {
    const Target parent = walk(document_, *plan_, std::span(list).first(list.size() - 1));
    push_entry(*parent.plan, std::get<std::string>(list.back()), std::move(item));
    return;
  }
  const Target target = walk(document_, *plan_, list);
  if (!target.node->is_sequence() && target.node->kind != Kind::Null) {
    refuse(document_, *target.node, "a list is expected here");
  }
  target.plan->appended.push_back(std::move(item));
  if (target.node->kind == Kind::Null) {
    target.plan->replacement = Json(Json::Array(target.plan->appended));
  }
}

void Editor::set(const Path& mapping, std::string_view key, Json value) {
  const Target target = walk(document_, *plan_, mapping);
  const std::size_t index = child_index(*target.node, std::string(key));
  if (index != kNone) {
    target.plan->children[index].replacement = std::move(value);
  } else {
    add_entry(*target.plan, key, std::move(value));
  }
}

void Editor::replace(const Path& path, Json value) {
  walk(document_, *plan_, path).plan->replacement = std::move(value);
}

std::string Editor::apply() const {
  EditPlan plan = *plan_;
  settle(document_.root, plan, Level::Root);
  if (!plan.changes()) {
    return document_.source;
  }
  std::string text = spliced(document_.source, make_splices(document_, plan));
  ReadOptions options;
  options.allow_merge_keys = true;
  const Document result = read_document(document_.file, text, document_.format, options);
  if (!result.usable || !result.problems.empty()) {
    refuse(document_, document_.root,
           result.problems.empty() ? "the result cannot be read" : result.problems.front().message);
  }
  if (to_json(result.root) != expected(document_.root, &plan)) {
    refuse(document_, document_.root, "its layout does not allow this edit");
  }
  return text;
}

}  // namespace kedge::document
