// csv, tsv, json and parquet (spec/contracts.md 4.4), read by DuckDB itself.
#include <algorithm>

#include "base/file_stamp.h"
#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/csv_fault.h"
#include "pipeline/file_format.h"
#include "pipeline/land.h"
#include "pipeline/nested.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

constexpr std::int64_t kWholeFileDetection = 64LL << 20;

enum class Format { Csv, Json, Parquet };

struct FileRead {
  std::vector<std::string> files;  // absolute
  std::string shown;               // the pattern, relative
  Format format = Format::Csv;
  bool tabs = false;
};

std::string root_of(const World& world, const Workspace& workspace, const ReadSpec& read) {
  return workspace.connection(read.connection).settings(world.folder).at("root");
}

// A folder that may not be looked into is no folder without files.
void require_visible(const World& world, const ReadSpec& read, const std::string& folder) {
  try {
    world.files.list(folder);
  } catch (const Error& error) {
    throw Error(codes::PZ0330,
                "entity '" + read.label + "': cannot be read: " + error.problem().message);
  }
}

FileRead find_files(const World& world, const Workspace& workspace, db::Connection& duckdb,
                    const ReadSpec& read) {
  FileRead found;
  const std::string word = format_of(read.file, "csv");
  found.format =
      word == "json" ? Format::Json : (word == "parquet" ? Format::Parquet : Format::Csv);
  found.tabs = word == "tsv";
  found.shown = read.file.path ? read.file.path->text : read.entity + "." + word;
  const std::string path = base::join_path(root_of(world, workspace, read), found.shown);
  if (found.shown.find_first_of("*?[") == std::string::npos) {
    if (world.files.kind(path) == base::EntryKind::File) {
      found.files.push_back(path);
    }
  } else {
    const db::ResultSet rows =
        duckdb.query("SELECT file FROM glob(" + quote_literal(path) + ") ORDER BY file");
    for (const db::Row& row : rows.rows) {
      found.files.push_back(db::to_text(row[0]));
    }
  }
  if (found.files.empty()) {
    require_visible(world, read, base::parent_path(path));
  }
  return found;
}

std::string list_text(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) {
    list += (list.empty() ? "" : ", ") + quote_literal(text);
  }
  return "[" + list + "]";
}

// DuckDB's own reader takes 32 MB a thread, a third of a small memory_limit, and is no faster.
constexpr std::string_view kCsvBuffer = ", buffer_size = 8388608";

char delimiter_of(const ReadSpec& read, const FileRead& files) {
  return files.tabs ? '\t' : (read.file.delimiter ? read.file.delimiter->text.at(0) : ',');
}

// DuckDB takes a whole line for one field where lines have different numbers of them.
void refuse_single_field(db::Connection& duckdb, const ReadSpec& read, const FileRead& files,
                         const std::vector<std::string>& names) {
  const bool detected = files.format == Format::Csv && !files.tabs && !read.file.delimiter;
  if (detected && names.size() == 1 && names[0].find(',') != std::string::npos) {
    refuse_csv_fault(duckdb, read, files.files, ',');
  }
}

std::string csv_options(const ReadSpec& read, const FileRead& files) {
  std::string options(kCsvBuffer);
  if (files.tabs) {
    options += ", delim = '\t'";
  } else if (read.file.delimiter) {
    options += ", delim = " + quote_literal(read.file.delimiter->text);
  } else if (!read.contract.empty()) {
    options += ", delim = ','";
  }
  // Left alone the reader leaves out lines: a header that has not the fields of most, "comments".
  options += ", quote = '\"', escape = '\"', skip = 0, comment = ''";
  options += read.file.header.value_or(true) ? ", header = true" : ", header = false";
  if (read.file.null_text) {
    options += ", nullstr = " + list_text(*read.file.null_text);
  }
  if (files.files.size() > 1) {
    options += ", union_by_name = true";
  }
  return options;
}

