#include "pipeline/write.h"

#include <algorithm>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/land.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

constexpr std::string_view kAside = ".kedge-";  // and the run, the file's name and:
constexpr std::string_view kPart = ".part";

// Rows go out in staging order; a view has no row numbers of its own.
std::string format_word(const WriteSpec& write) {
  if (write.file.format) {
    return write.file.format->text;
  }
  const std::string extension = write.file.path ? base::extension(write.file.path->text) : "";
  const bool known = extension == "csv" || extension == "tsv" || extension == "json";
  return known ? extension : "parquet";
}

std::string copy_options(const WriteSpec& write, const std::string& format) {
  if (format == "parquet") {
    return "FORMAT parquet";
  }
  if (format == "json") {
    const bool array = write.file.layout && write.file.layout->text == "array";
    return std::string("FORMAT json, ARRAY ") + (array ? "true" : "false");
  }
  const std::string delimiter =
      format == "tsv" ? "\t" : (write.file.delimiter ? write.file.delimiter->text : ",");
  return "FORMAT csv, DELIMITER " + quote_literal(delimiter) + ", HEADER " +
         (write.file.header.value_or(true) ? "true" : "false");
}

std::string without_extension(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::size_t dot = path.rfind('.');
  const bool has = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  return has ? path.substr(0, dot) : path;
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
  request.system =
      contracts::system_of_connector(write.connector).value_or(contracts::System::Generic);
  request.strategy = write.strategy;
  request.policy = write.policy;
  request.on_delete = write.on_delete;
  request.keys = write.keys;
  request.columns = std::move(columns);
  return request;
}

WriteRecord write_files(const Engine& engine, const WriteSpec& write, db::Connection& staging) {
  const std::string& name = engine.workspace().pipelines[write.pipeline].name;
  const std::string format = format_word(write);
  const std::string root =
      engine.workspace().connection(write.connection).settings(engine.world().folder).at("root");
  std::string path =
      base::join_path(root, write.file.path ? write.file.path->text : write.entity + "." + format);
  if (write.strategy == contracts::Strategy::Append) {
    path = without_extension(path) + "/" + engine.run_id() + "." + format;
  }
  std::string list;
  for (const contracts::WriteColumn& column : write_columns(write, staged_columns(staging, name))) {
    list += (list.empty() ? "" : ", ") + quote_name(column.name);
  }
  engine.world().files.make_folder(base::parent_path(path));
  sweep_parts(engine, base::parent_path(path));
  const std::string aside = base::parent_path(path) + "/" + std::string(kAside) + engine.run_id() +
                            "-" + base::file_name(path) + std::string(kPart);
  WriteRecord record;
  try {
    const Engine::Running running(engine, staging);
    staging.execute("COPY (SELECT " + list + " FROM " + staging_table(name) + ") TO " +
                    quote_literal(aside) + " (" + copy_options(write, format) + ")");
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
  const std::unique_ptr<db::Connection> staging = engine.staging();
  WriteRecord record = write.is_file() ? write_files(engine, write, *staging)
                                       : write_database(engine, write, *staging);
  record.target = write.target;
  record.strategy = contracts::to_string(write.strategy);
  record.policy = contracts::to_string(write.policy);
  return record;
}

}  // namespace kedge::pipeline
