// The start-up check of generated code (kedge-runtime): do the tables that the code was generated
// from still agree with the metadata, and with the live database? A service calls require_startup()
// before it serves anything. No dependency but the standard library; adapters for sqlite3 and libpq
// are in startup_sqlite.hpp and startup_libpq.hpp.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kedge {

struct ColumnDescriptor {
  std::string_view field;
  std::string_view column;
  std::string_view type;  // neutral: "long", "string", "enum", ...
  bool nullable = true;
  int key = 0;  // place in the primary key, 0 = none
  std::span<const std::string_view> values;
  int length = 0;
};

struct TableDescriptor {
  std::string_view object;
  std::string_view schema;
  std::string_view table;
  bool view = false;
  std::span<const ColumnDescriptor> columns;
};

struct StartupProblem {
  std::string code;  // "ERR_STARTUP_TYPE", ...
  std::string message;
};

struct StartupReport {
  std::vector<StartupProblem> problems;
  bool ok() const { return problems.empty(); }
  std::string text() const;  // one line a problem
};

class StartupDriftError : public std::runtime_error {
 public:
  explicit StartupDriftError(StartupReport report)
      : std::runtime_error(report.text()), report_(std::move(report)) {}
  const StartupReport& report() const { return report_; }

 private:
  StartupReport report_;
};

// A resolved model: the text of `kedge model`, or why there is none.
struct MetadataSource {
  std::string model_json;
  std::string name;  // for messages
  std::string failure;
};
MetadataSource model_file(const std::string& path);
MetadataSource model_text(std::string json);

StartupReport check_startup(std::span<const TableDescriptor> tables, const MetadataSource& source);

// --- against the live database
enum class DatabaseEngine { Sqlite, Postgres };
using CatalogRow = std::vector<std::optional<std::string>>;
using CatalogQuery = std::function<std::vector<CatalogRow>(const std::string& sql)>;
StartupReport check_startup_database(std::span<const TableDescriptor> tables, DatabaseEngine engine,
                                     const CatalogQuery& query);

// Throws StartupDriftError when the report has problems. The environment variable
// KEDGE_STARTUP_CHECK=warn writes them to standard error instead, =off looks away.
void require_startup(const StartupReport& report);
void require_startup(std::span<const TableDescriptor> tables, const MetadataSource& source);

}  // namespace kedge
