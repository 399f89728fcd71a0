#include "query/compile.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "kedge/codes.h"
#include "models/reader.h"
#include "models/store.h"
#include "query/words.h"

namespace kedge::query {
namespace {

constexpr std::string_view kShipments = R"(
name: shipments
sql_table: logistics.shipments
default_time_dimension: booked_at
columns:
  - {name: id, type: INT, primary_key: true}
  - {name: depot_id, type: INT}
  - {name: "order", type: TEXT}
  - {name: kg, sql: gross_weight, type: DOUBLE}
  - {name: heavy, sql: gross_weight, type: DOUBLE, filter: "gross_weight > 1000"}
  - {name: tons, sql: "kg / 1000.0", type: DOUBLE}
  - {name: express, type: BOOLEAN}
  - {name: booked_at, type: TIMESTAMP}
measures:
  - {name: mean, formula: "kg:sum / *:count"}
joins:
  - {target_model: depots, join_pairs: [[depot_id, id]]}
filters: ["voided_at IS NULL"]
)";

constexpr std::string_view kDepots = R"(
name: depots
sql: "SELECT * FROM depots;"
columns:
  - {name: id, type: INT, primary_key: true}
  - {name: city, sql: '"City Name"', type: TEXT}
  - {name: capacity, type: INT}
)";

models::ModelSet make_models(SqlDialect dialect) {
  models::ModelSet set;
  for (const auto& [name, text] : {std::pair{"depots", kDepots}, {"shipments", kShipments}}) {
    auto loaded =
        models::load_model_text(std::string("models/main/") + name + ".yml",
                                base::replace_all(std::string(text), "\"City Name\"",
                                                  models::quote_name(dialect, "City Name")),
                                "main", dialect);
    EXPECT_TRUE(loaded.errors.empty()) << loaded.errors.front().message;
    set.existing.insert({"main", name});
    set.models.push_back(*std::move(loaded.model));
  }
  return set;
}

std::vector<models::Query> read_queries(const std::string& text, SqlDialect dialect) {
  const auto document = document::read_document("query", text, document::Format::Yaml);
  std::vector<models::Query> stages;
  for (const auto& node : document.root.items) {
    auto read = models::read_query(node, {"query", "main", dialect});
    EXPECT_TRUE(read.errors.empty()) << read.errors.front().message;
    stages.push_back(std::move(read.value));
  }
  return stages;
}

CompiledQuery compile_text(const std::string& text, SqlDialect dialect) {
  const models::ModelSet set = make_models(dialect);
  CompileRequest request{set, "main", dialect, read_queries(text, dialect), "", {}, 0};
  request.now_milliseconds = 1'710'000'000'000;  // 2024-03-09
  return compile(request);
}

// One list of stages each; together they use every word that differs between dialects.
const std::vector<std::string> kQueries = {
    R"q([{source_model: shipments, dimensions: [depots.city, order], measures: ["kg:sum", "heavy:sum", mean, "tons:avg", "express:sum", "kg:count_distinct_approx", "kg:stddev_pop"], filters: ["kg > 1", "kg:sum >= 10", "depots.city <> 'it''s'"], order: [{"kg:sum": desc}], limit: 5, offset: 10}])q",
    R"q([{source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: week}, {dimension: booked_at, granularity: week_sunday}, {dimension: booked_at, granularity: quarter}, {dimension: booked_at, granularity: hour}], measures: ["*:count"], offset: 3, whole_periods_only: true}])q",
    R"q([{source_model: shipments, dimensions: [order], measures: ["*:count", "depots.capacity:sum", "kg:last"], limit: 3}])q",
    R"q([{source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: month, date_range: ["2024-01-01", "2024-02-29"]}], measures: [{formula: "change(kg:sum)", name: delta}, {formula: "cumsum(kg:sum)", name: total}, {formula: "rank(kg:sum)", name: place}]}])q",
    R"q([{name: monthly, source_model: shipments, time_dimensions: [{dimension: booked_at, granularity: month}], measures: [{formula: "round(kg:sum / 3, 1) || ''", name: shown}]}, {source_model: monthly, measures: ["*:count"]}])q"};

std::string golden_text(SqlDialect dialect) {
  std::string out;
  for (const std::string& query : kQueries) {
    out += "-- " + query + "\n" + compile_text(query, dialect).sql + "\n\n";
  }
  return out;
}

