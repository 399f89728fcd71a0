#include "pipeline/csv_fault.h"

#include <algorithm>
#include <array>

#include "base/file_system.h"
#include "base/text.h"
#include "kedge/codes.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

std::string header_of(db::Connection& duckdb, const std::string& file) {
  const db::ResultSet rows = duckdb.query("SELECT c FROM read_csv(" + quote_literal(file) +
                                          ", auto_detect = false, header = false, delim = '\x01', "
                                          "quote = '', escape = '', columns = {'c': 'VARCHAR'}) "
                                          "LIMIT 1");
  return rows.rows.empty() ? "" : db::to_text(rows.rows[0][0]);
}

std::string reading(const std::string& file, std::size_t fields, char delimiter) {
  std::string columns;
  for (std::size_t i = 0; i < fields; ++i) {
    columns += (i == 0 ? "'c" : ", 'c") + std::to_string(i) + "': 'VARCHAR'";
  }
  return "SELECT count(*) FROM (SELECT * FROM read_csv(" + quote_literal(file) +
         ", auto_detect = false, header = true, delim = " +
         quote_literal(std::string(1, delimiter)) + ", quote = '\"', escape = '\"', columns = {" +
         columns + "}))";
}

// "Invalid Input Error: CSV Error on Line: 3\nOriginal Line: ...\nExpected Number of Columns: 2
// Found: 3\nPossible fixes: ...": the number and what is wrong, without the line's own values.
std::string told(const std::string& message) {
  constexpr std::string_view kLine = "CSV Error on Line: ";
  constexpr std::array<std::string_view, 3> kWords = {"Expected Number of Columns", "Value with",
                                                      "Maximum line size"};
  std::string place;
  std::string why = "cannot be read";
  for (const std::string& line : base::split(message, '\n')) {
    if (const std::size_t at = line.find(kLine); at != std::string::npos && place.empty()) {
      place = "line " + line.substr(at + kLine.size());
    } else if (std::any_of(kWords.begin(), kWords.end(),
                           [&](std::string_view words) { return line.starts_with(words); })) {
      why = base::trim(line);
    }
  }
  return place.empty() ? "" : place + ": " + why;
}

}  // namespace

std::vector<std::string> csv_fields(const std::string& line, char delimiter) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == delimiter && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return fields;
}

void refuse_csv_fault(db::Connection& duckdb, const ReadSpec& read,
                      const std::vector<std::string>& files, char delimiter) {
  for (const std::string& file : files) {
    try {
      const std::size_t fields = csv_fields(header_of(duckdb, file), delimiter).size();
      duckdb.query(reading(file, fields, delimiter));
    } catch (const db::DatabaseError& error) {
      const std::string fault = told(error.driver_message());
      if (error.failure() != db::FailureClass::Cancelled && !fault.empty()) {
        throw Error(codes::PZ0804,
                    "entity '" + read.label + "': file " + base::file_name(file) + ", " + fault);
      }
    }
  }
}

}  // namespace kedge::pipeline
