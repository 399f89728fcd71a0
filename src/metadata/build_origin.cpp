#include <algorithm>
#include <array>

#include "base/text.h"
#include "metadata/build.h"

namespace kedge::metadata {
namespace {

using document::Document;
using document::Entry;
using document::Node;

constexpr std::array<std::string_view, 9> kOperators = {"eq",  "ne", "gt",   "gte",   "lt",
                                                        "lte", "in", "like", "isNull"};

class FilterBuilder {
 public:
  FilterBuilder(const Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  std::optional<Filter> object(const Node& node, const std::string& pointer) {
    if (!node.is_mapping() || node.entries.empty()) {
      fail(node, pointer, "a filter is an object with at least one field");
      return std::nullopt;
    }
    Filter all;
    all.kind = Filter::Kind::And;
    all.place = place(node, pointer);
    for (const Entry& entry : node.entries) {
      auto part = member(entry, pointer + "/" + entry.key.text);
      if (!part) {
        return std::nullopt;
      }
      all.parts.push_back(std::move(*part));
    }
    if (all.parts.size() == 1) {
      Filter only = std::move(all.parts.front());
      return only;
    }
    return all;
  }

 private:
  Place place(const Node& node, const std::string& pointer) const {
    return {document_.position(node), pointer};
  }
  void fail(const Node& node, const std::string& pointer, const std::string& message) {
    diagnostics_.error(codes::ERR_BAD_ATTR_FILTER, message, place(node, pointer));
  }

  std::optional<Filter> member(const Entry& entry, const std::string& pointer) {
    const std::string& key = entry.key.text;
    if (key == "and" || key == "or") {
      return list(entry.value, pointer, key == "and" ? Filter::Kind::And : Filter::Kind::Or);
    }
    if (key == "not") {
      auto part = object(entry.value, pointer);
      if (!part) {
        return std::nullopt;
      }
      Filter filter;
      filter.kind = Filter::Kind::Not;
      filter.place = place(entry.key, pointer);
      filter.parts.push_back(std::move(*part));
      return filter;
    }
    return field(entry, pointer);
  }

  std::optional<Filter> list(const Node& node, const std::string& pointer, Filter::Kind kind) {
    if (!node.is_sequence() || node.items.empty()) {
      fail(node, pointer, "'and' and 'or' are lists of filters");
      return std::nullopt;
    }
    Filter filter;
    filter.kind = kind;
    filter.place = place(node, pointer);
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      auto part = object(node.items[i], pointer + "/" + std::to_string(i));
      if (!part) {
        return std::nullopt;
      }
      filter.parts.push_back(std::move(*part));
    }
    return filter;
  }

  Filter compare(const Entry& entry, const std::string& pointer, std::string op) const {
    Filter filter;
    filter.kind = Filter::Kind::Compare;
    filter.field = entry.key.text;
    filter.op = std::move(op);
    filter.place = place(entry.key, pointer);
    return filter;
  }

  std::optional<Filter> field(const Entry& entry, const std::string& pointer) {
    const Node& value = entry.value;
    if (value.is_sequence()) {
      return in_list(entry, value, pointer);
    }
    if (!value.is_mapping()) {
      Filter filter = compare(entry, pointer, value.kind == document::Kind::Null ? "isNull" : "eq");
      filter.values.push_back(value.kind == document::Kind::Null ? Scalar(true) : to_scalar(value));
      return filter;
    }
    if (value.entries.empty()) {
      fail(value, pointer, "field '" + entry.key.text + "' has no operator");
      return std::nullopt;
    }
    Filter all;
    all.kind = Filter::Kind::And;
    all.place = place(value, pointer);
    for (const Entry& each : value.entries) {
      auto part = operation(entry, each, pointer + "/" + each.key.text);
      if (!part) {
        return std::nullopt;
      }
      all.parts.push_back(std::move(*part));
    }
    if (all.parts.size() == 1) {
      Filter only = std::move(all.parts.front());
      return only;
    }
    return all;
  }

  std::optional<Filter> in_list(const Entry& entry, const Node& values,
                                const std::string& pointer) {
    Filter filter = compare(entry, pointer, "in");
    for (const Node& item : values.items) {
      if (!item.is_scalar()) {
        fail(item, pointer, "'in' takes a list of values");
        return std::nullopt;
      }
      filter.values.push_back(to_scalar(item));
    }
    if (filter.values.empty()) {
      fail(values, pointer, "'in' takes at least one value");
      return std::nullopt;
    }
    return filter;
  }