TEST(CompileTest, MatchesTheGoldenTexts) {
  for (const SqlDialect dialect : {SqlDialect::Sqlite, SqlDialect::Duckdb, SqlDialect::Postgres,
                                   SqlDialect::Mysql, SqlDialect::Sqlserver, SqlDialect::Clickhouse,
                                   SqlDialect::Bigquery, SqlDialect::Snowflake}) {
    const std::string path =
        std::string(KEDGE_QUERY_GOLDEN) + "/" + models::to_string(dialect) + ".sql";
    const std::string actual = golden_text(dialect);
    if (std::getenv("KEDGE_UPDATE_GOLDENS") != nullptr) {
      EXPECT_EQ(std::getenv("CI"), nullptr);
      std::ofstream(path) << actual;
      continue;
    }
    std::stringstream expected;
    expected << std::ifstream(path).rdbuf();
    EXPECT_EQ(actual, expected.str()) << path;
  }
}

TEST(CompileTest, NamesTouchedModelsOnly) {
  const auto touched = [](const std::string& text) {
    return compile_text(text, SqlDialect::Sqlite).touched;
  };
  EXPECT_EQ(touched(R"([{source_model: shipments, measures: ["*:count"]}])"),
            std::vector<std::string>{"shipments"});
  EXPECT_EQ(touched(R"([{source_model: shipments, measures: ["depots.capacity:sum"]}])"),
            (std::vector<std::string>{"depots", "shipments"}));
}

// What a call is refused with; nothing for one that goes through.
template <typename Call>
Problem problem_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.problem();
  }
  return {codes::ERR_IO, "accepted", std::nullopt, {}, {}};
}

TEST(CompileTest, SaysUnsupportedAggregations) {
  for (const SqlDialect dialect :
       {SqlDialect::Mysql, SqlDialect::Sqlserver, SqlDialect::Bigquery}) {
    const Problem problem = problem_of(
        [&] { compile_text(R"([{source_model: shipments, measures: ["kg:median"]}])", dialect); });
    EXPECT_EQ(problem.code, codes::unsupported_aggregation) << models::to_string(dialect);
  }
}

// A model with `count` derived columns c0.. and measures m0..; `step` has the name before for {}.
Problem refused(const std::string& step, int count, const std::string& measure) {
  std::string columns = "  - {name: a, type: INT}\n  - {name: c0, sql: a + a, type: INT}\n";
  std::string measures = "  - {name: m0, formula: 'a:sum'}\n";
  for (int i = 1; i < count; ++i) {
    const std::string before = std::to_string(i - 1);
    columns += "  - {name: c" + std::to_string(i) + ", type: INT, sql: '" +
               base::replace_all(step, "{}", "c" + before) + "'}\n";
    measures += "  - {name: m" + std::to_string(i) + ", formula: '" +
                base::replace_all(step, "{}", "m" + before) + "'}\n";
  }
  auto loaded = models::load_model_text(
      "models/main/t.yml", "name: t\nsql_table: t\ncolumns:\n" + columns + "measures:\n" + measures,
      "main", SqlDialect::Sqlite);
  models::ModelSet set;
  set.existing.insert({"main", "t"});
  set.models.push_back(*std::move(loaded.model));
  const std::string query = "[{source_model: t, measures: ['" + measure + "']}]";
  CompileRequest request{
      set, "main", SqlDialect::Sqlite, read_queries(query, SqlDialect::Sqlite), "", {}, 0};
  return problem_of([&] { compile(request); });
}

TEST(CompileTest, RefusesWhatDoublesBeyondEverySize) {
  for (const int count : {26, 40, 200}) {
    const std::string last = std::to_string(count - 1);
    const Problem column = refused("{} + {}", count, "c" + last + ":sum");
    EXPECT_EQ(column.code, codes::formula_syntax);
    EXPECT_NE(column.message.find("beyond 1 MiB of SQL"), std::string::npos) << column.message;
    const Problem measure = refused("{} + {}", count, "m" + last);
    EXPECT_EQ(measure.code, codes::formula_syntax);
    EXPECT_NE(measure.message.find("measure 'm" + last + "' of the query grows beyond 100000"),
              std::string::npos)
        << measure.message;
  }
  EXPECT_EQ(refused("{} + {}", 12, "c11:sum").message, "accepted");
  EXPECT_EQ(refused("{} + {}", 12, "m11").message, "accepted");
}

TEST(CompileTest, RefusesWhatNestsBeyondEveryDepth) {
  EXPECT_EQ(refused("{} + 1", 500, "c499:sum").message, "accepted");
  EXPECT_EQ(refused("{} + 1", 500, "m499").message, "accepted");
  EXPECT_NE(refused("{} + 1", 3000, "c2999:sum").message.find("more than 1000 derived columns"),
            std::string::npos);
  EXPECT_NE(refused("{} + 1", 3000, "m2999").message.find("beyond 2000 levels"), std::string::npos);
}

