// What a write may do to an existing target (spec/contracts.md 12, 13): the comparison of the
// write's columns with the target under a schema_policy, as a pure function. All changes are
// judged before any is applied; nothing here touches a database.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "contracts/target_type.h"
#include "kedge/error.h"
#include "kedge/type.h"

namespace kedge::contracts {

enum class Strategy { Append, Replace, Merge };
enum class SchemaPolicy { FailOnChange, Additive, Evolve };
enum class OnDelete { None, Delete, Soft, Ignore };
std::string to_string(Strategy strategy);
std::string to_string(SchemaPolicy policy);
std::string to_string(OnDelete action);

struct WriteColumn {
  std::string name;
  schema::Type type;  // DuckDB type; a text length only from `write: columns:`
};

struct TargetColumn {
  std::string name;
  schema::Type type;   // DuckDB type, with its facets
  std::string native;  // as the target spells it
  bool nullable = true;
  bool has_default = false;  // a default, an identity or a generated value
  std::string locked_by;     // "the primary key", "a view": why its type cannot be altered
  bool generated = false;
  std::string clauses;  // what must be said again where a new type is said: " NOT NULL DEFAULT 1"
  std::optional<int> fraction = {};  // digits of a second, where the type keeps fewer than six
};

struct Target {
  bool is_view = false;
  bool has_index = false;  // explicit ones (duckdb)
  std::vector<TargetColumn> columns;
  std::vector<std::vector<std::string>> unique_keys;  // primary key first
};

// What was measured of the staged values of one column.
struct ValueFacts {
  std::int64_t nulls = 0;
  std::int64_t longest = 0;       // characters
  std::int64_t out_of_range = 0;  // values the target type cannot hold
  std::int64_t fraction = 0;      // digits of a second
};

struct WriteRequest {
  std::string target;  // "depot.public.berth_load"
  System system = System::Postgres;
  Strategy strategy = Strategy::Append;
  SchemaPolicy policy = SchemaPolicy::FailOnChange;
  OnDelete on_delete = OnDelete::None;
  std::vector<std::string> keys;
  std::vector<WriteColumn> columns;
};

enum class AlterationKind { Added, Widened, Marker };
std::string to_string(AlterationKind kind);

struct Alteration {
  AlterationKind kind = AlterationKind::Added;
  std::string column;               // as the target spells it
  std::optional<std::string> from;  // native spellings
  std::string to;
  bool statement = true;     // false: nothing needs to be executed (sqlite, one affinity)
  std::string clauses = {};  // of a widened column: TargetColumn::clauses
};
std::string alteration_text(const Alteration& alteration);  // "column 'seal' added (text)"

struct Mismatch {
  std::string column;  // empty: of the whole target
  std::string kind;    // "missing", "type", "extra", "length", "null", "key", "view"
  std::string declared;
  std::string found;
  std::string text;  // "column 'x' has type A in the target, the write has B"
};

struct WriteVerdict {
  std::vector<Mismatch> mismatches;     // in write order, then the target's own
  Code code;                            // PZ0811, PZ0812 or PZ0802 when there are any
  std::vector<Alteration> alterations;  // empty when there are mismatches
  // Target columns by write column, in write order.
  std::vector<std::string> target_names;
};

// The columns whose values decide: NOT NULL or limited in length or range on the target.
std::vector<std::string> columns_to_measure(const WriteRequest& request, const Target& target);
WriteVerdict judge_write(const WriteRequest& request, const Target& target,
                         const std::map<std::string, ValueFacts>& facts);
Problem refusal(const WriteRequest& request, const WriteVerdict& verdict);

// A result that must have exactly the promised columns (PZ0805): missing, extra, different.
std::vector<Mismatch> compare_promise(const std::vector<WriteColumn>& promised,
                                      const std::vector<WriteColumn>& staged);

}  // namespace kedge::contracts
