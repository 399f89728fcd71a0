// Effective tree nodes to the typed model. What needs only one node is checked here; what needs two
// is checked in check.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kedge/schema.h"
#include "metadata/diagnostics.h"
#include "metadata/inherit.h"
#include "metadata/tree.h"

namespace kedge::metadata {

// What every builder needs.
struct BuildContext {
  NodeIndex& index;
  const Settings& settings;
  Diagnostics& diagnostics;
};

// Typed access to a node's attributes; kinds were checked when it was read.
class Attributes {
 public:
  Attributes(const TreeNode& node, BuildContext& context) : node_(node), context_(context) {}
  std::string text(std::string_view name, std::string fallback = {}) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::optional<std::int64_t> integer(std::string_view name) const;
  std::optional<bool> boolean(std::string_view name) const;
  bool flag(std::string_view name) const { return boolean(name).value_or(false); }
  const document::Node* value(std::string_view name) const;
  Place place(std::string_view name) const;  // of the node when there is no such attribute
  // A reference's text with relative spellings expanded.
  std::string reference(std::string_view name) const;
  std::string expand(const std::string& text, const Place& place) const;
  // A reference to an object, resolved; reports `code` when there is none.
  std::string object(std::string_view name, Code code) const;
  // "Entity.member" resolved; reports `code`.
  MemberRef member(std::string_view name, Code code) const;
  void check_required() const;

 private:
  const TreeNode& node_;
  BuildContext& context_;
};

// What keeps a body or an expression from being one: a second statement, or a comment that would
// take along what is written after it (bodies stand last, they may end in one). Empty: nothing. On
// load no dialect is known and postgres' quotes and comments hold; build_expected asks again for
// its own.
enum class SqlPart { Body, Expression };
std::string sql_part_problem(std::string_view text, SqlPart part,
                             schema::Dialect dialect = schema::Dialect::Postgres);

Documentation build_documentation(const Attributes& attributes);
Scalar to_scalar(const document::Node& node);
std::optional<Action> to_action(const std::string& text);

Field build_field(const TreeNode& node, BuildContext& context);
std::optional<Origin> build_origin(const TreeNode& node, BuildContext& context);
std::optional<Filter> build_filter(const document::Node& value, const document::Document& document,
                                   const Place& place, Diagnostics& diagnostics);
std::optional<Expression> build_expression(const document::Node& value,
                                           const document::Document& document, const Place& place,
                                           Diagnostics& diagnostics);
Validator build_validator(const TreeNode& node, BuildContext& context);
Object build_object(const TreeNode& node, BuildContext& context);
Template build_template(const TreeNode& node, BuildContext& context);

}  // namespace kedge::metadata
