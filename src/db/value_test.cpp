#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "db/connection.h"
#include "db/failure.h"
#include "db/sql_text.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

TEST(ValueTest, BecomesText) {
  EXPECT_EQ(to_text(Value()), "");
  EXPECT_EQ(to_text(Value(true)), "true");
  EXPECT_EQ(to_text(Value(std::int64_t{-7})), "-7");
  EXPECT_EQ(to_text(Value(0.1)), "0.1");
  EXPECT_EQ(to_text(Value(1e300)), "1e+300");
  EXPECT_EQ(to_text(Value(std::nan(""))), "NaN");
  EXPECT_EQ(to_text(Value(-std::numeric_limits<double>::infinity())), "-Infinity");
  EXPECT_EQ(to_text(Value(Bytes{std::byte{0}, std::byte{255}})), "\\x00ff");
}

TEST(ValueTest, BecomesAnIntegerOnlyWithoutLoss) {
  EXPECT_EQ(to_integer(Value("12.000")), 12);
  EXPECT_EQ(to_integer(Value(" +7 ")), 7);
  EXPECT_EQ(to_integer(Value(3.0)), 3);
  for (const Value& value : {Value("12.5"), Value("x"), Value(""), Value(3.5), Value(1e19), Value(),
                             Value("9223372036854775808"), Value(std::nan(""))}) {
    EXPECT_FALSE(to_integer(value));
  }
}

TEST(ValueTest, IsTrueForTheWordsOfEveryServer) {
  for (const Value& value : {Value(true), Value("t"), Value("TRUE"), Value("1"), Value("yes"),
                             Value(std::int64_t{2}), Value(Bytes{std::byte{1}})}) {
    EXPECT_TRUE(to_boolean(value));
  }
  for (const Value& value : {Value(), Value(false), Value("f"), Value("no"), Value(""),
                             Value(std::int64_t{0}), Value(Bytes{std::byte{0}})}) {
    EXPECT_FALSE(to_boolean(value));
  }
}

TEST(LeadingWordTest, SkipsBlanksCommentsAndParentheses) {
  EXPECT_EQ(leading_word(" -- x\n /* y */ ((select 1))"), "SELECT");
  EXPECT_EQ(leading_word("# x\nwith"), "WITH");
  EXPECT_EQ(leading_word("/*! SET x = 1 */ SELECT 1"), "/*!");
  EXPECT_EQ(leading_word("/* open"), "");
  EXPECT_EQ(leading_word(""), "");
}

TEST(SqlTextTest, KnowsOneStatementFromTwo) {
  for (const char* sql : {"SELECT 1", "SELECT ';'", "SELECT 1; -- end;",
                          "SELECT \"a;b\"; /* ; */ ;", "SELECT [a;b]", "SELECT 'it''s;'"}) {
    EXPECT_TRUE(is_single_statement(sql)) << sql;
  }
  for (const char* sql : {"SELECT 1; DROP TABLE t", "SELECT 1;'x'", "SELECT ''; SELECT 2"}) {
    EXPECT_FALSE(is_single_statement(sql)) << sql;
  }
  EXPECT_EQ(without_semicolon(" SELECT 1 ; ; "), "SELECT 1");
}

TEST(FailureTest, HidesSecretsInEveryPart) {
  ConnectionSettings settings;
  settings.name = "main";
  settings.secrets = {"hush"};
  try {
    throw_failure(settings, {codes::ERR_CONNECT,
                             "no hush",
                             "driver: hush",
                             FailureClass::Connection,
                             "X1",
                             "hint hush",
                             {"detail hush"}});
  } catch (const DatabaseError& error) {
    std::string all = error.problem().message + error.problem().hint;
    for (const Note& note : error.problem().notes) {
      all += note.text;
    }
    EXPECT_EQ(all.find("hush"), std::string::npos);
    EXPECT_EQ(error.driver_message(), "driver: ***");
    EXPECT_EQ(error.native_code(), "X1");
  }
}

TEST(FailureTest, GivesEachClassItsCode) {
  ConnectionSettings settings;
  const auto code_of = [&](FailureClass failure) {
    try {
      throw_statement_failure(settings, "x", failure, "");
    } catch (const DatabaseError& error) {
      EXPECT_EQ(error.failure(), failure);
      return error.code();
    }
  };
  EXPECT_EQ(code_of(FailureClass::Timeout), codes::ERR_TIMEOUT);
  EXPECT_EQ(code_of(FailureClass::Cancelled), codes::ERR_CANCELLED);
  EXPECT_EQ(code_of(FailureClass::Connection), codes::ERR_CONNECT);
  EXPECT_EQ(code_of(FailureClass::Schema), codes::ERR_STATEMENT);
}

TEST(FailureTest, RefusesANumberOfSecondsThatIsNone) {
  ConnectionSettings settings;
  settings.options = {{"a", "1.5"}, {"b", "soon"}, {"c", "-1"}};
  EXPECT_EQ(seconds_of(settings, "a", 9), 1.5);
  EXPECT_EQ(seconds_of(settings, "missing", 9), 9);
  EXPECT_THROW(seconds_of(settings, "b", 9), Error);
  EXPECT_THROW(seconds_of(settings, "c", 9), Error);
}

}  // namespace
}  // namespace kedge::db
