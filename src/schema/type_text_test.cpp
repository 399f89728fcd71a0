#include <gtest/gtest.h>

#include "kedge/type.h"

namespace kedge::schema {
namespace {

Type make(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

TEST(TypeTextTest, EveryCanonicalTextReadsBackAsItself) {
  for (const std::string_view text : {"boolean",
                                      "int8",
                                      "int16",
                                      "int32",
                                      "int64",
                                      "int128",
                                      "uint8",
                                      "uint64",
                                      "real4",
                                      "real8",
                                      "numeric",
                                      "numeric(5,2)",
                                      "text",
                                      "text(12)",
                                      "char(3)",
                                      "blob",
                                      "blob(16)",
                                      "bit(8)",
                                      "date",
                                      "time",
                                      "time(3)",
                                      "time(tz)",
                                      "timestamp",
                                      "timestamp(3)",
                                      "timestamp(tz)",
                                      "timestamp(tz,3)",
                                      "interval",
                                      "uuid",
                                      "json",
                                      "inet",
                                      "array(text)",
                                      "array(numeric(5,2))",
                                      "array(array(int32))",
                                      "enum('a','it''s',',')",
                                      "native(citext)",
                                      "unknown"}) {
    const std::optional<Type> type = parse_canonical(text);
    ASSERT_TRUE(type) << text;
    EXPECT_EQ(to_string(*type), text);
  }
}

TEST(TypeTextTest, RefusesWhatIsNoCanonicalText) {
  for (const std::string_view text : {"", "varchar", "text()", "text(x)", "text(12", "numeric(5,)",
                                      "boolean(1)", "array(foo)", "enum('a)", "text(-1)"}) {
    EXPECT_FALSE(parse_canonical(text)) << text;
  }
}

TEST(TypeTextTest, NamedTypesPrintTheSpellingOfTheServer) {
  Type mood = make(TypeKind::Enum);
  mood.native = "mood";
  EXPECT_EQ(to_string(mood), "native(mood)");
  Type email = make(TypeKind::Domain);
  email.native = "app.email";
  email.element.push_back(make(TypeKind::Text));
  EXPECT_EQ(to_string(email), "native(app.email)");
}

TEST(TypeTextTest, NumericWithoutScaleHasScaleZero) {
  Type type = make(TypeKind::Numeric);
  type.precision = 7;
  EXPECT_EQ(to_string(type), "numeric(7,0)");
}

TEST(TypeTextTest, ZoneIsPartOfTheText) {
  EXPECT_EQ(to_string(make(TypeKind::TimestampTz)), "timestamp(tz)");
  EXPECT_EQ(parse_canonical("timestamp(tz)")->kind, TypeKind::TimestampTz);
  EXPECT_EQ(parse_canonical("time(tz,6)")->kind, TypeKind::TimeTz);
}

}  // namespace
}  // namespace kedge::schema
