// The check: a walk of the parse tree with types instead of values. Each (partial, stack) pair is
// walked once, which makes the walk finite for recursive payloads.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "kedge/codes.h"
#include "templates/parse_tree.h"
#include "templates/static_scope.h"

namespace kedge::templates {
namespace {

struct Loaded {
  std::optional<ProvidedText> provided;
  std::optional<Template> text;
  std::optional<TemplateFinding> problem;
};

struct OpenPartial {
  std::string key;
  std::size_t frames;
};

class Walker {
 public:
  Walker(const PayloadType& type, const VerifyOptions& options) : options_(options), scope_(type) {
    for (const std::string& slot : options.required_slots) {
      slot_depth_ = std::max(slot_depth_, base::split(slot, '.').size());
    }
  }

  Verified run(const Template& text) {
    source_ = text.source();
    tree_ = &text.tree();
    collect_literals(text.tree(), text.tree().nodes);
    walk(text.tree().nodes, Depth::Outside);
    check_steps();
    check_slots();
    check_tags();
    check_budget();
    result_.used_paths.assign(used_.begin(), used_.end());
    return std::move(result_);
  }

 private:
  enum class Depth { Outside, InSection };

  void add(TemplateFinding finding) {
    const auto key = std::tuple(finding.code.name(), finding.path.value_or(""), finding.source,
                                finding.at.value_or(TextPosition{}));
    if (seen_
            .insert({std::string(std::get<0>(key)), std::get<1>(key), std::get<2>(key),
                     std::get<3>(key)})
            .second) {
      result_.findings.push_back(std::move(finding));
    }
  }

  TemplateFinding finding(Severity severity, Code code, const TagNode& node,
                          std::string message) const {
    return {severity,
            code,
            std::string(tree_->slice(node)),
            std::nullopt,
            source_,
            reference_,
            node.at,
            scope_.context(),
            via_,
            std::nullopt,
            std::move(message)};
  }

  bool spend() { return ++steps_ <= options_.limits.steps; }

  void walk(const std::vector<TagNode>& nodes, Depth depth) {
    for (const TagNode& node : nodes) {
      if (!spend()) {
        return;
      }
      switch (node.kind) {
        case TagKind::Literal:
          if (depth == Depth::Outside) {
            literal_characters_ += base::count_code_points(tree_->slice(node));
          }
          break;
        case TagKind::Value:
        case TagKind::Raw:
          value(node);
          break;
        case TagKind::Section:
          section(node);
          break;
        case TagKind::Inverted:
          inverted(node);
          break;
        case TagKind::Partial:
          partial(node, depth);
          break;
      }
    }
  }

  void use(const std::string& path) {
    if (!path.empty()) {
      used_.insert(path);
    }
  }

  Resolution resolve(const TagNode& node) {
    Resolution found = scope_.resolve(tree_->slice(node));
    if (found.any) {
      use(found.path);
    }
    if (!found.found) {
      report_unknown(node, found);
    } else if (found.through_list && scope_.type().typed) {
      const std::string name(tree_->slice(node));
      add(finding(Severity::Warning, codes::WARN_PATH_THROUGH_LIST, node,
                  "'" + name + "' goes through a list and renders nothing"));
    }
    return found;
  }

  void report_unknown(const TagNode& node, const Resolution& failed) {
    const std::string name(tree_->slice(node));
    const std::vector<std::string> context = scope_.context();
    std::string where = context.empty() ? "" : context.front();
    if (!failed.failed_in_stack) {
      const auto& objects = scope_.type().objects;
      where = failed.failed_object < objects.size() ? objects[failed.failed_object].name
                                                    : "'" + failed.path + "'";
    }
    TemplateFinding problem =
        finding(Severity::Error, codes::ERR_VAR_NOT_ON_PAYLOAD, node,
                "'" + name + "' is not on " + (where.empty() ? "the payload" : where));
    problem.suggestion = scope_.suggest(failed);
    add(std::move(problem));
  }

  void value(const TagNode& node) {
    if (tree_->slice(node) == ".") {
      const Frame& top = scope_.frames().back();
      use(top.path);
      if (top.kind == Frame::Kind::Object && scope_.type().typed) {
        warn_container(node);
      }
      return;
    }
    const Resolution found = resolve(node);
    const bool container = found.found && found.field != nullptr && !found.open &&
                           (found.field->is_list || found.field->shape == FieldShape::Object);
    if (container && scope_.type().typed) {
      warn_container(node);
    }
  }

  void warn_container(const TagNode& node) {
    add(finding(
        Severity::Warning, codes::WARN_CONTAINER_INTERPOLATED, node,
        "'" + std::string(tree_->slice(node)) + "' is an object or a list and prints as JSON"));
  }

