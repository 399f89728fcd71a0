#include <gtest/gtest.h>

#include "kedge/schema.h"

namespace kedge::schema {
namespace {

Table table(const char* schema, const char* name) {
  Table made;
  made.name = {Identifier(schema), Identifier(name)};
  return made;
}

Column column(const char* name) {
  Column made;
  made.name = Identifier(name);
  return made;
}

TEST(NormaliseTest, SortsTablesBySchemaThenNameAndKeepsColumnOrder) {
  Schema schema;
  schema.tables = {table("b", "a"), table("", "z"), table("b", "0"), table("", "a")};
  schema.tables[0].columns = {column("z"), column("a")};
  normalise(schema);
  std::vector<std::string> names;
  for (const Table& made : schema.tables) {
    names.push_back(to_string(made.name));
  }
  EXPECT_EQ(names, (std::vector<std::string>{"a", "z", "b.0", "b.a"}));
  EXPECT_EQ(find_table(schema, {Identifier("b"), Identifier("a")})->columns[0].name.text(), "z");
}

TEST(NormaliseTest, IsIdempotent) {
  Schema schema;
  schema.tables = {table("", "t")};
  for (const char* name : {"c", "a", "b"}) {
    Check check;
    check.name = Identifier(name);
    schema.tables[0].checks.push_back(check);
    Index index;
    index.name = Identifier(name);
    schema.tables[0].indexes.push_back(index);
  }
  normalise(schema);
  const Schema once = schema;
  normalise(schema);
  EXPECT_EQ(schema, once);
  EXPECT_EQ(schema.tables[0].indexes[0].name.text(), "a");
}

TEST(NormaliseTest, FindsByExactName) {
  Schema schema;
  schema.tables = {table("", "Orders"), table("", "orders")};
  normalise(schema);
  EXPECT_NE(find_table(schema, {{}, Identifier("Orders")}), nullptr);
  EXPECT_EQ(find_table(schema, {{}, Identifier("ORDERS")}), nullptr);
  EXPECT_EQ(find_view(schema, {{}, Identifier("Orders")}), nullptr);
}

TEST(SchemaTest, RowsEstimateIsNoPartOfTheShape) {
  Table few = table("", "t");
  Table many = few;
  many.rows_estimate = 1000;
  EXPECT_EQ(few, many);
  many.unlogged = true;
  EXPECT_FALSE(few == many);
}

}  // namespace
}  // namespace kedge::schema
