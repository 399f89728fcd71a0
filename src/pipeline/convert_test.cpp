#include "pipeline/convert.h"

#include <gtest/gtest.h>

#include "contracts/type_name.h"
#include "db/duckdb/connector.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

constexpr std::string_view kRefused = "refused";

// Converts in DuckDB itself, and asks that the value and the condition agree about what is bad.
class ConvertTest : public testing::Test {
 protected:
  ConvertTest() {
    db::ConnectionSettings settings;
    settings.name = "main";
    settings.connector = "duckdb";
    settings.options["path"] = ":memory:";
    settings.access = db::AccessMode::Create;
    duckdb_ = db::make_duckdb_connector()->connect(settings);
  }

  std::string converted(const std::string& value, const std::string& from, const std::string& to) {
    const Conversion conversion =
        convert("v", contracts::duckdb_type(from), contracts::duckdb_type(to));
    const std::string row = " FROM (SELECT unnest([CAST(" + value + " AS " + from +
                            "), NULL]) AS v) WHERE v IS NOT NULL";
    const std::string failure = conversion.failure.empty() ? "false" : conversion.failure;
    const bool bad =
        db::to_boolean(duckdb_->query("SELECT coalesce(" + failure + ", false)" + row).rows[0][0]);
    try {
      const std::string text = db::to_text(
          duckdb_->query("SELECT CAST(" + conversion.value + " AS VARCHAR)" + row).rows[0][0]);
      EXPECT_FALSE(bad) << value << " as " << to << " gave " << text;
      return text;
    } catch (const db::DatabaseError& error) {
      // SQL that is wrong in itself refuses nothing.
      EXPECT_NE(error.failure(), db::FailureClass::Schema) << error.what();
      EXPECT_TRUE(bad) << value << " as " << to;
      return std::string(kRefused);
    }
  }
  std::string of_text(const std::string& text, const std::string& to) {
    return converted(quote_literal(text), "VARCHAR", to);
  }

  std::unique_ptr<db::Connection> duckdb_;
};

TEST_F(ConvertTest, TakesRealsOfTextUnlessTheyLeaveTheRange) {
  EXPECT_EQ(of_text("0.1", "DOUBLE"), "0.1");
  EXPECT_EQ(of_text("1e308", "DOUBLE"), "1e+308");
  EXPECT_EQ(of_text("1e309", "DOUBLE"), kRefused);
  EXPECT_EQ(of_text("1e-400", "DOUBLE"), kRefused);
  EXPECT_EQ(of_text("0e-400", "DOUBLE"), "0.0");
  EXPECT_EQ(of_text("0e5", "FLOAT"), "0.0");
  EXPECT_EQ(of_text("-Infinity", "DOUBLE"), "-inf");
  EXPECT_EQ(of_text("nan", "FLOAT"), "nan");
  EXPECT_EQ(of_text("1e39", "FLOAT"), kRefused);
  EXPECT_EQ(of_text("1" + std::string(39, '0'), "FLOAT"), kRefused);
  EXPECT_EQ(of_text("0." + std::string(60, '0') + "1", "FLOAT"), kRefused);
  EXPECT_EQ(of_text("0." + std::string(60, '0'), "FLOAT"), "0.0");
  EXPECT_EQ(of_text("abc", "DOUBLE"), kRefused);
}

TEST_F(ConvertTest, RoundsNoNumber) {
  EXPECT_EQ(of_text("20.20", "DECIMAL(9,2)"), "20.20");
  EXPECT_EQ(of_text("20.200", "DECIMAL(9,2)"), "20.20");
  EXPECT_EQ(of_text("20.205", "DECIMAL(9,2)"), kRefused);
  EXPECT_EQ(of_text("1.2e1", "DECIMAL(9,2)"), "12.00");
  EXPECT_EQ(of_text("1.2345e1", "DECIMAL(9,2)"), kRefused);
  EXPECT_EQ(of_text("1.0", "INTEGER"), "1");
  EXPECT_EQ(of_text("1.5", "INTEGER"), kRefused);
  EXPECT_EQ(of_text("2147483648", "INTEGER"), kRefused);
  EXPECT_EQ(of_text("1234567890123456789e-1", "BIGINT"), kRefused);
  EXPECT_EQ(of_text("1.23456789012345678915e10", "DECIMAL(38,9)"), kRefused);
  EXPECT_EQ(of_text("1.2345678901234567891e10", "DECIMAL(38,9)"), "12345678901.234567891");
  EXPECT_EQ(converted("1.25", "DECIMAL(9,2)", "DECIMAL(9,1)"), kRefused);
  EXPECT_EQ(converted("2.5", "DOUBLE", "BIGINT"), kRefused);
  EXPECT_EQ(converted("2", "DOUBLE", "BIGINT"), "2");
}

