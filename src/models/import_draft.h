// A model while it is being imported. Private to the importers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "document/json.h"
#include "document/node.h"
#include "models/import.h"

namespace kedge::models {

struct DraftColumn {
  std::string name;
  std::string sql;  // empty: the name
  std::string type;
  bool primary_key = false;
  bool hidden = false;
  std::string filter;
  std::string description;
  std::string label;
  std::string format;  // "percent", "currency"
  document::Json meta;
};

struct DraftMeasure {
  std::string name;
  std::string formula;
  std::string description;
  std::string label;
  document::Json meta;
};

struct DraftJoin {
  std::string target;
  std::string name;
  std::vector<std::pair<std::string, std::string>> pairs;
  std::string description;
};

struct Draft {
  std::string name;
  std::string sql_table;
  std::string sql;
  std::string description;
  std::string label;
  std::string default_time;
  bool hidden = false;
  document::Json meta;
  std::vector<DraftColumn> columns;
  std::vector<DraftMeasure> measures;
  std::vector<DraftJoin> joins;
  Position origin;

  bool has(std::string_view name) const;  // a column or a measure
  const DraftColumn* find_column(std::string_view name) const;
  const DraftMeasure* find_measure(std::string_view name) const;
  // The column that stands for an expression: a declared one, or a hidden one that is added.
  std::string column_for(const std::string& expression, const std::string& wanted,
                         const std::string& filter);
  std::string free_name(std::string name) const;
};

// Notes what is left out.
class ImportNotes {
 public:
  void skip(const document::Document& document, const document::Node& node, std::string message,
            std::string hint = {});
  // One key of the mapping, when it is there.
  void skip_key(const document::Document& document, const document::Node& node,
                std::string_view key, const std::string& what, std::string hint = {});
  // Every key of the mapping that is not in `known`; a node that is no mapping as a whole.
  void skip_unknown(const document::Document& document, const document::Node& node,
                    std::span<const std::string_view> known, const std::string& what);
  std::vector<Finding> take() { return std::move(notes_); }

 private:
  std::vector<Finding> notes_;
};

std::string text_of(const document::Node& node, std::string_view key);
bool flag_of(const document::Node& node, std::string_view key, bool fallback);
// The items of a list; none when it is absent.
const std::vector<document::Node>& items_of(const document::Node& node, std::string_view key);

// `meta`, also below `config`; nothing when there is none.
document::Json meta_of(const document::Node& node);

// What the metrics of dbt may refer to.
struct DbtMeasure {
  std::string model;
  std::string name;         // in kedge
  std::string aggregation;  // ":sum", ":percentile(p=0.9)"
  std::string expression;   // "1" for a count of rows
};
struct DbtEntity {
  std::string name;
  std::string column;
  std::string model;
};
struct DbtModels {
  std::vector<Draft> drafts;
  std::map<std::string, DbtMeasure> measures;  // by their names in dbt
  std::vector<DbtEntity> keys;                 // entities that other models may join by
  std::vector<DbtEntity> entities;             // all, of each model
};

std::vector<Draft> read_dbt(const ImportInput& input, ImportNotes& notes);
void read_dbt_metrics(const ImportInput& input, DbtModels& models, ImportNotes& notes);
std::vector<Draft> read_cube(const ImportInput& input, ImportNotes& notes);

}  // namespace kedge::models
