#include "app/simulate.h"

#include <gtest/gtest.h>

#include "kedge/error.h"

namespace kedge::app {
namespace {

using schema::Name;

schema::Table table(const char* name, const std::vector<const char*>& columns) {
  schema::Table made;
  made.name.name = Identifier(name);
  for (const char* text : columns) {
    schema::Column column;
    column.name = Identifier(text);
    column.type.kind = schema::TypeKind::Int64;
    made.columns.push_back(column);
  }
  return made;
}

schema::View view(const char* name, const char* body) {
  schema::View made;
  made.name.name = Identifier(name);
  made.body = body;
  return made;
}

schema::Schema yard() {
  schema::Schema shape;
  shape.engine.dialect = schema::Dialect::Postgres;
  shape.default_schema = Identifier("public");
  shape.tables = {table("berths", {"id", "code"}), table("moorings", {"id", "berth_id", "fee"})};
  schema::ForeignKey key;
  key.columns = {Identifier("berth_id")};
  key.referenced_table.name = Identifier("berths");
  key.referenced_columns = {Identifier("id")};
  shape.tables[1].foreign_keys.push_back(key);
  shape.views = {view("v_fees", "SELECT m.berth_id, sum(m.fee) AS fees FROM moorings m GROUP BY 1"),
                 view("v_top", "SELECT fees FROM v_fees"),
                 view("v_codes", "SELECT b.code FROM berths b")};
  schema::normalise(shape);
  return shape;
}

Simulation run(const Step& step) {
  return simulate(yard(), {step});
}
Name table_name(const char* text) {
  return {Identifier(), Identifier(text)};
}

TEST(Simulate, ANewTypeReachesTheViewsThatHandItOn) {
  schema::Schema shape = yard();
  schema::ViewColumn code;
  code.name = Identifier("code");
  code.type.kind = schema::TypeKind::Int64;
  schema::View above = view("v_above", "SELECT code, 1 AS id FROM v_codes");
  schema::View other = view("v_other", "SELECT m.fee AS code FROM moorings m");
  for (schema::View* each : {&above, &other}) {
    each->columns = {code};
    shape.views.push_back(*each);
  }
  for (schema::View& each : shape.views) {
    if (each.name.name.text() == "v_codes") {
      each.columns = {code};
    }
  }
  schema::normalise(shape);
  const Simulation result =
      simulate(shape, {RetypeColumn{table_name("berths"), Identifier("code"), "text"}});
  const auto kind_of = [&](const char* name) {
    return schema::find_view(result.after, table_name(name))->columns.at(0).type.kind;
  };
  EXPECT_EQ(kind_of("v_codes"), schema::TypeKind::Text);
  EXPECT_EQ(kind_of("v_above"), schema::TypeKind::Text);
  EXPECT_EQ(kind_of("v_other"), schema::TypeKind::Int64);
}

// The yard with views whose columns are known, as the dialect keeps them.
schema::Schema known_yard(schema::Dialect dialect) {
  schema::Schema shape = yard();
  shape.engine.dialect = dialect;
  shape.views = {
      view("v_all", "SELECT * FROM berths"),
      view("v_alias", "SELECT code AS c FROM berths"),
      view("v_bare", "SELECT b.id, b.code FROM berths b JOIN moorings m ON m.berth_id = b.id"),
      view("v_over_all", "SELECT * FROM v_all"),
      view("v_over_bare", "SELECT x.code FROM v_bare x"),
      view("v_own", "SELECT m.id FROM moorings m JOIN berths b ON b.id = m.berth_id")};
  const std::vector<std::vector<const char*>> columns = {{"id", "code"}, {"c"},    {"id", "code"},
                                                         {"id", "code"}, {"code"}, {"id"}};
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const char* name : columns[i]) {
      schema::ViewColumn column;
      column.name = Identifier(name);
      column.type.kind = schema::TypeKind::Int64;
      shape.views[i].columns.push_back(column);
    }
  }
  schema::normalise(shape);
  return shape;
}

// "v_all(id, code) v_alias(c)": the views that are left.
std::string views_after(schema::Dialect dialect, const Step& step) {
  std::string text;
  for (const schema::View& view : simulate(known_yard(dialect), {step}).after.views) {
    text += (text.empty() ? "" : " ") + to_string(view.name) + "(";
    for (const schema::ViewColumn& column : view.columns) {
      text += (text.back() == '(' ? "" : ", ") + column.name.text();
    }
    text += ")";
  }
  return text;
}

TEST(Simulate, ARenameIsWrittenIntoTheViewsOfSqlite) {
  const RenameColumn code{table_name("berths"), Identifier("code"), Identifier("sign")};
  EXPECT_EQ(views_after(schema::Dialect::Sqlite, code),
            "v_alias(c) v_all(id, sign) v_bare(id, sign) v_over_all(id, sign) v_own(id)");
  EXPECT_EQ(views_after(schema::Dialect::Postgres, code),
            "v_alias(c) v_all(id, code) v_bare(id, code) v_over_all(id, code) v_over_bare(code) "
            "v_own(id)");
  EXPECT_EQ(views_after(schema::Dialect::Duckdb, code), "v_own(id)");
  const RenameColumn id{table_name("berths"), Identifier("id"), Identifier("no")};
  EXPECT_EQ(views_after(schema::Dialect::Sqlite, id),
            "v_alias(c) v_all(no, code) v_bare(no, code) v_over_all(no, code) v_over_bare(code) "
            "v_own(id)");
}

