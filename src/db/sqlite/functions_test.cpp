#include <gtest/gtest.h>

#include <cmath>

#include "db/sqlite/connector.h"

namespace kedge::db {
namespace {

class SqliteFunctionsTest : public testing::Test {
 protected:
  SqliteFunctionsTest() {
    ConnectionSettings settings;
    settings.connector = "sqlite";
    settings.options["path"] = ":memory:";
    settings.access = AccessMode::Create;
    connection_ = make_sqlite_connector()->connect(settings);
    connection_->execute(
        "CREATE TABLE t (x, y); INSERT INTO t VALUES (1, 2), (2, 4), (3, 5), (4, 4), (NULL, 9), "
        "(5, 5)");
  }
  Value one(const std::string& expression, const std::string& from = "t") {
    return connection_->query("SELECT " + expression + " FROM " + from).rows.at(0).at(0);
  }
  void expect(const std::string& expression, double value) {
    const Value result = one(expression);
    ASSERT_TRUE(std::holds_alternative<double>(result)) << expression;
    EXPECT_NEAR(std::get<double>(result), value, 1e-12) << expression;
  }
  std::unique_ptr<Connection> connection_;
};

TEST_F(SqliteFunctionsTest, ComputesOrderStatistics) {
  expect("median(x)", 3);
  expect("median(y)", 4.5);
  expect("percentile_cont(x, 0)", 1);
  expect("percentile_cont(x, 1)", 5);
  expect("percentile_cont(x, 0.3)", 2.2);
}

TEST_F(SqliteFunctionsTest, ComputesSpread) {
  expect("var_pop(x)", 2);
  expect("var_samp(x)", 2.5);
  expect("stddev_pop(x)", std::sqrt(2.0));
  expect("stddev_samp(x)", std::sqrt(2.5));
}

TEST_F(SqliteFunctionsTest, ComputesPairsWithoutNulls) {
  expect("covar_pop(x, y)", 1.2);
  expect("covar_samp(x, y)", 1.5);
  expect("corr(x, y)", 1.2 / std::sqrt(2 * 1.2));
}

TEST_F(SqliteFunctionsTest, ComputesLogarithmsAndPowers) {
  expect("ln(exp(1))", 1);
  expect("log10(1000)", 3);
  expect("log2(8)", 3);
  expect("log(2, 8)", 3);
  expect("log(100)", 2);
  expect("sqrt(2.25)", 1.5);
  expect("power(2, 10)", 1024);
}

TEST_F(SqliteFunctionsTest, GivesNullForNull) {
  for (const char* expression : {"ln(NULL)", "log10(NULL)", "log2(NULL)", "exp(NULL)", "sqrt(NULL)",
                                 "power(NULL, 1)", "power(1, NULL)", "log(NULL, 2)", "log(2, NULL)",
                                 "median(NULL)", "stddev_pop(NULL)", "corr(NULL, x)"}) {
    EXPECT_TRUE(is_null(one(expression))) << expression;
  }
}

TEST_F(SqliteFunctionsTest, GivesNullOutsideTheDomain) {
  for (const char* expression : {"ln(0)", "ln(-1)", "sqrt(-1)", "log(1, 5)", "log(-2, 5)"}) {
    EXPECT_TRUE(is_null(one(expression))) << expression;
  }
}

TEST_F(SqliteFunctionsTest, KnowsSmallSamples) {
  const std::string single = "(SELECT 7 AS x, 3 AS y)";
  for (const char* expression :
       {"var_samp(x)", "stddev_samp(x)", "covar_samp(x, y)", "corr(x, y)"}) {
    EXPECT_TRUE(is_null(one(expression, single))) << expression;
  }
  for (const char* expression : {"var_pop(x)", "stddev_pop(x)", "covar_pop(x, y)"}) {
    EXPECT_EQ(one(expression, single), Value(0.0)) << expression;
  }
  for (const char* expression : {"median(x)", "percentile_cont(x, 0.5)", "var_pop(x)",
                                 "stddev_pop(x)", "covar_pop(x, y)", "var_samp(x)"}) {
    EXPECT_TRUE(is_null(one(expression, "(SELECT 1 AS x, 1 AS y) WHERE 0"))) << expression;
  }
}

TEST_F(SqliteFunctionsTest, RefusesAFractionOutsideOfZeroToOne) {
  EXPECT_THROW(one("percentile_cont(x, 1.5)"), Error);
  EXPECT_THROW(one("percentile_cont(x, NULL)"), Error);
}

TEST_F(SqliteFunctionsTest, WorksPerGroup) {
  const ResultSet set = connection_->query(
      "SELECT x > 2, median(y) FROM t WHERE x IS NOT NULL GROUP BY 1 ORDER BY 1");
  EXPECT_EQ(set.rows.at(0).at(1), Value(3.0));
  EXPECT_EQ(set.rows.at(1).at(1), Value(5.0));
}

}  // namespace
}  // namespace kedge::db
