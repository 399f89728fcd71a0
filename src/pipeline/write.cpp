#include "pipeline/write.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/file_format.h"
#include "pipeline/land.h"
#include "pipeline/nested.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

constexpr std::string_view kAside = ".kedge-";  // and the run, the file's name and:
constexpr std::string_view kPart = ".part";

std::string copy_options(const WriteSpec& write, const std::string& format) {
  if (format == "parquet") {
    return "FORMAT parquet";
  }
  const bool gzip = write.file.path && is_compressed(write.file.path->text);
  const std::string compression = gzip ? ", COMPRESSION gzip" : "";
  if (format == "json") {
    const bool array = write.file.layout && write.file.layout->text == "array";
    return std::string("FORMAT json, ARRAY ") + (array ? "true" : "false") + compression;
  }
  const std::string delimiter =
      format == "tsv" ? "\t" : (write.file.delimiter ? write.file.delimiter->text : ",");
  return "FORMAT csv, DELIMITER " + quote_literal(delimiter) + ", HEADER " +
         (write.file.header.value_or(true) ? "true" : "false") + compression;
}

// "a/b.csv.gz" -> "a/b"
std::string without_extension(const std::string& path) {
  const std::string plain = is_compressed(path) ? path.substr(0, path.size() - 3) : path;
  const std::size_t slash = plain.rfind('/');
  const std::size_t dot = plain.rfind('.');
  const bool has = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  return has ? plain.substr(0, dot) : plain;
}

// What the writer of a format would alter silently goes in another type, or is refused.
struct FileColumn {
  schema::Type type;       // what is written
  std::string impossible;  // true for values that the format cannot say; may be empty
};

schema::Type decimal(int precision, int scale) {
  schema::Type type;
  type.kind = schema::TypeKind::Numeric;
  type.precision = precision;
  type.scale = scale;
  return type;
}

// Parquet has no integers of 128 bits (the writer makes them DOUBLE), and intervals of
// milliseconds.
FileColumn parquet_column(const schema::Type& type, const std::string& name) {
  FileColumn column;
  column.type = with_leaves(type, [](const schema::Type& leaf) {
    const bool huge =
        leaf.kind == schema::TypeKind::Int128 || leaf.kind == schema::TypeKind::UInt128;
    return huge ? decimal(38, 0) : leaf;
  });
  if (!(column.type == type)) {
    column.impossible = name + " IS NOT NULL AND TRY_CAST(" + name + " AS " +
                        contracts::type_name(column.type) + ") IS NULL";
  }
  if (type.kind == schema::TypeKind::Interval) {
    for (const char* part : {"year", "month", "day", "hour", "minute", "microsecond"}) {
      column.impossible += (column.impossible.empty() ? "" : " OR ") +
                           ("datepart('" + std::string(part)) + "', " + name + ") < 0";
    }
    column.impossible += " OR datepart('microsecond', " + name + ") % 1000 <> 0";
  } else if (has_kind(type, schema::TypeKind::Interval)) {
    column.impossible = name + " IS NOT NULL";
  }
  return column;
}

// A decimal below one is written as .5 when it has no digits before the point, which is no JSON.
FileColumn json_column(const schema::Type& type) {
  return {with_leaves(type,
                      [](const schema::Type& leaf) {
                        const bool below_one = leaf.kind == schema::TypeKind::Numeric &&
                                               leaf.precision && leaf.precision == leaf.scale;
                        if (!below_one) {
                          return leaf;
                        }
                        schema::Type text;
                        text.kind = schema::TypeKind::Text;
                        return *leaf.precision < 38 ? decimal(*leaf.precision + 1, *leaf.scale)
                                                    : text;
                      }),
          ""};
}

// Only an empty text is quoted, and so told from NULL.
FileColumn csv_column(const schema::Type& type) {
  FileColumn column{type, ""};
  if (type.kind == schema::TypeKind::Blob || type.kind == schema::TypeKind::Enum) {
    column.type = schema::Type();
    column.type.kind = schema::TypeKind::Text;
  }
  return column;
}

FileColumn file_column(const std::string& format, const contracts::WriteColumn& column) {
  const std::string name = quote_name(column.name);
  FileColumn result = format == "parquet" ? parquet_column(column.type, name)
                      : format == "json"  ? json_column(column.type)
                                          : csv_column(column.type);
  if (column.type.length) {  // promised by write: columns:
    result.impossible = "length(" + name + ") > " + std::to_string(*column.type.length);
  }
  return result;
}

void refuse_impossible(db::Connection& staging, const WriteSpec& write, const std::string& table,
                       const std::string& format, const contracts::WriteColumn& column,
                       const std::string& condition) {
  const std::int64_t count =
      condition.empty()
          ? 0
          : query_count(staging, "SELECT count(*) FROM " + table + " WHERE " + condition);
  if (count > 0) {
    throw Error(codes::PZ0811, "target '" + write.target + "': column '" + column.name + "' has " +
                                   std::to_string(count) + " value(s) that " +
                                   contracts::type_name(column.type) + " in " + format +
                                   " cannot hold");
  }
}