  std::optional<Filter> operation(const Entry& entry, const Entry& operation,
                                  const std::string& pointer) {
    const std::string& op = operation.key.text;
    if (std::find(kOperators.begin(), kOperators.end(), op) == kOperators.end()) {
      const std::vector<std::string> known(kOperators.begin(), kOperators.end());
      fail(operation.key, pointer,
           "there is no operator '" + op + "'" + base::did_you_mean(op, known));
      return std::nullopt;
    }
    if (op == "in") {
      if (!operation.value.is_sequence()) {
        fail(operation.value, pointer, "'in' takes a list of values");
        return std::nullopt;
      }
      return in_list(entry, operation.value, pointer);
    }
    if (!operation.value.is_scalar() || operation.value.kind == document::Kind::Null) {
      fail(operation.value, pointer, "'" + op + "' takes one value");
      return std::nullopt;
    }
    if (op == "isNull" && !operation.value.as_boolean()) {
      fail(operation.value, pointer, "'isNull' takes true or false");
      return std::nullopt;
    }
    Filter filter = compare(entry, pointer, op);
    filter.values.push_back(to_scalar(operation.value));
    return filter;
  }

  const Document& document_;
  Diagnostics& diagnostics_;
};

class ExpressionBuilder {
 public:
  ExpressionBuilder(const Document& document, Diagnostics& diagnostics)
      : document_(document), diagnostics_(diagnostics) {}

  std::optional<Expression> run(const Node& node, const std::string& pointer) {
    if (!node.is_mapping()) {
      return fail(node, pointer, "an expression is an object");
    }
    Expression out;
    out.place = place(node, pointer);
    if (const Node* field = node.find("field")) {
      if (node.entries.size() != 1 || !field->is_string()) {
        return fail(node, pointer, "{field} holds one field name");
      }
      out.kind = Expression::Kind::Field;
      out.field = field->text;
      return out;
    }
    if (const Node* value = node.find("value")) {
      if (node.entries.size() != 1 || !value->is_scalar()) {
        return fail(node, pointer, "{value} holds one value");
      }
      out.kind = Expression::Kind::Value;
      const auto number = value->kind == document::Kind::Float ? value->as_number() : std::nullopt;
      out.value = number ? Scalar(*number) : to_scalar(*value);
      return out;
    }
    if (const Node* function = node.find("fn")) {
      if (function->text != "coalesce") {
        return fail(*function, pointer, "there is no function '" + function->text + "'");
      }
      out.kind = Expression::Kind::Coalesce;
      return with_list(std::move(out), node, pointer);
    }
    if (const Node* op = node.find("op")) {
      return operation(std::move(out), node, op->text, pointer);
    }
    return fail(node, pointer, "an expression is one of {field}, {value}, {op}, {fn}");
  }

 private:
  Place place(const Node& node, const std::string& pointer) const {
    return {document_.position(node), pointer};
  }
  std::optional<Expression> fail(const Node& node, const std::string& pointer,
                                 const std::string& message) {
    diagnostics_.error(codes::ERR_UNKNOWN_EXPR_NODE, message, place(node, pointer));
    return std::nullopt;
  }

  std::optional<Expression> operation(Expression out, const Node& node, const std::string& op,
                                      const std::string& pointer) {
    if (op == "and" || op == "or") {
      out.kind = op == "and" ? Expression::Kind::And : Expression::Kind::Or;
      return with_list(std::move(out), node, pointer);
    }
    if (op == "isNull" || op == "isNotNull" || op == "not") {
      out.kind = op == "isNull"      ? Expression::Kind::IsNull
                 : op == "isNotNull" ? Expression::Kind::IsNotNull
                                     : Expression::Kind::Not;
      return with_parts(std::move(out), node, {"arg"}, pointer);
    }
    static constexpr std::array<std::string_view, 6> kComparisons = {"eq",  "ne", "gt",
                                                                     "gte", "lt", "lte"};
    if (std::find(kComparisons.begin(), kComparisons.end(), op) == kComparisons.end()) {
      return fail(node, pointer, "there is no operator '" + op + "'");
    }
    out.kind = Expression::Kind::Compare;
    out.op = op;
    return with_parts(std::move(out), node, {"left", "right"}, pointer);
  }

  std::optional<Expression> with_list(Expression out, const Node& node,
                                      const std::string& pointer) {
    const Node* arguments = node.find("args");
    if (arguments == nullptr || !arguments->is_sequence() || arguments->items.empty() ||
        node.entries.size() != 2) {
      return fail(node, pointer, "the node needs a list 'args'");
    }
    for (std::size_t i = 0; i < arguments->items.size(); ++i) {
      auto part = run(arguments->items[i], pointer + "/args/" + std::to_string(i));
      if (!part) {
        return std::nullopt;
      }
      out.parts.push_back(std::move(*part));
    }
    return out;
  }

  std::optional<Expression> with_parts(Expression out, const Node& node,
                                       const std::vector<std::string>& names,
                                       const std::string& pointer) {
    if (node.entries.size() != names.size() + 1) {
      return fail(node, pointer, "the node needs exactly " + base::join(names, " and "));
    }
    for (const std::string& name : names) {
      const Node* part = node.find(name);
      if (part == nullptr) {
        return fail(node, pointer, "the node needs '" + name + "'");
      }
      auto built = run(*part, pointer + "/" + name);
      if (!built) {
        return std::nullopt;
      }
      out.parts.push_back(std::move(*built));
    }
    return out;
  }