std::string raw_relation(const ReadSpec& read, const FileRead& files,
                         const std::vector<std::string>& paths) {
  switch (files.format) {
    case Format::Csv:
      return "read_csv(" + list_text(paths) + ", all_varchar = true, allow_quoted_nulls = false" +
             csv_options(read, files) + ")";
    case Format::Json:
      return "read_json_objects(" + list_text(paths) + ", format = " +
             (read.file.layout && read.file.layout->text == "array" ? "'array'"
                                                                    : "'newline_delimited'") +
             ", maximum_object_size = 67108864)";
    case Format::Parquet:
      break;
  }
  return "read_parquet(" + list_text(paths) + (paths.size() > 1 ? ", union_by_name = true)" : ")");
}

std::int64_t size_of(const FileRead& files) {
  std::int64_t bytes = 0;
  for (const std::string& file : files.files) {
    const std::optional<base::FileStamp> stamp = base::stamp_of(file);
    bytes += stamp ? stamp->size : 0;
  }
  return bytes;
}

// DuckDB's own detection, for reads without a contract.
std::string detected_relation(const ReadSpec& read, const FileRead& files) {
  if (files.format == Format::Parquet) {
    return raw_relation(read, files, files.files);
  }
  const std::int64_t bytes = size_of(files);
  if (bytes == 0) {
    throw Error(codes::PZ0804,
                "entity '" + read.label + "': file " + base::file_name(files.files.front()) +
                    " is empty: nothing tells its columns",
                "declare columns:");
  }
  const std::string sample = bytes < kWholeFileDetection ? "-1" : "20480";
  if (files.format == Format::Json) {
    return "read_json(" + list_text(files.files) + ", sample_size = " + sample + ", format = " +
           (read.file.layout && read.file.layout->text == "array" ? "'array'"
                                                                  : "'newline_delimited'") +
           (files.files.size() > 1 ? ", union_by_name = true)" : ")");
  }
  return "read_csv(" + list_text(files.files) + ", sample_size = " + sample +
         csv_options(read, files) + ")";
}

struct Described {
  std::string name;
  std::string type;
};

std::vector<Described> describe(db::Connection& duckdb, const std::string& relation) {
  std::vector<Described> columns;
  for (const db::Row& row :
       duckdb
           .query("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + relation + ")")
           .rows) {
    columns.push_back({db::to_text(row[0]), db::to_text(row[1])});
  }
  return columns;
}

bool has(const std::vector<Described>& columns, const std::string& name) {
  return std::any_of(columns.begin(), columns.end(),
                     [&](const Described& c) { return c.name == name; });
}

std::vector<std::string> names_of(const std::vector<Described>& columns) {
  std::vector<std::string> names;
  for (const Described& column : columns) {
    names.push_back(column.name);
  }
  return names;
}

// Every file must have every column that is not optional.
void require_columns(db::Connection& duckdb, const ReadSpec& read, const FileRead& files) {
  for (const std::string& file : files.files) {
    const std::vector<Described> columns = describe(duckdb, raw_relation(read, files, {file}));
    std::vector<std::string> missing;
    for (const contracts::ContractColumn& column : read.contract.columns) {
      if (!column.optional && !has(columns, column.source)) {
        missing.push_back(column.source);
      }
    }
    if (!missing.empty()) {
      fail_missing_columns(read, missing, names_of(columns),
                           files.files.size() > 1 ? " (file " + base::file_name(file) + ")" : "");
    }
  }
}

// Types that have a value whose text is empty.
bool knows_empty(const schema::Type& type) {
  return type.kind == schema::TypeKind::Text || type.kind == schema::TypeKind::Blob ||
         std::find(type.labels.begin(), type.labels.end(), "") != type.labels.end();
}

// Texts of csv: an empty field is NULL, except for a type that knows an empty value where the field
// is quoted ("") or null_text says what NULL is.
std::string csv_projection(const ReadSpec& read, const std::string& relation,
                           const std::vector<Described>& present, std::vector<RawColumn>& columns) {
  std::string list;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    const std::string name = quote_name(column.source);
    std::string value = knows_empty(column.type) ? name : "nullif(" + name + ", '')";
    if (!has(present, column.source)) {
      value = "CAST(NULL AS VARCHAR)";
    }
    list += (list.empty() ? "" : ", ") + value + " AS " + quote_name(column.name);
    columns.push_back({column.name, column.name, contracts::duckdb_type("VARCHAR"), column.type});
  }
  return "(SELECT " + list + " FROM " + relation + ")";
}