Problem refusal(const std::string& text) {
  return problem_of([&] { compile_text(text, SqlDialect::Duckdb); });
}

TEST(CompileTest, SaysThatAMeasureIsNoColumn) {
  for (const std::string formula :
       {"mean:sum", "first(mean)", "shipments.mean:max", "kg:weighted_avg(weight=mean)"}) {
    const Problem problem = refusal(
        "[{source_model: shipments, time_dimensions: [{dimension: "
        "booked_at, granularity: day}], measures: ['" +
        formula + "']}]");
    EXPECT_EQ(problem.code, codes::unknown_reference) << formula;
    EXPECT_NE(problem.message.find("is a saved measure of 'shipments'"), std::string::npos)
        << problem.message;
  }
}

TEST(CompileTest, RefusesAPercentileBeyondOne) {
  for (const std::string p : {"2", "1.01", "95"}) {
    const Problem problem =
        refusal("[{source_model: shipments, measures: ['kg:percentile(p=" + p + ")']}]");
    EXPECT_EQ(problem.code, codes::formula_syntax);
    EXPECT_NE(problem.message.find("between 0 and 1, not " + p), std::string::npos);
  }
  for (const std::string p : {"0", "1", "0.95", "1.0"}) {
    EXPECT_EQ(
        refusal("[{source_model: shipments, measures: ['kg:percentile(p=" + p + ")']}]").message,
        "accepted");
  }
}

TEST(CompileTest, NamesUnnamedFormulasByTheirWords) {
  const auto key = [](const std::string& formula) {
    return compile_text(
               "[{source_model: shipments, time_dimensions: [{dimension: booked_at, "
               "granularity: day}], measures: ['" +
                   formula + "']}]",
               SqlDialect::Duckdb)
        .outputs.at(1)
        .key;
  };
  EXPECT_EQ(key("cumsum(*:count)"), "shipments.cumsum_count");
  EXPECT_EQ(key("round(kg:sum / 3, 1)"), "shipments.round_kg_sum_3_1");
  EXPECT_EQ(key("last(*:count)"), "shipments.last_count");
  EXPECT_EQ(key("1 + kg:sum"), "shipments._1_kg_sum");
  EXPECT_EQ(key("mean * 2"), "shipments.mean_2");
  EXPECT_EQ(key("kg:sum / *:count"), "shipments.kg_sum_count");
  EXPECT_EQ(key("kg:percentile(p=0.5)"), "shipments.kg_percentile_p_0_5");
}

TEST(CompileTest, NamesTheStagesOfACycleOnly) {
  const Problem problem = refusal(R"([{name: a, source_model: b, dimensions: [x]},
                                      {name: b, source_model: a, dimensions: [x]},
                                      {source_model: a, dimensions: [x]}])");
  EXPECT_EQ(problem.code, codes::stage_cycle);
  EXPECT_EQ(problem.message, "stages use each other: a -> b -> a");
}

// Models of one file each, whose circle is seen only when a query walks it.
Problem walked(const std::vector<std::pair<std::string, std::string>>& files,
               const std::string& query) {
  models::ModelSet set;
  for (const auto& [name, text] : files) {
    auto loaded = models::load_model_text(
        "models/main/" + name + ".yml", "name: " + name + "\n" + text, "main", SqlDialect::Sqlite);
    EXPECT_TRUE(loaded.errors.empty()) << loaded.errors.front().message;
    set.existing.insert({"main", name});
    set.models.push_back(*std::move(loaded.model));
  }
  const CompileRequest request{
      set, "main", SqlDialect::Sqlite, read_queries(query, SqlDialect::Sqlite), "", {}, 0};
  return problem_of([&] { compile(request); });
}

TEST(CompileTest, NamesTheModelsColumnsAndMeasuresOfACycleOnly) {
  const auto over = [](const std::string& source) {
    return "source_queries: [{source_model: " + source + ", dimensions: [x]}]\n";
  };
  const std::string columns =
      "sql_table: t\ncolumns: [{name: p, sql: q + 1}, {name: q, sql: r + 1}, {name: r, sql: q + "
      "0}]\n"
      "measures: [{name: m, formula: n}, {name: n, formula: n + 1}]\n";
  EXPECT_EQ(walked({{"a", over("b")}, {"b", over("c")}, {"c", over("b")}},
                   "[{source_model: a, dimensions: [x]}]")
                .message,
            "query-backed models use each other: b -> c -> b");
  EXPECT_EQ(walked({{"t", columns}}, "[{source_model: t, dimensions: [p]}]").message,
            "derived columns refer to each other: q -> r -> q");
  EXPECT_EQ(walked({{"t", columns}}, "[{source_model: t, measures: [m]}]").message,
            "measures refer to each other: n -> n");
}

