#include "report/inspect.h"

#include <algorithm>

#include "base/text.h"
#include "report/problem.h"
#include "schema/snapshot.h"

namespace kedge::report {
namespace {

// A name of a database must neither be obeyed by a terminal nor look like a line of the report.
std::string shown(const Identifier& name) {
  return base::replace_all(printable(name.text()), "\n", "\\n");
}
std::string shown(const schema::Name& name) {
  return base::replace_all(printable(schema::to_string(name)), "\n", "\\n");
}

std::string join(const std::vector<Identifier>& names) {
  std::string text;
  for (const Identifier& name : names) {
    text += (text.empty() ? "" : ", ") + shown(name);
  }
  return text;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t size = base::count_code_points(text);
  return size < width ? text + std::string(width - size, ' ') : text;
}

std::string type_text(const schema::Type& type) {
  return type.native.empty() ? schema::to_string(type) : type.native;
}

std::string identity_text(const schema::Identity& identity) {
  switch (identity.kind) {
    case schema::Identity::Kind::ByDefault:
      return " identity";
    case schema::Identity::Kind::Always:
      return " identity always";
    case schema::Identity::Kind::Serial:
      return " serial";
    case schema::Identity::Kind::Uuid:
      return " generated uuid";
  }
  return "";
}

std::string column_text(const schema::Column& column, std::size_t width) {
  std::string text = "  " + padded(shown(column.name), width) + "  " + type_text(column.type);
  if (!column.nullable) {
    text += " not null";
  }
  if (column.identity) {
    text += identity_text(*column.identity);
  }
  if (column.generated) {
    text += " = " + column.generated->expression +
            (column.generated->stored ? " (stored)" : " (virtual)");
  }
  if (column.default_value) {
    const bool literal = column.default_value->kind == schema::Default::Kind::Literal;
    const std::string mark = literal ? "'" : "";
    text += " default " + mark + column.default_value->value + mark;
  }
  if (!column.collation.empty()) {
    text += " collate " + column.collation;
  }
  return text + "\n";
}

std::string part_text(const schema::IndexPart& part) {
  return (part.column.empty() ? "(" + part.expression + ")" : shown(part.column)) +
         (part.descending ? " desc" : "");
}

std::string index_text(const schema::Index& index) {
  std::string parts;
  for (const schema::IndexPart& part : index.parts) {
    parts += (parts.empty() ? "" : ", ") + part_text(part);
  }
  const bool owned = index.constraint == schema::Index::Constraint::Unique;
  std::string text = std::string("  ") + (owned          ? "unique constraint "
                                          : index.unique ? "unique index "
                                                         : "index ");
  text += shown(index.name) + " (" + parts + ")";
  if (!index.include.empty()) {
    text += " include (" + join(index.include) + ")";
  }
  if (!index.method.empty()) {
    text += " using " + index.method;
  }
  if (!index.where.empty()) {
    text += " where " + index.where;
  }
  return text + (index.valid ? "" : " INVALID") + "\n";
}

std::string foreign_key_text(const schema::ForeignKey& key) {
  std::string text = "  foreign key " + shown(key.name) + (key.name.empty() ? "" : " ") + "(" +
                     join(key.columns) + ") -> " + shown(key.referenced_table) + " (" +
                     join(key.referenced_columns) + ")";
  if (key.on_delete != schema::ReferentialAction::NoAction) {
    text += " on delete " + schema::to_string(key.on_delete);
  }
  if (key.on_update != schema::ReferentialAction::NoAction) {
    text += " on update " + schema::to_string(key.on_update);
  }
  return text + (key.validated ? "" : " NOT VALID") + "\n";
}

std::string heading(const std::string& kind, const schema::Name& name, const std::string& more) {
  return kind + " " + shown(name) + (more.empty() ? "" : "  " + more) + "\n";
}

std::string options_text(const std::map<std::string, std::string>& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += (text.empty() ? "[" : ", ") + name + "=" + value;
  }
  return text.empty() ? "" : text + "]";
}

std::string table_text(const schema::Table& table) {
  std::string text = heading("table", table.name, options_text(table.options));
  if (!table.comment.empty()) {
    text += "  -- " + table.comment.substr(0, table.comment.find('\n')) + "\n";
  }
  if (table.partition) {
    text += table.partition->by.empty() ? "" : "  partitioned by " + table.partition->by + "\n";
    if (table.partition->parent) {
      text +=
          "  partition of " + shown(*table.partition->parent) + " " + table.partition->bound + "\n";
    }
  }
  std::size_t width = 0;
  for (const schema::Column& column : table.columns) {
    width = std::max(width, std::min<std::size_t>(base::count_code_points(shown(column.name)), 40));
  }
  for (const schema::Column& column : table.columns) {
    text += column_text(column, width);
  }
  if (table.primary_key) {
    text += "  primary key (" + join(table.primary_key->columns) + ")\n";
  }
  for (const schema::Index& index : table.indexes) {
    text += index_text(index);
  }
  for (const schema::ForeignKey& key : table.foreign_keys) {
    text += foreign_key_text(key);
  }
  for (const schema::Check& check : table.checks) {
    text += "  check " + shown(check.name) + (check.name.empty() ? "" : " ") + "(" +
            check.expression + ")" + (check.validated ? "" : " NOT VALID") + "\n";
  }
  return text;
}

std::string view_text(const schema::View& view) {
  std::string text = heading(view.materialized ? "materialized view" : "view", view.name,
                             options_text(view.options));
  std::size_t width = 0;
  for (const schema::ViewColumn& column : view.columns) {
    width = std::max(width, std::min<std::size_t>(base::count_code_points(shown(column.name)), 40));
  }
  for (const schema::ViewColumn& column : view.columns) {
    text += "  " + padded(shown(column.name), width) + "  " + type_text(column.type) + "\n";
  }
  for (const schema::Index& index : view.indexes) {
    text += index_text(index);
  }
  return text;
}

std::string types_text(const schema::Schema& schema) {
  std::string text;
  for (const schema::EnumType& type : schema.enums) {
    std::string labels;
    for (const std::string& label : type.labels) {
      labels += (labels.empty() ? "" : ", ") + label;
    }
    text += heading("enum", type.name, "(" + labels + ")");
  }
  for (const schema::DomainType& type : schema.domains) {
    text += heading("domain", type.name, type_text(type.base));
  }
  for (const schema::CompositeType& type : schema.composites) {
    text += heading("type", type.name, "");
    for (const schema::ViewColumn& field : type.fields) {
      text += "  " + shown(field.name) + "  " + type_text(field.type) + "\n";
    }
  }
  for (const schema::Sequence& sequence : schema.sequences) {
    text += heading("sequence", sequence.name, "");
  }
  return text;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string inspect_text(const app::InspectResult& result) {
  const schema::Schema& schema = result.source.schema;
  std::string text =
      result.source.shown + ": " +
      (schema.engine.product.empty() ? schema::to_string(result.source.dialect)
                                     : schema.engine.product + " " + schema.engine.version) +
      ", " + counted(schema.tables.size(), "table") + ", " + counted(schema.views.size(), "view") +
      "\n\n";
  text += types_text(schema);
  for (const schema::Table& table : schema.tables) {
    text += table_text(table) + "\n";
  }
  for (const schema::View& view : schema.views) {
    text += view_text(view) + "\n";
  }
  for (const schema::DefinedObject& object : schema.objects) {
    text += heading(schema::to_string(object.kind), object.name,
                    object.table ? "on " + shown(*object.table) : object.signature);
  }
  for (const Finding& finding : result.findings) {
    text += finding_text(finding);
  }
  return text;
}

document::Json inspect_json(const app::InspectResult& result) {
  document::Json json;
  json.set("command", "inspect");
  json.set("source", result.source.shown);
  json.set("dialect", schema::to_string(result.source.dialect));
  json.set("fingerprint", result.fingerprint);
  json.set("schema", schema::to_json(result.source.schema));
  document::Json findings = document::Json::array();
  for (const Finding& finding : result.findings) {
    findings.push(finding_json(finding));
  }
  json.set("findings", std::move(findings));
  json.set("errors", document::Json::array());
  json.set("exit_code", 0);
  return json;
}

}  // namespace kedge::report