void land_csv(const Engine& engine, db::Connection& staging, const ReadSpec& read,
              const FileRead& files) {
  require_columns(staging, read, files);
  const std::string relation = raw_relation(read, files, files.files);
  std::vector<RawColumn> columns;
  const std::string raw = csv_projection(read, relation, describe(staging, relation), columns);
  land_converted(engine, staging, read, raw, columns);
}

void land_parquet(const Engine& engine, db::Connection& staging, const ReadSpec& read,
                  const FileRead& files) {
  require_columns(staging, read, files);
  const std::string relation = raw_relation(read, files, files.files);
  const std::vector<Described> present = describe(staging, relation);
  std::vector<RawColumn> columns;
  std::string list;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    const auto found = std::find_if(present.begin(), present.end(),
                                    [&](const Described& c) { return c.name == column.source; });
    list += (list.empty() ? "" : ", ") +
            (found == present.end() ? "NULL" : quote_name(column.source)) + " AS " +
            quote_name(column.name);
    columns.push_back({column.name, column.name,
                       found == present.end() ? contracts::duckdb_type("VARCHAR")
                                              : contracts::duckdb_type(found->type),
                       column.type});
  }
  land_converted(engine, staging, read, "(SELECT " + list + " FROM " + relation + ")", columns);
}

// A JSON pointer: a path cannot spell a key that holds a quote.
std::string json_path(const std::string& key) {
  return quote_literal("/" + base::replace_all(base::replace_all(key, "~", "~0"), "/", "~1"));
}

// A record that is no object is an error; so is a key that no record has.
void check_records(db::Connection& staging, const ReadSpec& read, const std::string& relation) {
  const db::ResultSet bad =
      staging.query("SELECT n FROM (SELECT row_number() OVER () AS n, json FROM " + relation +
                    ") WHERE json_type(json) <> 'OBJECT' ORDER BY n LIMIT 1");
  if (!bad.rows.empty()) {
    throw Error(codes::PZ0804, "entity '" + read.label + "': record " +
                                   db::to_text(bad.rows[0][0]) + " is not an object");
  }
  std::string list = "count(*)";
  for (const contracts::ContractColumn& column : read.contract.columns) {
    list += ", coalesce(bool_or(json_exists(json, " + json_path(column.source) + ")), false)";
  }
  const db::ResultSet seen = staging.query("SELECT " + list + " FROM " + relation);
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < read.contract.columns.size(); ++i) {
    const contracts::ContractColumn& column = read.contract.columns[i];
    if (!column.optional && !db::to_boolean(seen.rows.at(0).at(i + 1))) {
      missing.push_back(column.source);
    }
  }
  if (!missing.empty() && db::to_integer(seen.rows.at(0).at(0)).value_or(0) > 0) {
    fail_missing_columns(read, missing, {}, "");
  }
}

void land_json(const Engine& engine, db::Connection& staging, const ReadSpec& read,
               const FileRead& files) {
  const std::string relation = raw_relation(read, files, files.files);
  check_records(staging, read, relation);
  std::vector<RawColumn> columns;
  std::string list;
  for (const contracts::ContractColumn& column : read.contract.columns) {
    const bool nested = is_nested(column.type) || column.type.kind == schema::TypeKind::Json;
    const std::string value = std::string(nested ? "kedge_member" : "kedge_member_text") +
                              "(CAST(json AS VARCHAR), " + quote_literal(column.source) + ")";
    list += (list.empty() ? "" : ", ") + value + " AS " + quote_name(column.name);
    columns.push_back(
        {column.name, column.name, contracts::duckdb_type("VARCHAR"), column.type, TextForm::Json});
  }
  land_converted(engine, staging, read, "(SELECT " + list + " FROM " + relation + ")", columns);
}

