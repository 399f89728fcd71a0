#include "dialect/known_types.h"

#include <gtest/gtest.h>

namespace kedge::dialect {
namespace {

schema::Schema shape_of(schema::Dialect dialect) {
  schema::Schema shape;
  shape.engine.dialect = dialect;
  shape.default_schema = Identifier(dialect == schema::Dialect::Duckdb ? "main" : "public");
  return shape;
}

void install(schema::Schema& shape, const char* extension) {
  schema::DefinedObject object;
  object.kind = schema::ObjectKind::Extension;
  object.name.name = Identifier(extension);
  shape.objects.push_back(object);
}

TEST(KnownTypes, OfTheDialects) {
  const schema::Schema postgres = shape_of(schema::Dialect::Postgres);
  for (const char* known : {"integer", "varchar(12)", "numeric(5,2)[]", "TIMESTAMP WITH TIME ZONE",
                            "money", "pg_catalog.int4range", "interval day to second"}) {
    EXPECT_FALSE(find_unknown_type(postgres, known)) << known;
  }
  EXPECT_EQ(find_unknown_type(postgres, " nosuchtype "), "nosuchtype");
  EXPECT_EQ(find_unknown_type(postgres, "nosuchtype[]"), "nosuchtype");
  EXPECT_EQ(find_unknown_type(postgres, "varchr(12)"), "varchr(12)");
  const schema::Schema mysql = shape_of(schema::Dialect::Mysql);
  EXPECT_FALSE(find_unknown_type(mysql, "set('a','b')"));
  EXPECT_FALSE(find_unknown_type(mysql, "decimal(5,2) unsigned"));
  EXPECT_TRUE(find_unknown_type(mysql, "bytea"));
  const schema::Schema duckdb = shape_of(schema::Dialect::Duckdb);
  EXPECT_FALSE(find_unknown_type(duckdb, "STRUCT(a INTEGER)"));
  EXPECT_FALSE(find_unknown_type(duckdb, "HUGEINT[]"));
  EXPECT_TRUE(find_unknown_type(duckdb, "HUGEINTS"));
  EXPECT_FALSE(find_unknown_type(shape_of(schema::Dialect::Sqlite), "anything goes"));
}

TEST(KnownTypes, OfTheDatabase) {
  schema::Schema shape = shape_of(schema::Dialect::Postgres);
  EXPECT_TRUE(find_unknown_type(shape, "mood"));
  EXPECT_TRUE(find_unknown_type(shape, "citext"));
  shape.enums.push_back({{Identifier(), Identifier("mood")}, {"calm"}, ""});
  EXPECT_FALSE(find_unknown_type(shape, "mood"));
  EXPECT_FALSE(find_unknown_type(shape, "public.\"mood\"[]"));
  install(shape, "plpgsql");
  install(shape, "citext");
  EXPECT_FALSE(find_unknown_type(shape, "public.citext"));
  EXPECT_TRUE(find_unknown_type(shape, "ltree"));
  install(shape, "somebodys");
  EXPECT_FALSE(find_unknown_type(shape, "ltree")) << "an extension that kedge has no list of";
}

}  // namespace
}  // namespace kedge::dialect