// A killed run leaves its file aside behind; a live one holds the lock of its folder. Files of
// other projects that write to the same place are not ours to judge.
void sweep_parts(const Engine& engine, const std::string& folder) {
  for (const base::FolderEntry& entry : engine.world().files.list(folder)) {
    const bool aside = entry.name.starts_with(kAside) && entry.name.ends_with(kPart);
    if (aside && engine.is_abandoned(entry.name.substr(kAside.size(), engine.run_id().size()))) {
      engine.world().files.remove(base::join_path(folder, entry.name));
    }
  }
}

}  // namespace

std::vector<contracts::WriteColumn> staged_columns(db::Connection& staging,
                                                   const std::string& name) {
  std::vector<contracts::WriteColumn> columns;
  for (const contracts::ShapeColumn& column : describe_staged(staging, name)) {
    columns.push_back({column.name, contracts::duckdb_type(column.type)});
  }
  return columns;
}

std::vector<contracts::WriteColumn> write_columns(
    const WriteSpec& write, const std::vector<contracts::WriteColumn>& staged) {
  std::vector<contracts::WriteColumn> columns;
  for (const contracts::WriteColumn& column : staged) {
    if (column.name != write.delete_flag || write.delete_flag.empty()) {
      columns.push_back(column);
    }
  }
  if (write.contract.empty()) {
    return columns;
  }
  std::vector<contracts::WriteColumn> promised;
  for (const contracts::ContractColumn& column : write.contract.columns) {
    promised.push_back({column.name, column.type});
  }
  const std::vector<contracts::Mismatch> mismatches = contracts::compare_promise(promised, columns);
  if (!mismatches.empty()) {
    std::vector<std::string> texts;
    for (const contracts::Mismatch& mismatch : mismatches) {
      texts.push_back(mismatch.text);
    }
    throw Error(codes::PZ0805, "target '" + write.target +
                                   "': the result is not what write: columns: promises: " +
                                   base::join(texts, "; "));
  }
  return promised;
}

contracts::WriteRequest judge_request(const WriteSpec& write,
                                      std::vector<contracts::WriteColumn> columns) {
  contracts::WriteRequest request;
  request.target = write.target;
  request.system = write.system;
  request.strategy = write.strategy;
  request.policy = write.policy;
  request.on_delete = write.on_delete;
  request.keys = write.keys;
  request.columns = std::move(columns);
  return request;
}

WriteRecord write_files(const Engine& engine, const WriteSpec& write, db::Connection& staging) {
  const std::string& name = engine.workspace().pipelines[write.pipeline].name;
  const std::string format = format_of(write.file, "parquet");
  const std::string root =
      engine.workspace().connection(write.connection).settings(engine.world().folder).at("root");
  std::string path =
      base::join_path(root, write.file.path ? write.file.path->text : write.entity + "." + format);
  if (write.strategy == contracts::Strategy::Append) {
    path = without_extension(path) + "/" + engine.run_id() + "." + format +
           (is_compressed(path) ? ".gz" : "");
  }
  std::string list;
  for (const contracts::WriteColumn& column : write_columns(write, staged_columns(staging, name))) {
    const FileColumn out = file_column(format, column);
    refuse_impossible(staging, write, staging_table(name), format, column, out.impossible);
    const std::string quoted = quote_name(column.name);
    list += (list.empty() ? "" : ", ") +
            (out.type == column.type
                 ? quoted
                 : "CAST(" + quoted + " AS " + contracts::type_name(out.type) + ") AS " + quoted);
  }
  engine.world().files.make_folder(base::parent_path(path));
  sweep_parts(engine, base::parent_path(path));
  const std::string aside = base::parent_path(path) + "/" + std::string(kAside) + engine.run_id() +
                            "-" + base::file_name(path) + std::string(kPart);
  WriteRecord record;
  try {
    staging.execute("COPY (SELECT " + list + " FROM " + staging_table(name) + ") TO " +
                    quote_literal(aside) + " (" + copy_options(write, format) + ")");
    engine.refuse_if_ended();
    engine.world().files.rename(aside, path);
  } catch (const Error&) {
    engine.world().files.remove(aside);
    throw;
  }
  record.rows = query_count(staging, "SELECT count(*) FROM " + staging_table(name));
  record.inserted = record.rows;
  return record;
}

WriteRecord write_target(const Engine& engine, const WriteSpec& write) {
  const Engine::Held staging = engine.staging();
  WriteRecord record = write.is_file() ? write_files(engine, write, *staging)
                                       : write_database(engine, write, *staging);
  record.target = write.target;
  record.strategy = contracts::to_string(write.strategy);
  record.policy = contracts::to_string(write.policy);
  return record;
}

}  // namespace kedge::pipeline