TEST(Simulate, AStarOfSqliteLosesTheColumnAlone) {
  const DropColumn code{table_name("berths"), Identifier("code")};
  EXPECT_EQ(views_after(schema::Dialect::Sqlite, code), "v_all(id) v_over_all(id) v_own(id)");
  EXPECT_EQ(views_after(schema::Dialect::Duckdb, code), "v_own(id)");
}

TEST(Simulate, DuckdbRefusesAViewWhoseColumnsHaveOtherTypes) {
  const RetypeColumn code{table_name("berths"), Identifier("code"), "text"};
  EXPECT_EQ(views_after(schema::Dialect::Duckdb, code), "v_own(id)");
}

TEST(Simulate, ADroppedColumnBreaksTheViewsThatReadItAndThoseAboveThem) {
  const Simulation result = run(DropColumn{table_name("moorings"), Identifier("fee")});
  ASSERT_EQ(result.broken.size(), 2U);
  EXPECT_EQ(to_string(result.broken[0].view), "v_fees");
  EXPECT_EQ(result.broken[0].column.text(), "fee");
  EXPECT_EQ(to_string(result.broken[1].view), "v_top");
  EXPECT_EQ(to_string(result.broken[1].because), "v_fees");
  EXPECT_EQ(result.after.views.size(), 1U);
}

TEST(Simulate, AColumnOfTheSameNameElsewhereIsAnotherColumn) {
  const Simulation result = run(DropColumn{table_name("moorings"), Identifier("id")});
  EXPECT_TRUE(result.broken.empty());
}

TEST(Simulate, ADroppedKeyColumnTakesTheForeignKeysOnIt) {
  const Simulation result = run(DropColumn{table_name("berths"), Identifier("id")});
  EXPECT_TRUE(schema::find_table(result.after, table_name("moorings"))->foreign_keys.empty());
}

TEST(Simulate, ARenameFollowsIntoForeignKeysAndPostgresViews) {
  const Simulation result =
      run(RenameColumn{table_name("berths"), Identifier("id"), Identifier("berth_no")});
  const schema::Table* moorings = schema::find_table(result.after, table_name("moorings"));
  EXPECT_EQ(moorings->foreign_keys[0].referenced_columns[0].text(), "berth_no");
  EXPECT_TRUE(result.broken.empty());
}

TEST(Simulate, ARenameFollowsIntoChecks) {
  schema::Schema shape = yard();
  schema::Check check;
  check.name = Identifier("fee_chk");
  check.expression = "fee > 0 AND fee < 100";
  shape.tables[1].checks.push_back(check);
  schema::normalise(shape);
  const Simulation result = simulate(
      shape, {RenameColumn{table_name("moorings"), Identifier("fee"), Identifier("price")}});
  EXPECT_EQ(schema::find_table(result.after, table_name("moorings"))->checks[0].expression,
            R"("price" > 0 AND "price" < 100)");
}

TEST(Simulate, NamesAreFoundOrTheNearestIsSaid) {
  EXPECT_EQ(parse_column(yard(), "public.moorings.FEE").column.text(), "fee");
  try {
    parse_column(yard(), "moorings.fees");
    FAIL() << "a column that is not there was found";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "table 'moorings' has no column 'fees', did you mean 'fee'?");
  }
  EXPECT_THROW(parse_column(yard(), "moorings"), Error);
}

TEST(Simulate, WhatNoChangeIsAboutStaysAsItWas) {
  const schema::Schema before = yard();
  schema::Schema other = yard();  // as a snapshot tells it: less, and with types of its own
  std::erase_if(other.tables,
                [](const schema::Table& table) { return table.name.name == Identifier("berths"); });
  other.views.clear();
  for (schema::Column& column : other.tables[0].columns) {
    column.type.native = "spelled otherwise";
  }
  const schema::Schema same = keep_unchanged(before, other, {});
  EXPECT_EQ(same.views.size(), before.views.size());
  ASSERT_NE(schema::find_table(same, table_name("berths")), nullptr);
  EXPECT_EQ(*schema::find_table(same, table_name("moorings")),
            *schema::find_table(before, table_name("moorings")));
  const schema::Table& berths = *schema::find_table(before, table_name("berths"));
  const schema::Schema dropped = keep_unchanged(before, other, {change::DropTable{berths}});
  EXPECT_EQ(schema::find_table(dropped, table_name("berths")), nullptr);
}

TEST(Simulate, AColumnThatAChangeTakesStaysAway) {
  const schema::Schema before = yard();
  schema::Schema other = before;
  const schema::Table& moorings = *schema::find_table(before, table_name("moorings"));
  const schema::Column fee = *schema::find_column(moorings, Identifier("fee"));
  for (schema::Table& table : other.tables) {
    std::erase_if(table.columns,
                  [&](const schema::Column& column) { return column.name == fee.name; });
  }
  const schema::Schema after =
      keep_unchanged(before, other, {change::DropColumn{moorings.name, fee}});
  EXPECT_EQ(schema::find_column(*schema::find_table(after, moorings.name), fee.name), nullptr);
  EXPECT_NE(schema::find_column(
                *schema::find_table(keep_unchanged(before, other, {}), moorings.name), fee.name),
            nullptr);
}

}  // namespace
}  // namespace kedge::app
