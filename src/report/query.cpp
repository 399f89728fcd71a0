#include "report/query.h"

#include <algorithm>

#include "base/overloaded.h"
#include "base/text.h"
#include "report/models.h"

namespace kedge::report {
namespace {

using document::Json;
using Mode = models::QueryOptions::Mode;

Json value_json(const models::QueryValue& value) {
  return std::visit(
      base::Overloaded{[](std::monostate) { return Json(); }, [](bool flag) { return Json(flag); },
                       [](std::int64_t number) { return Json(number); },
                       [](double number) { return Json(number); },
                       [](const std::string& text) { return Json(text); }},
      value);
}

std::string cell(const models::QueryValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) {
    return base::replace_all(*text, "\n", " ");
  }
  return std::holds_alternative<std::monostate>(value)
             ? ""
             : document::write_json(value_json(value), -1);
}

std::string table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < head.size(); ++i) {
    std::size_t width = base::count_code_points(head[i]);
    for (const auto& row : rows) {
      width = std::max(width, base::count_code_points(row[i]));
    }
    widths.push_back(width);
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      out += (i == 0 ? "" : "  ") + cells[i];
      if (i + 1 < cells.size()) {
        out += std::string(widths[i] - base::count_code_points(cells[i]), ' ');
      }
    }
    return out + "\n";
  };
  std::string out = line(head);
  for (const auto& row : rows) {
    out += line(row);
  }
  return out;
}

Json attributes_json(const std::vector<models::QueryAttribute>& attributes) {
  Json all = Json::object();
  for (const models::QueryAttribute& attribute : attributes) {
    Json one = Json::object();
    if (!attribute.label.empty()) {
      one.set("label", attribute.label);
    }
    if (!attribute.format_type.empty()) {
      Json format = Json::object();
      format.set("type", attribute.format_type);
      if (attribute.precision) {
        format.set("precision", *attribute.precision);
      }
      if (!attribute.symbol.empty()) {
        format.set("symbol", attribute.symbol);
      }
      one.set("format", std::move(format));
    }
    all.set(attribute.key, std::move(one));
  }
  return all;
}

Json optional_text(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

Json column_json(const models::Column& column) {
  Json out = Json::object();
  out.set("name", column.name);
  out.set("sql", column.expression());
  out.set("type", models::to_string(column.type));
  out.set("primary_key", column.primary_key);
  if (column.filter) {
    out.set("filter", *column.filter);
  }
  if (column.allowed_aggregations) {
    Json list = Json::array();
    for (const std::string& name : *column.allowed_aggregations) {
      list.push(name);
    }
    out.set("allowed_aggregations", std::move(list));
  }
  out.set("label", optional_text(column.label));
  out.set("description", optional_text(column.description));
  out.set("hidden", column.hidden);
  return out;
}

Json join_json(const models::Join& join) {
  Json pairs = Json::array();
  for (const auto& [local, other] : join.join_pairs) {
    Json pair = Json::array();
    pair.push(local);
    pair.push(other);
    pairs.push(std::move(pair));
  }
  Json out = Json::object();
  out.set("name", join.hop());
  out.set("target_model", join.target_model);
  out.set("join_pairs", std::move(pairs));
  out.set("join_type", join.join_type == models::JoinType::Inner ? "inner" : "left");
  return out;
}

Json named_formula(const std::string& name, const std::string& formula, const std::string& label,
                   const std::string& description) {
  Json out = Json::object();
  out.set("name", name);
  out.set("formula", optional_text(formula));
  out.set("label", optional_text(label));
  out.set("description", optional_text(description));
  return out;
}

}  // namespace

Json query_json(const models::QueryResult& result, Mode mode) {
  Json data = Json::array();
  for (const auto& row : result.rows) {
    Json record = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i) {
      record.set(result.columns[i], value_json(row[i]));
    }
    data.push(std::move(record));
  }
  Json columns = Json::array();
  for (const std::string& key : result.columns) {
    columns.push(key);
  }
  Json out = Json::object();
  out.set("data", std::move(data));
  out.set("columns", std::move(columns));
  out.set("row_count", mode == Mode::DryRun ? std::size_t{0} : result.rows.size());
  out.set("sql", result.sql);
  if (!result.attributes.empty()) {
    out.set("attributes", attributes_json(result.attributes));
  }
  return out;
}