  const Document& document_;
  Diagnostics& diagnostics_;
};

// "since", "since desc", "-since".
OrderBy to_order(std::string_view text) {
  OrderBy order;
  if (!text.empty() && text.front() == '-') {
    order.descending = true;
    text.remove_prefix(1);
  }
  const std::size_t blank = text.find(' ');
  if (blank != std::string_view::npos) {
    order.descending = base::to_lower(base::trim(text.substr(blank))) == "desc";
    text = text.substr(0, blank);
  }
  order.field = std::string(text);
  return order;
}

std::optional<Path> build_path(const TreeNode& node, const Attributes& attributes,
                               BuildContext& context) {
  const std::string text = attributes.reference("via");
  if (text.empty()) {
    return std::nullopt;
  }
  const std::size_t package_end = text.rfind("::");
  const std::size_t dot = text.find('.', package_end == std::string::npos ? 0 : package_end);
  const std::string base_name = text.substr(0, dot);
  const TreeNode* found = context.index.resolve("object", base_name, node.package);
  if (found == nullptr || dot == std::string::npos) {
    context.diagnostics.error(codes::ERR_INVALID_ORIGIN,
                              "'@via' is written Base.hop, and '" + text + "' does not resolve",
                              attributes.place("via"));
    return std::nullopt;
  }
  Path path;
  path.base = qualified_name(found->package, found->name);
  path.hops = base::split(text.substr(dot + 1), '.');
  return path;
}

Origin::Kind kind_of(const TreeNode& node) {
  return node.subtype == "aggregate"  ? Origin::Kind::Aggregate
         : node.subtype == "computed" ? Origin::Kind::Computed
         : node.subtype == "first"    ? Origin::Kind::First
                                      : Origin::Kind::Passthrough;
}

}  // namespace

std::optional<Filter> build_filter(const Node& value, const Document& document, const Place& place,
                                   Diagnostics& diagnostics) {
  return FilterBuilder(document, diagnostics).object(value, place.pointer);
}

std::optional<Expression> build_expression(const Node& value, const Document& document,
                                           const Place& place, Diagnostics& diagnostics) {
  return ExpressionBuilder(document, diagnostics).run(value, place.pointer);
}

std::optional<Origin> build_origin(const TreeNode& node, BuildContext& context) {
  const Attributes attributes(node, context);
  attributes.check_required();
  Origin origin;
  origin.kind = kind_of(node);
  origin.place = node.place;
  const char* source = origin.kind == Origin::Kind::Passthrough ? "from" : "of";
  origin.source = attributes.member(source, codes::ERR_INVALID_ORIGIN);
  origin.aggregate = attributes.text("agg");
  origin.via = build_path(node, attributes, context);
  origin.distinct = attributes.flag("distinct");
  origin.convert = attributes.flag("convert");
  for (const std::string& text : attributes.texts("orderBy")) {
    origin.order_by.push_back(to_order(text));
  }
  if (const Attribute* filter = node.find("filter")) {
    origin.filter = build_filter(*filter->value, *filter->document, node.place_of(*filter),
                                 context.diagnostics);
  }
  if (const Attribute* expression = node.find("expr")) {
    origin.expression = build_expression(*expression->value, *expression->document,
                                         node.place_of(*expression), context.diagnostics);
  }
  return origin;
}

Validator build_validator(const TreeNode& node, BuildContext& context) {
  static constexpr std::pair<std::string_view, Validator::Kind> kKinds[] = {
      {"required", Validator::Kind::Required},     {"numeric", Validator::Kind::Numeric},
      {"length", Validator::Kind::Length},         {"regex", Validator::Kind::Regex},
      {"comparison", Validator::Kind::Comparison}, {"requiredWhen", Validator::Kind::RequiredWhen},
      {"presentIff", Validator::Kind::PresentIff}, {"atLeastOne", Validator::Kind::AtLeastOne},
      {"array", Validator::Kind::Array},           {"base", Validator::Kind::Base}};
  const Attributes attributes(node, context);
  attributes.check_required();
  Validator validator;
  for (const auto& [name, kind] : kKinds) {
    if (name == node.subtype) {
      validator.kind = kind;
    }
  }
  validator.name = node.name;
  validator.place = node.place;
  validator.minimum = attributes.text("min");
  validator.maximum = attributes.text("max");
  validator.pattern = attributes.text("pattern");
  validator.left = attributes.text("left");
  validator.op = attributes.text("op");
  validator.right = attributes.text("right");
  validator.field = attributes.text("field");
  validator.when = attributes.text("when");
  validator.fields = attributes.texts("fields");
  validator.enforce = attributes.boolean("enforce").value_or(true);
  if (const Node* equals = attributes.value("equals")) {
    validator.equals = to_scalar(*equals);
  }
  return validator;
}

}  // namespace kedge::metadata
