// Uses the code that the cpp pack made, and answers the runner: see run_packs.py for the commands.
#include <any>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>

#include "alpha/rows.hpp"
#include "alpha/tables.hpp"
#include "everything.hpp"
#include "kedge/startup_libpq.hpp"
#include "kedge/startup_sqlite.hpp"
#include "kedge_startup.hpp"

namespace {

// A row in memory: all that bind() and from_row() ask of a driver.
class Row {
 public:
  bool is_null(std::string_view column) const {
    return !cells_.at(std::string(column)).has_value();
  }
  template <class T>
  T get(std::string_view column) const {
    return std::any_cast<T>(cells_.at(std::string(column)));
  }
  template <class T>
  void set(std::string_view column, const T& value) {
    cells_[std::string(column)] = value;
  }
  void set_null(std::string_view column) { cells_[std::string(column)].reset(); }

 private:
  std::map<std::string, std::any> cells_;
};

void expect(bool condition, const char* what) {
  if (!condition) {
    throw std::runtime_error(std::string("not so: ") + what);
  }
}

void use() {
  generated::EveryRow row;
  row.id = 7;
  row.string_required = "x";
  row.enum_required = generated::EveryRowEnumRequired::SouthEast;
  row.date_field =
      std::chrono::year_month_day{std::chrono::year(2026), std::chrono::May, std::chrono::day(3)};
  row.bytes_field = std::vector<std::byte>{std::byte{1}};
  row.uuid_required.bytes[0] = 9;
  row.time_required.since_midnight = std::chrono::milliseconds(12);
  row.grade_again = generated::Grade::Void;
  Row cells;
  generated::bind(cells, row);
  expect(cells.get<std::string>("enum_required") == "south_east", "the stored text of an enum");
  generated::EveryRow back;
  generated::from_row(cells, back);
  expect(back.id == 7 && back.string_required == "x" && !back.string_field, "texts come back");
  expect(back.enum_required == row.enum_required && back.date_field == row.date_field,
         "values come back");
  expect(back.bytes_field == row.bytes_field && back.uuid_required == row.uuid_required,
         "bytes come back");
  expect(back.grade_again == generated::Grade::Void && !back.grade, "a shared enum comes back");
  cells.set("enum_required", std::string("elsewhere"));
  bool refused = false;
  try {
    generated::from_row(cells, back);
  } catch (const std::runtime_error& error) {
    refused = std::string(error.what()).find("enum_required") != std::string::npos;
  }
  expect(refused, "a text that is no member is refused, with its column");
  generated::EveryRowPatch patch;
  expect(!patch.string_field.has_value(), "an empty patch touches nothing");
  patch.string_field.emplace(std::nullopt);
  expect(patch.string_field.has_value() && !patch.string_field->has_value(),
         "a patch can set NULL");
  patch.string_required = "y";
  generated::Bed bed;
  bed.parts.emplace_back();
  bed.below = std::make_shared<generated::Bed>();
  bed.garden = std::make_shared<generated::Garden>();
  bed.garden->beds.emplace_back();
  expect(generated::tables::Odd::kTable == "an \"odd\" $table", "the name of a table");
  expect(generated::tables::Odd::kKeyColumn == "the \"key\" \\$k", "the name of a column");
}

void print(const kedge::StartupReport& report) {
  for (const kedge::StartupProblem& problem : report.problems) {
    std::printf("%s %s\n", problem.code.c_str(), problem.message.c_str());
  }
}

void run(const std::string& command, const std::string& argument) {
  const auto tables = generated::kedge_tables();
  if (command == "use") {
    use();
  } else if (command == "check") {
    print(kedge::check_startup(tables, kedge::model_file(argument)));
  } else if (command == "require") {
    kedge::require_startup(tables, kedge::model_file(argument));
    std::puts("started");
  } else if (command == "sqlite") {
    sqlite3* handle = nullptr;
    expect(sqlite3_open_v2(argument.c_str(), &handle, SQLITE_OPEN_READONLY, nullptr) == SQLITE_OK,
           "sqlite opens");
    print(kedge::check_startup_database(tables, handle));
    sqlite3_close(handle);
  } else if (command == "postgres") {
    PGconn* connection = PQconnectdb(argument.c_str());
    expect(PQstatus(connection) == CONNECTION_OK, PQerrorMessage(connection));
    print(kedge::check_startup_database(tables, connection));
    PQfinish(connection);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argv[1], argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