std::string query_text(const models::QueryResult& result, Mode mode) {
  if (mode == Mode::DryRun) {
    return result.sql + "\n";
  }
  std::vector<std::vector<std::string>> rows;
  for (const auto& row : result.rows) {
    std::vector<std::string> cells;
    std::transform(row.begin(), row.end(), std::back_inserter(cells), cell);
    rows.push_back(std::move(cells));
  }
  const std::string head = mode == Mode::Explain ? result.sql + "\n\n" : std::string();
  return head + table(result.columns, rows) + "(" + std::to_string(rows.size()) +
         (rows.size() == 1 ? " row)\n" : " rows)\n");
}

Json query_error_json(const Error& error) {
  Json out = Json::object();
  out.set("error", std::string(error.code().name()));
  if (const auto* drift = dynamic_cast<const models::SchemaDriftError*>(&error)) {
    Json names = Json::array();
    for (const std::string& name : drift->models()) {
      names.push(name);
    }
    out.set("models", std::move(names));
    out.set("to_delete", entries_json(drift->to_delete()));
    out.set("original", drift->original());
    return out;
  }
  std::string message = error.problem().message;
  for (const Note& note : error.problem().notes) {
    message += message.find(note.text) == std::string::npos ? ": " + note.text : "";
  }
  out.set("message", std::move(message));
  return out;
}

Json models_json(const std::vector<app::ListedModel>& listed) {
  Json out = Json::array();
  for (const app::ListedModel& model : listed) {
    Json one = Json::object();
    one.set("data_source", model.data_source);
    one.set("name", model.name);
    one.set("label", optional_text(model.label));
    one.set("description", optional_text(model.description));
    one.set("source", model.source);
    one.set("columns", model.columns);
    one.set("measures", model.measures);
    out.push(std::move(one));
  }
  return out;
}

std::string models_text(const std::vector<app::ListedModel>& listed) {
  std::vector<std::vector<std::string>> rows;
  for (const app::ListedModel& model : listed) {
    rows.push_back({model.data_source, model.name, model.source, std::to_string(model.columns),
                    std::to_string(model.measures), model.label});
  }
  return table({"data source", "model", "over", "columns", "measures", "label"}, rows);
}

Json model_json(const models::Model& model) {
  Json columns = Json::array();
  for (const models::Column& column : model.columns) {
    columns.push(column_json(column));
  }
  Json measures = Json::array();
  for (const models::Measure& measure : model.measures) {
    measures.push(named_formula(measure.name, measure.formula, measure.label, measure.description));
  }
  Json aggregations = Json::array();
  for (const models::Aggregation& one : model.aggregations) {
    aggregations.push(named_formula(one.name, one.formula.value_or(""), "", one.description));
  }
  Json joins = Json::array();
  for (const models::Join& join : model.joins) {
    joins.push(join_json(join));
  }
  Json filters = Json::array();
  for (const models::Filter& filter : model.filters) {
    filters.push(filter.text);
  }
  Json out = Json::object();
  out.set("name", model.name);
  out.set("data_source", model.data_source);
  out.set("sql_table", optional_text(model.sql_table));
  out.set("sql", optional_text(model.sql));
  out.set("stages", model.source_queries.size());
  out.set("label", optional_text(model.label));
  out.set("description", optional_text(model.description));
  out.set("default_time_dimension", optional_text(model.default_time_dimension));
  out.set("columns", std::move(columns));
  out.set("measures", std::move(measures));
  out.set("aggregations", std::move(aggregations));
  out.set("joins", std::move(joins));
  out.set("filters", std::move(filters));
  return out;
}

std::string model_text(const models::Model& model) {
  std::string out = model.data_source + "." + model.name + "\n";
  out += model.sql_table.empty() ? "" : "  table: " + model.sql_table + "\n";
  out += model.description.empty() ? "" : "  " + model.description + "\n";
  for (const models::Column& column : model.columns) {
    out += "  column " + column.name + " " + models::to_string(column.type) +
           (column.primary_key ? " key" : "") +
           (column.is_base() ? "" : " = " + column.expression()) + "\n";
  }
  for (const models::Measure& measure : model.measures) {
    out += "  measure " + measure.name + " = " + measure.formula + "\n";
  }
  for (const models::Join& join : model.joins) {
    out += "  join " + join.hop() + " -> " + join.target_model + "\n";
  }
  for (const models::Filter& filter : model.filters) {
    out += "  filter " + filter.text + "\n";
  }
  return out;
}

}  // namespace kedge::report