  void nest(const std::vector<TagNode>& nodes) {
    if (nested_ < kMostNested) {
      ++nested_;
      walk(nodes, Depth::InSection);
      --nested_;
    }
  }

  void section(const TagNode& node) {
    if (tree_->slice(node) == ".") {
      use(scope_.frames().back().path);
      nest(node.children);
      return;
    }
    const Resolution found = resolve(node);
    if (!found.found) {
      return;
    }
    Frame frame;
    frame.path = found.path;
    if (found.open || (found.field != nullptr && found.field->shape == FieldShape::Map)) {
      frame.kind = Frame::Kind::Open;
      frame.descends = found.from_innermost;
    } else if (found.field != nullptr && found.field->shape == FieldShape::Object) {
      frame.object = found.field->object;
      frame.descends = found.from_innermost;
    } else {
      frame.kind = Frame::Kind::Scalar;
    }
    scope_.push(std::move(frame));
    nest(node.children);
    scope_.pop();
  }

  void inverted(const TagNode& node) {
    if (tree_->slice(node) == ".") {
      use(scope_.frames().back().path);
      nest(node.children);
    } else if (resolve(node).found) {
      nest(node.children);
    }
  }

  const Loaded& load(const std::string& reference) {
    const auto known = loaded_.find(reference);
    if (known != loaded_.end()) {
      return known->second;
    }
    Loaded& loaded = loaded_[reference];
    loaded.provided = options_.provider->resolve(reference);
    if (loaded.provided) {
      Parsed parsed = parse(loaded.provided->text, loaded.provided->source, options_.limits);
      loaded.text = std::move(parsed.value);
      loaded.problem = std::move(parsed.problem);
      if (loaded.text) {
        collect_literals(loaded.text->tree(), loaded.text->tree().nodes);
      }
    }
    return loaded;
  }

  void partial(const TagNode& node, Depth depth) {
    if (options_.provider == nullptr) {
      return;
    }
    const std::string reference(tree_->slice(node));
    if (!is_valid_reference(reference)) {
      add(finding(Severity::Error, codes::ERR_REF_INVALID, node,
                  "'" + reference.substr(0, 200) + "' is not a reference"));
      return;
    }
    const Loaded* loaded = nullptr;
    try {
      loaded = &load(reference);
    } catch (const Error& error) {
      if (error.code() != codes::ERR_REF_OUTSIDE_ROOT) {
        throw;
      }
      add(finding(Severity::Error, codes::ERR_REF_OUTSIDE_ROOT, node, error.what()));
      return;
    }
    if (!loaded->provided) {
      add(finding(Severity::Error, codes::ERR_PARTIAL_UNRESOLVED, node,
                  "partial '" + reference + "' does not exist"));
      return;
    }
    enter(node, reference, *loaded, depth);
  }

  void enter(const TagNode& node, const std::string& reference, const Loaded& loaded, Depth depth) {
    if (open_.size() >= options_.limits.partial_depth || nested_ >= kMostNested) {
      add(finding(Severity::Error, codes::ERR_PARTIAL_TOO_DEEP, node,
                  "partials include each other more than " +
                      std::to_string(options_.limits.partial_depth) + " deep"));
      return;
    }
    const std::string key = reference + "\n" + scope_.canonical(slot_depth_);
    if (const auto again = std::find_if(open_.begin(), open_.end(),
                                        [&](const OpenPartial& open) { return open.key == key; });
        again != open_.end()) {
      if (!descends_since(again->frames)) {
        add(finding(Severity::Error, codes::ERR_PARTIAL_CYCLE, node,
                    "partial '" + reference + "' includes itself and nothing ends it"));
      }
      return;
    }
    // Text outside sections counts for the budget each time it is included.
    const bool counts = depth == Depth::Outside && options_.max_chars.has_value();
    // `{{.}}` is judged by the top of the stack, so a value on it makes another walk.
    const bool on_value = scope_.frames().back().kind == Frame::Kind::Scalar;
    if (!walked_.insert((on_value ? "." : "") + key).second && !counts) {
      return;
    }
    descend(node, reference, loaded, depth, key);
  }

  bool descends_since(std::size_t frames) const {
    const std::vector<Frame>& all = scope_.frames();
    return std::any_of(all.begin() + static_cast<std::ptrdiff_t>(std::min(frames, all.size())),
                       all.end(), [](const Frame& frame) { return frame.descends; });
  }