void land_detected(db::Connection& staging, const ReadSpec& read, const FileRead& files) {
  const std::string relation = detected_relation(read, files);
  staging.execute("CREATE OR REPLACE TABLE " + staging_table(read.staging) + " AS SELECT * FROM " +
                  relation);
  std::vector<std::string> names;
  for (const contracts::ShapeColumn& column : describe_staged(staging, read.staging)) {
    names.push_back(column.name);
  }
  refuse_single_field(staging, read, files, names);
}

void land_found(const Engine& engine, db::Connection& staging, const ReadSpec& read,
                const FileRead& files) {
  if (read.contract.empty()) {
    land_detected(staging, read, files);
    return;
  }
  switch (files.format) {
    case Format::Csv:
      return land_csv(engine, staging, read, files);
    case Format::Json:
      return land_json(engine, staging, read, files);
    case Format::Parquet:
      return land_parquet(engine, staging, read, files);
  }
}

// Does the engine speak of a file of the source, and not of one of its own?
bool names_source(const db::DatabaseError& error, const FileRead& files) {
  return std::any_of(files.files.begin(), files.files.end(), [&](const std::string& file) {
    return error.driver_message().find(file) != std::string::npos;
  });
}

[[noreturn]] void fail_no_file(Code code, const ReadSpec& read, const FileRead& files) {
  throw Error(Problem{
      code, "entity '" + read.label + "': no file '" + files.shown + "'", read.where, "", {}});
}

}  // namespace

void land_files(const Engine& engine, db::Connection& staging, const ReadSpec& read) {
  const FileRead files = find_files(engine.world(), engine.workspace(), staging, read);
  if (files.files.empty()) {
    fail_no_file(codes::PZ0353, read, files);
  }
  try {
    land_found(engine, staging, read, files);
  } catch (const db::DatabaseError& error) {
    const bool own = error.failure() == db::FailureClass::Resource && !names_source(error, files);
    if (own || error.failure() == db::FailureClass::Cancelled) {
      throw;
    }
    if (files.format == Format::Csv) {
      refuse_csv_fault(staging, read, files.files, delimiter_of(read, files));
    }
    fail_unreadable(engine, read, error);
  }
}

std::optional<std::string> first_text(const Engine& engine, db::Connection& staging,
                                      const ReadSpec& read, const std::string& column) {
  const FileRead files = find_files(engine.world(), engine.workspace(), staging, read);
  if (files.format == Format::Parquet || files.files.empty()) {
    return std::nullopt;
  }
  const std::string value = files.format == Format::Json
                                ? "json_extract_string(json, " + json_path(column) + ")"
                                : quote_name(column);
  const db::ResultSet rows =
      staging.query("SELECT v FROM (SELECT " + value + " AS v FROM " +
                    raw_relation(read, files, files.files) + ") WHERE v IS NOT NULL LIMIT 1");
  return rows.rows.empty() ? std::nullopt : std::optional(db::to_text(rows.rows[0][0]));
}

std::vector<contracts::ShapeColumn> describe_files(const World& world, const Workspace& workspace,
                                                   db::Connection& duckdb, const ReadSpec& read) {
  const FileRead files = find_files(world, workspace, duckdb, read);
  if (files.files.empty()) {
    fail_no_file(codes::PZ0330, read, files);
  }
  std::vector<contracts::ShapeColumn> columns;
  const bool bare = files.format == Format::Json || !read.file.header.value_or(true);
  if (bare && !read.contract.empty() && size_of(files) == 0) {
    for (const contracts::ContractColumn& column :
         read.contract.columns) {  // nothing to compare with
      columns.push_back({column.source, contracts::type_name(column.type), std::nullopt});
    }
    return columns;
  }
  const std::vector<Described> described = describe(duckdb, detected_relation(read, files));
  refuse_single_field(duckdb, read, files, names_of(described));
  for (const Described& column : described) {
    columns.push_back(
        {column.name, contracts::type_name(contracts::duckdb_type(column.type)), std::nullopt});
  }
  return columns;
}

}  // namespace kedge::pipeline