TEST_F(ConvertTest, RoundsNoNumberInsideOfAnother) {
  EXPECT_EQ(of_text("[1.25, 2]", "DECIMAL(9,2)[]"), "[1.25, 2.00]");
  EXPECT_EQ(of_text("[1.250]", "DECIMAL(9,2)[]"), "[1.25]");
  EXPECT_EQ(of_text("[1.255]", "DECIMAL(9,2)[]"), kRefused);
  EXPECT_EQ(of_text("[1.255e1]", "DECIMAL(9,2)[]"), "[12.55]");
  EXPECT_EQ(of_text("[123456789012345.678]", "DECIMAL(18,2)[]"), kRefused);
  EXPECT_EQ(of_text("[1.23456789012345678915e10]", "DECIMAL(38,9)[]"), kRefused);
  EXPECT_EQ(of_text("[12345678901234567890.123456789]", "DECIMAL(38,9)[]"),
            "[12345678901234567890.123456789]");
  const std::string mixed = "STRUCT(a DECIMAL(9,2), b DOUBLE, c VARCHAR)";
  EXPECT_EQ(of_text(R"({"a": 1.25, "b": 0.12345, "c": "2.3456"})", mixed),
            "{'a': 1.25, 'b': 0.12345, 'c': 2.3456}");
  EXPECT_EQ(of_text(R"({"a": 1.255, "b": 0.5, "c": "x"})", mixed), kRefused);
  const std::string two = "STRUCT(a DECIMAL(9,2), b DECIMAL(9,4))";
  EXPECT_EQ(of_text(R"({"a": 1.25, "b": 1.2345})", two), "{'a': 1.25, 'b': 1.2345}");
  EXPECT_EQ(of_text(R"({"a": 1.255, "b": 1.2345})", two), kRefused);
  EXPECT_EQ(of_text(R"({"a": 1.25, "b": 1.23456})", two), kRefused);
}

TEST_F(ConvertTest, AltersNoPartOfAnother) {
  EXPECT_EQ(of_text("[1, 2.0, null]", "INTEGER[]"), "[1, 2, NULL]");
  EXPECT_EQ(of_text("[1, 2.5]", "INTEGER[]"), kRefused);
  EXPECT_EQ(of_text("[1, null, 2.5]", "INTEGER[]"), kRefused);
  EXPECT_EQ(of_text(R"({"a": 1.5})", "MAP(VARCHAR, INTEGER)"), kRefused);
  EXPECT_EQ(of_text(R"({"1.5": "x"})", "MAP(INTEGER, VARCHAR)"), kRefused);
  EXPECT_EQ(of_text("{a=1.5}", "MAP(VARCHAR, INTEGER)"), kRefused);
  EXPECT_EQ(of_text(R"([{"a": [1.5]}])", "STRUCT(a INTEGER[])[]"), kRefused);
  EXPECT_EQ(of_text(R"(["2027-03-14 08:15:02"])", "DATE[]"), kRefused);
  EXPECT_EQ(of_text(R"(["2027-03-14 08:15:02.1234567"])", "TIMESTAMP[]"), kRefused);
  EXPECT_EQ(of_text("[1e309]", "DOUBLE[]"), kRefused);
  EXPECT_EQ(of_text("[2147483648]", "INTEGER[]"), kRefused);
  EXPECT_EQ(converted("[1, 2.5]", "DOUBLE[]", "INTEGER[]"), kRefused);
  EXPECT_EQ(converted("[1, 2, NULL]", "DOUBLE[]", "INTEGER[]"), "[1, 2, NULL]");
  EXPECT_EQ(converted("MAP {'a': 1.55}", "MAP(VARCHAR, DOUBLE)", "MAP(VARCHAR, DECIMAL(4,1))"),
            kRefused);
  EXPECT_EQ(converted("MAP {1.5: 'a'}", "MAP(DOUBLE, VARCHAR)", "MAP(INTEGER, VARCHAR)"), kRefused);
  EXPECT_EQ(converted("{'b': TIMESTAMP '2027-03-14 08:15:02', 'a': 1}",
                      "STRUCT(b TIMESTAMP, a INTEGER)", "STRUCT(a BIGINT, b DATE)"),
            kRefused);
  EXPECT_EQ(converted("{'b': TIMESTAMP '2027-03-14 00:00:00', 'a': 1}",
                      "STRUCT(b TIMESTAMP, a INTEGER)", "STRUCT(a BIGINT, b DATE)"),
            "{'a': 1, 'b': 2027-03-14}");
  EXPECT_EQ(converted("{'a': 1}", "STRUCT(a INTEGER)", "STRUCT(a INTEGER, gone INTEGER)"),
            kRefused);
}

TEST_F(ConvertTest, BlanksNoOtherShape) {
  const std::string wanted = "STRUCT(a DECIMAL(30,5), b VARCHAR)";
  EXPECT_EQ(of_text("\"text\"", wanted), kRefused);
  EXPECT_EQ(of_text("text", wanted), kRefused);
  EXPECT_EQ(of_text("[1]", wanted), kRefused);
  EXPECT_EQ(of_text(R"({"a": 1})", wanted), "{'a': 1.00000, 'b': NULL}");
  EXPECT_EQ(of_text("[[1, 2], [3, 4]]", "INTEGER[]"), kRefused);
  EXPECT_EQ(of_text(R"({"a": 1})", "INTEGER[]"), kRefused);
  EXPECT_EQ(of_text("[1]", "MAP(VARCHAR, INTEGER)"), kRefused);
  EXPECT_EQ(of_text(R"([{"a": "x"}, "y"])", "STRUCT(a VARCHAR)[]"), kRefused);
}

TEST_F(ConvertTest, CutsNoTime) {
  EXPECT_EQ(of_text("2027-03-14T08:15:02.123456", "TIMESTAMP"), "2027-03-14 08:15:02.123456");
  EXPECT_EQ(of_text("2027-03-14 08:15:02.1234567", "TIMESTAMP"), kRefused);
  EXPECT_EQ(of_text("2027-03-14 08:15:02+02", "TIMESTAMP"), "2027-03-14 06:15:02");
  EXPECT_EQ(of_text("2027-03-14 00:00:00", "DATE"), "2027-03-14");
  EXPECT_EQ(of_text("2027-03-14 08:15:02", "DATE"), kRefused);
  EXPECT_EQ(of_text("08:15:02.1234567", "TIME"), kRefused);
}

}  // namespace
}  // namespace kedge::pipeline