  void descend(const TagNode& node, const std::string& reference, const Loaded& loaded, Depth depth,
               const std::string& key) {
    via_.push_back({source_, node.at, reference});
    std::string outer_source = loaded.provided->source;
    std::string outer_reference = reference;
    std::swap(source_, outer_source);
    std::swap(reference_, outer_reference);
    if (loaded.problem) {
      TemplateFinding problem = *loaded.problem;
      problem.reference = reference;
      problem.via = via_;
      add(std::move(problem));
    } else {
      const ParseTree* outer_tree = tree_;
      tree_ = &loaded.text->tree();
      open_.push_back({key, scope_.frames().size()});
      ++nested_;
      walk(tree_->nodes, depth);
      --nested_;
      open_.pop_back();
      tree_ = outer_tree;
    }
    source_ = std::move(outer_source);
    reference_ = std::move(outer_reference);
    via_.pop_back();
  }

  // --- what is judged over the whole text
  void collect_literals(const ParseTree& tree, const std::vector<TagNode>& nodes) {
    if (options_.required_tags.empty()) {
      return;
    }
    for (const TagNode& node : nodes) {
      if (node.kind == TagKind::Literal) {
        look_for_tags(tree.slice(node));
      }
      collect_literals(tree, node.children);
    }
  }

  void look_for_tags(std::string_view text) {
    for (const std::string& tag : options_.required_tags) {
      if (text.find("</" + tag + ">") != std::string_view::npos) {
        closed_.insert(tag);
      }
      const std::string opening = "<" + tag;
      for (std::size_t at = text.find(opening); at != std::string_view::npos;
           at = text.find(opening, at + 1)) {
        const char next = at + opening.size() < text.size() ? text[at + opening.size()] : '\0';
        if (next == '>' || next == ' ' || next == '\t' || next == '\n' || next == '\r') {
          opened_.insert(tag);
          break;
        }
      }
    }
  }

  void add_general(Severity severity, Code code, const std::string& path, std::string message) {
    result_.findings.push_back({severity,
                                code,
                                path,
                                std::nullopt,
                                source_,
                                "",
                                std::nullopt,
                                {},
                                {},
                                {},
                                std::move(message)});
  }

  // A text whose partials multiply beyond the limit was not walked to its end: that is no pass.
  void check_steps() {
    if (steps_ > options_.limits.steps) {
      result_.findings.push_back({Severity::Error,
                                  codes::ERR_PARTIAL_TOO_DEEP,
                                  std::nullopt,
                                  std::nullopt,
                                  source_,
                                  "",
                                  std::nullopt,
                                  {},
                                  {},
                                  {},
                                  "the text and its partials expand to more than " +
                                      std::to_string(options_.limits.steps) + " tags"});
    }
  }

  void check_slots() {
    for (const std::string& slot : options_.required_slots) {
      const auto at = used_.lower_bound(slot);
      bool used = at != used_.end() && *at == slot;
      const auto below = used_.lower_bound(slot + ".");
      used = used || (below != used_.end() && below->starts_with(slot + "."));
      if (!used) {
        add_general(Severity::Warning, codes::ERR_REQUIRED_SLOT_UNUSED, slot,
                    "required slot '" + slot + "' is not used");
      }
    }
  }

  void check_tags() {
    std::set<std::string> judged;
    for (const std::string& tag : options_.required_tags) {
      if ((!opened_.contains(tag) || !closed_.contains(tag)) && judged.insert(tag).second) {
        add_general(
            Severity::Error, codes::ERR_OUTPUT_TAG_MISSING, tag,
            "required tag '" + tag + "' is not in the text with its opening and closing form");
      }
    }
  }

  void check_budget() {
    if (options_.max_chars && literal_characters_ > static_cast<std::size_t>(*options_.max_chars)) {
      add_general(Severity::Error, codes::ERR_OUTPUT_TOO_LONG, std::to_string(literal_characters_),
                  "the text outside sections alone has " + std::to_string(literal_characters_) +
                      " characters, at most " + std::to_string(*options_.max_chars) +
                      " are allowed");
    }
  }

  const VerifyOptions& options_;
  StaticScope scope_;
  const ParseTree* tree_ = nullptr;
  std::string source_;
  std::string reference_;
  std::vector<Inclusion> via_;
  std::vector<OpenPartial> open_;
  std::set<std::string> walked_;
  std::map<std::string, Loaded> loaded_;
  std::set<std::string> used_;
  std::set<std::string> opened_;
  std::set<std::string> closed_;
  std::set<std::tuple<std::string, std::string, std::string, TextPosition>> seen_;
  std::size_t literal_characters_ = 0;
  std::size_t slot_depth_ = 0;
  std::size_t steps_ = 0;
  std::size_t nested_ = 0;
  Verified result_;
};

}  // namespace

Verified verify(const Template& text, const PayloadType& type, const VerifyOptions& options) {
  return Walker(type, options).run(text);
}

}  // namespace kedge::templates
