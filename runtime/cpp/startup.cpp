#include "kedge/startup.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <cstdio>
#include <iterator>
#include <map>

#include "model_reader.hpp"

namespace kedge {
namespace {

void add(StartupReport& report, const char* code, std::string message) {
  report.problems.push_back({code, std::move(message)});
}

bool same_values(std::span<const std::string_view> ours, const std::vector<std::string>& theirs) {
  return std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end());
}

void compare_column(const std::string& at, const ColumnDescriptor& ours,
                    const model::Column& theirs, StartupReport& report) {
  if (ours.type != theirs.type) {
    add(report, "ERR_STARTUP_TYPE",
        at + " is " + theirs.type + " in the metadata, " + std::string(ours.type) + " in the code");
  }
  if (ours.nullable != theirs.nullable) {
    add(report, "ERR_STARTUP_NULL",
        at + (theirs.nullable ? " is nullable in the metadata, not in the code"
                              : " is not nullable in the metadata, but in the code"));
  }
  if (ours.key != theirs.key) {
    add(report, "ERR_STARTUP_KEY", at + " has another place in the primary key in the metadata");
  }
  if (!same_values(ours.values, theirs.values)) {
    add(report, "ERR_STARTUP_ENUM", at + " has other enum members in the metadata");
  }
  if (ours.length != theirs.length) {
    add(report, "ERR_STARTUP_LENGTH",
        at + " has length " + std::to_string(theirs.length) + " in the metadata, " +
            std::to_string(ours.length) + " in the code");
  }
}

void compare_table(const TableDescriptor& ours, const model::Entity& theirs,
                   StartupReport& report) {
  if (ours.table != theirs.table || ours.schema != theirs.schema) {
    add(report, "ERR_STARTUP_TABLE",
        std::string(ours.object) + ": table is " + theirs.schema +
            (theirs.schema.empty() ? "" : ".") + theirs.table + " in the metadata, " +
            std::string(ours.table) + " in the code");
  }
  std::map<std::string_view, const model::Column*> rest;
  for (const model::Column& column : theirs.columns) {
    rest[column.column] = &column;
  }
  for (const ColumnDescriptor& column : ours.columns) {
    const std::string at = std::string(ours.object) + ": column " + std::string(column.column);
    const auto found = rest.find(column.column);
    if (found == rest.end()) {
      add(report, "ERR_STARTUP_COLUMN_EXTRA", at + " is in the code, not in the metadata");
      continue;
    }
    compare_column(at, column, *found->second, report);
    rest.erase(found);
  }
  for (const auto& [name, column] : rest) {
    add(report, "ERR_STARTUP_COLUMN_MISSING",
        std::string(ours.object) + ": column " + std::string(name) +
            " is in the metadata, not in the code");
  }
}

}  // namespace

std::string StartupReport::text() const {
  std::string result;
  for (const StartupProblem& problem : problems) {
    result += (result.empty() ? "" : "\n") + problem.code + ": " + problem.message;
  }
  return result;
}

MetadataSource model_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return {"", path, "the model file '" + path + "' cannot be read"};
  }
  return {std::string(std::istreambuf_iterator<char>(file), {}), path, ""};
}

MetadataSource model_text(std::string json) {
  return {std::move(json), "model", ""};
}

StartupReport check_startup(std::span<const TableDescriptor> tables, const MetadataSource& source) {
  StartupReport report;
  std::vector<model::Entity> entities;
  std::string failure = source.failure;
  if (failure.empty() && !model::read(source.model_json, entities)) {
    failure = "the model '" + source.name + "' is not one that kedge model writes";
  }
  if (!failure.empty()) {
    add(report, "ERR_STARTUP_MODEL", failure);
    return report;
  }
  std::map<std::string_view, const model::Entity*> known;
  for (const model::Entity& entity : entities) {
    known[entity.object] = &entity;
  }
  for (const TableDescriptor& table : tables) {
    const auto found = known.find(table.object);
    if (found == known.end()) {
      add(report, "ERR_STARTUP_ENTITY_MISSING",
          std::string(table.object) + ": not in the metadata");
      continue;
    }
    compare_table(table, *found->second, report);
    known.erase(found);
  }
  for (const auto& [name, entity] : known) {
    add(report, "ERR_STARTUP_ENTITY_UNKNOWN",
        std::string(name) + ": in the metadata, not in the code");
  }
  return report;
}

void require_startup(const StartupReport& report) {
  const char* mode = std::getenv("KEDGE_STARTUP_CHECK");
  const std::string_view wanted = mode != nullptr ? mode : "enforce";
  if (report.ok() || wanted == "off") {
    return;
  }
  if (wanted == "warn") {
    std::fputs((report.text() + "\n").c_str(), stderr);
    return;
  }
  throw StartupDriftError(report);
}

void require_startup(std::span<const TableDescriptor> tables, const MetadataSource& source) {
  require_startup(check_startup(tables, source));
}

}  // namespace kedge