TEST(CompileTest, SaysWhichLimitOfSizeIsPassed) {
  std::string columns =
      "  - {name: long, type: INT, sql: 'a + /*" + std::string(900'000, 'x') + "*/ 1'}\n";
  std::string wanted;
  for (int number = 0; number < 20; ++number) {
    const std::string name = "c" + std::to_string(number);
    columns += "  - {name: " + name + ", type: INT, sql: long + 1}\n";
    wanted += (number == 0 ? "'" : ", '") + name + ":sum'";
  }
  const Problem problem = walked({{"t", "sql_table: t\ncolumns:\n" + columns}},
                                 "[{source_model: t, measures: [" + wanted + "]}]");
  EXPECT_EQ(problem.code, codes::formula_syntax);
  EXPECT_NE(problem.message.find("of one statement come to more than 16 MiB of SQL"),
            std::string::npos)
      << problem.message;
}

// What is put into another column stands in the statement once, however many levels it went up.
TEST(CompileTest, CountsWhatTheStatementHas) {
  std::string columns = "  - {name: c0, type: INT, sql: a}\n";
  for (int number = 1; number < 600; ++number) {
    columns += "  - {name: c" + std::to_string(number) + ", type: INT, sql: 'c" +
               std::to_string(number - 1) + " + 0 /*" + std::string(110, 'x') + "*/'}\n";
  }
  EXPECT_EQ(walked({{"t", "sql_table: t\ncolumns:\n" + columns}},
                   "[{source_model: t, dimensions: [c599], measures: ['c598:sum', 'c597:max']}]")
                .message,
            "accepted");
}

TEST(CalendarTest, FindsPeriodsAndDays) {
  const std::int64_t sunday = 1'709'424'000'000;  // 2024-03-03
  EXPECT_EQ(start_of_period(sunday, Granularity::Week), "2024-02-26");
  EXPECT_EQ(start_of_period(sunday, Granularity::WeekSunday), "2024-03-03");
  EXPECT_EQ(start_of_period(sunday, Granularity::Quarter), "2024-01-01");
  EXPECT_EQ(start_of_period(-1, Granularity::Second), "1969-12-31 23:59:59");
  EXPECT_EQ(next_day("2024-02-28"), "2024-02-29");
  EXPECT_EQ(next_day("2023-02-29"), std::nullopt);
  EXPECT_EQ(next_day("2024-02-28 10:00:00"), std::nullopt);
  EXPECT_EQ(shift_date("2024-03-31", -1, Granularity::Month), "2024-02-29");
  EXPECT_EQ(shift_date("2024-01-01", -1, Granularity::Week), "2023-12-25");
}

TEST(SubstituteTest, KeepsValuesInTheirPlace) {
  const Variables values{{"s", document::Json("o'k")},
                         {"n", document::Json(std::int64_t{5})},
                         {"l", document::Json::array()}};
  const FindVariable find = [&](const std::string& name) -> const document::Json* {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  };
  EXPECT_EQ(substitute("a = {s} and b > {n}", find), "a = 'o''k' and b > 5");
  EXPECT_EQ(substitute("a = 'x{s}'", find), "a = 'xo''k'");
  EXPECT_EQ(substitute("a = 'x{{s}}'", find), "a = 'x{s}'");
  EXPECT_EQ(substitute("a in {l}", find), "a in (null)");
  EXPECT_THROW(substitute("{gone}", find), Error);
}

TEST(WordsTest, QuotesWhatWouldChange) {
  EXPECT_EQ(name(SqlDialect::Postgres, "amount"), "amount");
  EXPECT_EQ(name(SqlDialect::Postgres, "Amount"), "\"Amount\"");
  EXPECT_EQ(name(SqlDialect::Sqlite, "Amount"), "Amount");
  EXPECT_EQ(name(SqlDialect::Mysql, "rank"), "`rank`");
  EXPECT_EQ(name(SqlDialect::Snowflake, "amount"), "\"amount\"");
  EXPECT_EQ(quote(SqlDialect::Sqlserver, "a]b"), "[a]]b]");
  EXPECT_EQ(key_alias(SqlDialect::Bigquery, "a.b"), "`a___b`");
  EXPECT_EQ(literal(SqlDialect::Mysql, "a\\'b"), "'a\\\\''b'");
}

}  // namespace
}  // namespace kedge::query
