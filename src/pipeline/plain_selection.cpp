#include "pipeline/plain_selection.h"

#include <algorithm>
#include <span>

#include "document/node.h"

namespace kedge::pipeline {
namespace {

using document::Node;

// Absent, null, an empty list or an empty mapping.
bool is_blank(const Node& node, std::string_view key) {
  const Node* value = node.find(key);
  return value == nullptr || value->kind == document::Kind::Null ||
         (!value->is_scalar() && value->items.empty() && value->entries.empty());
}

bool is_column(const Node& item) {
  const std::string kind = item.scalar_at("class");
  return kind == "COLUMN_REF" || (kind == "STAR" && is_blank(item, "replace_list") &&
                                  is_blank(item, "expr") && item.scalar_at("columns") != "true");
}

bool is_plain_select(const Node& select) {
  const Node* list = select.find("select_list");
  const Node* from = select.find("from_table");
  const Node* ctes = select.find("cte_map");
  const bool only_columns = list != nullptr && !list->items.empty() &&
                            std::all_of(list->items.begin(), list->items.end(), is_column);
  const bool one_table = from != nullptr && from->scalar_at("type") == "BASE_TABLE" &&
                         from->scalar_at("schema_name") == "staging" && is_blank(*from, "sample");
  bool nothing_else = ctes == nullptr || is_blank(*ctes, "map");
  for (const std::string_view part : {"modifiers", "where_clause", "group_expressions",
                                      "group_sets", "having", "sample", "qualify"}) {
    nothing_else = nothing_else && is_blank(select, part);
  }
  return select.scalar_at("type") == "SELECT_NODE" && only_columns && one_table && nothing_else;
}

}  // namespace

bool is_plain_selection(db::Connection& staging, const std::string& sql) {
  const db::Value text = sql;
  const db::ResultSet tree =
      staging.query("SELECT json_serialize_sql(?::VARCHAR)", std::span<const db::Value>(&text, 1));
  const document::Document document = document::read_document(
      "the parse tree", db::to_text(tree.rows.at(0).at(0)), document::Format::Json);
  const Node* statements = document.usable ? document.root.find("statements") : nullptr;
  if (statements == nullptr || statements->items.size() != 1) {
    return false;  // a text that cannot be parsed fails where it is run
  }
  const Node* select = statements->items[0].find("node");
  return select != nullptr && is_plain_select(*select);
}

}  // namespace kedge::pipeline
