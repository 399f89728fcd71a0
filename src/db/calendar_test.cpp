#include <gtest/gtest.h>

#include "db/bulk.h"

namespace kedge::db {
namespace {

using schema::TypeKind;

TEST(CalendarTest, CountsDays) {
  EXPECT_EQ(parse_date("1970-01-01"), 0);
  EXPECT_EQ(parse_date("1969-12-31"), -1);
  EXPECT_EQ(parse_date("2000-02-29"), 11016);
  EXPECT_EQ(parse_date("2027-03-14"), 20891);
  EXPECT_EQ(parse_date("infinity"), kInfiniteDate);
  for (const char* text : {"2027-02-29", "2027-13-01", "2027-00-10", "2027-01-32", "27-01-01", "",
                           "2027-01-01x", "x", "2027-01"}) {
    EXPECT_FALSE(parse_date(text)) << text;
  }
}

TEST(CalendarTest, GivesEveryDayBack) {
  for (std::int64_t day = -800'000; day < 3'000'000; day += 1237) {
    EXPECT_EQ(parse_date(format_date(day)), day);
  }
  EXPECT_EQ(format_date(-719'528), "0001-01-01 BC");
}

TEST(CalendarTest, ReadsTimes) {
  EXPECT_EQ(parse_time("08:15"), 29'700'000'000);
  EXPECT_EQ(parse_time("08:15:02.000117"), 29'702'000'117);
  EXPECT_EQ(parse_time("24:00:00"), 86'400'000'000);
  EXPECT_EQ(parse_time("08:15:02.5000000"), 29'702'500'000);
  for (const char* text : {"24:00:01", "08:60", "8", "08:15:02.0000001", "08:15:02x"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
  EXPECT_EQ(format_time(29'702'000'117), "08:15:02.000117");
  EXPECT_EQ(format_time(29'702'500'000), "08:15:02.5");
}

TEST(CalendarTest, ReadsTimestampsWithAndWithoutZone) {
  const std::int64_t base = 20891 * 86'400'000'000;
  EXPECT_EQ(parse_timestamp("2027-03-14"), base);
  EXPECT_EQ(parse_timestamp("2027-03-14T08:15:02Z"), base + 29'702'000'000);
  EXPECT_EQ(parse_timestamp("2027-03-14 08:15:02+02"), base + 22'502'000'000);
  EXPECT_EQ(parse_timestamp("2027-03-14 08:15:02-03:30"), base + 42'302'000'000);
  EXPECT_EQ(parse_timestamp("-infinity"), -kInfinity);
  for (const char* text :
       {"2027-03-14 25:00", "2027-03-14X", "2027-03-14 08:15:02+2", "300000-01-01 00:00"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
  EXPECT_EQ(format_timestamp(-500'000), "1969-12-31 23:59:59.5");
}

TEST(ColumnChunkTest, TakesOnlyWhatFitsItsKind) {
  struct Case {
    TypeKind kind;
    Value good;
    Value bad;
  };
  for (const Case& test :
       {Case{TypeKind::Int8, std::int64_t{127}, std::int64_t{128}},
        Case{TypeKind::UInt32, "4294967295", "4294967296"}, Case{TypeKind::Int64, "7.0", "7.5"},
        Case{TypeKind::Boolean, "no", "maybe"}, Case{TypeKind::Boolean, true, std::int64_t{2}},
        Case{TypeKind::Real8, "1e3", "1e3x"},
        Case{TypeKind::Real8, std::int64_t{7}, std::int64_t{9007199254740993}},
        Case{TypeKind::Date, "2027-03-14", std::int64_t{7}},
        Case{TypeKind::Text, "x", Bytes{std::byte{1}}}}) {
    ColumnChunk column;
    column.start(test.kind);
    EXPECT_TRUE(add_value(column, test.good)) << to_text(test.good);
    EXPECT_FALSE(add_value(column, test.bad)) << to_text(test.bad);
    EXPECT_TRUE(add_value(column, Value()));
    EXPECT_EQ(column.valid.size(), 2U);
    EXPECT_TRUE(is_null(value_at(column, 1)));
  }
}

TEST(ColumnChunkTest, KnowsWhatATypeWouldRound) {
  ColumnChunk column;
  column.start(TypeKind::Numeric);
  add_value(column, Value("20.205"));
  add_value(column, Value("20.200"));
  schema::Type type;
  type.kind = TypeKind::Numeric;
  type.scale = 2;
  EXPECT_TRUE(would_round(column, 0, type, 6));
  EXPECT_FALSE(would_round(column, 1, type, 6));
  column.start(TypeKind::Timestamp);
  column.add_integer(1'500'000);
  type = {};
  type.kind = TypeKind::Timestamp;
  EXPECT_FALSE(would_round(column, 0, type, 6));
  EXPECT_TRUE(would_round(column, 0, type, 0));
}

}  // namespace
}  // namespace kedge::db
