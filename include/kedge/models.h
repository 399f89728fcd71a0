// What validate, apply and ingest of semantic models return (spec: models.md 10 to 14). Plain
// values; the operations are in kedge/engine.h. Entries are sorted by data source, then model name;
// the lists inside follow the order of declaration in the model file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kedge/finding.h"

namespace kedge::models {

// Why one item is dropped: "column:kg", "column_missing", a sentence for people.
struct DeleteReason {
  std::string target;
  std::string code;
  std::string reason;
  bool operator==(const DeleteReason&) const = default;
};

struct RemoveSpec {
  std::vector<std::string> columns;
  std::vector<std::string> measures;
  std::vector<std::string> aggregations;
  std::vector<std::string> joins;  // hop names
  bool operator==(const RemoveSpec&) const = default;
};

struct EditModelDelete {
  std::string model_name;
  std::string data_source;
  RemoveSpec remove;
  std::vector<std::string> remove_filters;
  std::vector<DeleteReason> reasons;
  bool operator==(const EditModelDelete&) const = default;
};

struct WholeModelDelete {
  std::string model_name;
  std::string data_source;
  std::vector<DeleteReason> reasons;
  bool operator==(const WholeModelDelete&) const = default;
};

using ToDeleteEntry = std::variant<EditModelDelete, WholeModelDelete>;

const std::string& model_name(const ToDeleteEntry& entry);
const std::string& data_source(const ToDeleteEntry& entry);
const std::vector<DeleteReason>& reasons(const ToDeleteEntry& entry);

// Which relations are looked at: exact names or "schema.name", '*' for any run of characters. First
// include (empty: everything), then exclude.
struct Scope {
  std::vector<std::string> include_tables;
  std::vector<std::string> exclude_tables;
  bool operator==(const Scope&) const = default;
};

struct ValidateOptions {
  bool deep = false;  // also undeclared live columns that expressions use
  std::optional<Scope> scope;
};

// What could not be checked: a whole data source, or one model of it.
struct CheckFailure {
  std::string data_source;
  std::string model_name;  // empty: the whole data source
  std::string code;
  std::string message;
  bool operator==(const CheckFailure&) const = default;
};

using ModelId = std::pair<std::string, std::string>;  // data source, model name

struct RenameHint {
  ModelId model;
  std::string column;     // the missing column of the model
  std::string candidate;  // the live column that it may have become
  bool operator==(const RenameHint&) const = default;
};

struct ValidateResult {
  std::vector<ToDeleteEntry> entries;
  std::vector<CheckFailure> failures;          // sorted
  std::vector<Finding> problems;               // model files that do not load, and warnings
  std::vector<RenameHint> hints;               // for people; never in the entries
  std::map<ModelId, std::string> file_hashes;  // the content from which each entry was computed
};

struct ApplyOptions {
  bool deep = false;                           // of the second validate
  std::map<ModelId, std::string> file_hashes;  // a model named here must still have that content
};

struct AppliedEntry {
  std::string tool;  // "edit_model", "delete_model", "validate_models"
  std::string model_name;
  std::string data_source;
  bool operator==(const AppliedEntry&) const = default;
};

struct ApplyError {
  AppliedEntry entry;
  std::string code;
  std::string error;
  bool operator==(const ApplyError&) const = default;
};

struct ApplyDriftResult {
  std::vector<AppliedEntry> applied;
  std::vector<ApplyError> errors;
  std::vector<ToDeleteEntry> residual;
};

struct IngestOptions {
  std::string schema_name;  // empty: the connection's default
  Scope scope;
  bool views = true;
};

struct IngestAddition {
  std::string model_name;
  std::string data_source;
  bool created = false;
  std::vector<std::string> new_columns;
  std::vector<std::string> new_joins;  // hop names
  bool operator==(const IngestAddition&) const = default;
};

struct IngestError {
  std::string model_name;
  std::string data_source;
  std::string code;
  std::string error;
  bool operator==(const IngestError&) const = default;
};

struct IdempotentIngestResult {
  std::vector<IngestAddition> additions;  // in name order
  std::vector<ToDeleteEntry> to_delete;
  std::vector<IngestError> errors;
  std::vector<Finding> warnings;
};

// --- queries (models.md 5, 6, 13)

// A cell of a result. Numbers that a JSON number cannot hold exactly, dates and times are texts.
using QueryValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

// Presentation of one result column.
struct QueryAttribute {
  std::string key;
  std::string label;
  std::string format_type;  // "percent", "currency", "integer", "float" or empty
  std::optional<std::int64_t> precision;
  std::string symbol;
  bool operator==(const QueryAttribute&) const = default;
};

struct QueryResult {
  std::vector<std::string> columns;  // keys: "shipments.depot_city"
  std::vector<std::vector<QueryValue>> rows;
  std::vector<QueryAttribute> attributes;
  std::string sql;
};

// A query object, {"queries": [...]} or {"name": model}, as JSON or YAML text.
struct QueryInput {
  std::string text;
  std::string file = "query";  // for positions in messages
};

struct QueryOptions {
  enum class Mode { Execute, DryRun, Explain };
  Mode mode = Mode::Execute;
  std::optional<std::string> data_source;  // needed when a model name is ambiguous
  std::map<std::string, std::string> variables;  // JSON values; anything else is a text
  bool check_drift = false;                      // validate the touched models first
};

// A query failed in the database, and models that it touches have drifted.
class SchemaDriftError : public Error {
 public:
  SchemaDriftError(Problem problem, std::vector<std::string> models,
                   std::vector<ToDeleteEntry> to_delete, std::string original, std::string sql)
      : Error(std::move(problem)),
        models_(std::move(models)),
        to_delete_(std::move(to_delete)),
        original_(std::move(original)),
        sql_(std::move(sql)) {}
  const std::vector<std::string>& models() const { return models_; }  // sorted, touched
  const std::vector<ToDeleteEntry>& to_delete() const { return to_delete_; }
  const std::string& original() const { return original_; }  // the database's message
  const std::string& sql() const { return sql_; }

 private:
  std::vector<std::string> models_;
  std::vector<ToDeleteEntry> to_delete_;
  std::string original_;
  std::string sql_;
};

}  // namespace kedge::models
