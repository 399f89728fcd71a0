#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "schema/snapshot.h"

namespace kedge::schema {
namespace {

Name name(const char* schema, const char* text) {
  return {Identifier(schema), Identifier(text)};
}

Type type(TypeKind kind, const char* native) {
  Type made;
  made.kind = kind;
  made.native = native;
  return made;
}

// Every field of every value differs from its default.
Column full_column() {
  Column column;
  column.name = Identifier("c \"1\"");
  column.type = type(TypeKind::Array, "citext[]");
  column.type.element.push_back(type(TypeKind::Native, "citext"));
  column.nullable = false;
  column.default_value = Default{Default::Kind::Literal, "it's"};
  column.identity = Identity{Identity::Kind::Always, 5, 2, -1, 100, 7, true, "s"};
  column.generated = Generated{"a + 1", false};
  column.collation = "C";
  column.comment = "line 1\nline 2";
  column.options = {{"charset", "utf8mb4"}, {"on_update", "current_timestamp()"}};
  return column;
}

Index full_index() {
  Index index;
  index.name = Identifier("i");
  index.parts = {IndexPart{Identifier("a"), "", false, NullsOrder::Default, "", "", std::nullopt},
                 IndexPart{Identifier("b"), "", true, NullsOrder::Last, "C", "text_ops", 3},
                 IndexPart{{}, "lower(c)", false, NullsOrder::First, "", "", std::nullopt}};
  index.unique = true;
  index.where = "a > 0";
  index.method = "gin";
  index.include = {Identifier("d")};
  index.nulls_not_distinct = true;
  index.constraint = Index::Constraint::Exclude;
  index.deferrable = true;
  index.initially_deferred = true;
  index.exclusion = "EXCLUDE USING gist (a WITH =)";
  index.valid = false;
  index.generated_name = true;
  index.options = {{"fillfactor", "70"}};
  index.comment = "index";
  return index;
}

ForeignKey full_foreign_key() {
  ForeignKey key;
  key.name = Identifier("f");
  key.columns = {Identifier("a"), Identifier("b")};
  key.referenced_table = name("other", "r");
  key.referenced_columns = {Identifier("x"), Identifier("y")};
  key.on_delete = ReferentialAction::SetNull;
  key.on_update = ReferentialAction::Cascade;
  key.set_columns = {Identifier("a")};
  key.match_full = true;
  key.deferrable = true;
  key.initially_deferred = true;
  key.validated = false;
  key.comment = "fk";
  return key;
}

Check full_check() {
  return {Identifier("ck"), "a IN ('x', 'y')", Identifier("a"), {"x", "y"}, false, true, false,
          "check"};
}

Table full_table() {
  Table table;
  table.name = name("app", "t");
  table.columns = {full_column()};
  table.primary_key =
      PrimaryKey{Identifier("pk"), {Identifier("a")}, true, true, {Identifier("b")}, "key"};
  table.indexes = {full_index()};
  table.foreign_keys = {full_foreign_key()};
  table.checks = {full_check()};
  table.comment = "table";
  table.options = {{"strict", "true"}};
  table.partition = Partition{"RANGE (a)", name("", "p"), "DEFAULT"};
  table.inherits = {name("", "base"), name("x", "base")};
  table.row_security = true;
  table.force_row_security = true;
  table.unlogged = true;
  table.rows_estimate = 12;
  return table;
}

View full_view() {
  View view;
  view.name = name("app", "v");
  view.materialized = true;
  view.body = "SELECT 1";
  view.columns = {ViewColumn{Identifier("a"), type(TypeKind::Int32, "integer"), "column"}};
  view.indexes = {full_index()};
  view.comment = "view";
  view.fingerprint = std::string(64, 'a');
  view.definition_hash = std::string(64, 'b');
  view.stamp = "kedge:v1";
  view.depends_on = {name("", "t")};
  view.dependents = {Dependent{name("", "w"), "view", true}};
  view.options = {{"check_option", "local"}};
  return view;
}

Schema full_schema() {
  Schema schema;
  schema.engine = {Dialect::Postgres, "PostgreSQL", "15.18", 15};
  schema.default_schema = Identifier("public");
  schema.namespaces = {Namespace{Identifier("app"), "space"}};
  schema.tables = {full_table()};
  schema.views = {full_view()};
  schema.sequences = {Sequence{name("app", "s"), type(TypeKind::Int64, "bigint"), 3, -2, -100, 50,
                               20, true, name("app", "t"), Identifier("a"), "sequence"}};
  schema.enums = {EnumType{name("app", "mood"), {"sad", "ok", "it's"}, "enum"}};
  schema.domains = {DomainType{name("app", "d"),
                               type(TypeKind::Text, "text"),
                               false,
                               Default{Default::Kind::Expression, "now()"},
                               "C",
                               {full_check()},
                               "domain"}};
  schema.composites = {CompositeType{
      name("app", "pair"), {ViewColumn{Identifier("x"), type(TypeKind::Real8, ""), ""}}, "pair"}};
  schema.objects = {DefinedObject{ObjectKind::Trigger,
                                  name("app", "tr"),
                                  "(integer)",
                                  name("app", "t"),
                                  "CREATE TRIGGER ...",
                                  "trigger",
                                  {name("", "f")},
                                  {{"enabled", "disabled"}}}};
  schema.unmodelled = {Unmodelled{"foreign table", name("app", "ft")}};
  return schema;
}

std::string message_of(const std::string& text) {
  try {
    read_snapshot("s.json", text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_SNAPSHOT_CORRUPT);
    EXPECT_TRUE(error.problem().where.has_value());
    return kedge::to_string(error.problem().where.value_or(Position{})) + " " + error.what();
  }
  return "read";
}

TEST(SnapshotTest, EveryPartSurvivesTheRoundTrip) {
  const Schema schema = full_schema();
  EXPECT_EQ(read_snapshot("s.json", write_snapshot(schema)), schema);
}

TEST(SnapshotTest, AnEmptySchemaSurvivesTheRoundTrip) {
  EXPECT_EQ(read_snapshot("s.json", write_snapshot({})), Schema{});
}

TEST(SnapshotTest, EverySubtypeSurvivesTheRoundTrip) {
  Schema schema;
  schema.tables.emplace_back().name = name("", "t");
  for (int kind = 0; kind <= static_cast<int>(TypeKind::Native); ++kind) {
    Column column;
    column.name = Identifier("c" + std::to_string(kind));
    column.type = type(static_cast<TypeKind>(kind), "");
    schema.tables[0].columns.push_back(column);
    column.type.native = "some spelling";
    column.type.precision = 3;
    schema.tables[0].columns.push_back(column);
    column.type.length = 4;
    column.type.labels = {"a", "b'"};
    schema.tables[0].columns.push_back(column);
  }
  EXPECT_EQ(read_snapshot("s.json", write_snapshot(schema)), schema);
}

TEST(SnapshotTest, KeysAreSortedAndBytesAreStable) {
  const std::string text = write_snapshot(full_schema());
  EXPECT_EQ(text, write_snapshot(full_schema()));
  EXPECT_EQ(text.find("rows"), std::string::npos);
  EXPECT_LT(text.find("\"composites\""), text.find("\"format\": \"kedge-schema/1\""));
  EXPECT_LT(text.find("\"format\""), text.find("\"tables\""));
  EXPECT_EQ(text.back(), '\n');
}

TEST(SnapshotTest, AColumnReadsAsTheSpecificationShowsIt) {
  Column column;
  column.name = Identifier("draught");
  column.type = *parse_canonical("numeric(5,2)");
  const std::string text = document::write_json(to_json(column), -1);
  EXPECT_EQ(text, "{\"name\":\"draught\",\"type\":\"numeric(5,2)\",\"nullable\":true}");
}

TEST(SnapshotTest, RefusesBadFilesWithTheirPosition) {
  EXPECT_TRUE(
      message_of("{\"format\": \"kedge-schema/1\",\n<<<<<<< ours\n").starts_with("s.json:2:"));
  EXPECT_TRUE(message_of("").starts_with("s.json"));
  EXPECT_TRUE(message_of("[]").starts_with("s.json:1:1 "));
  EXPECT_NE(message_of(R"({"format": "kedge-schema/9"})").find("'kedge-schema/9' is not known"),
            std::string::npos);
}

TEST(SnapshotTest, RefusesUnknownMembersAndWrongTypesWithTheirPosition) {
  const auto with_table = [](const std::string& table) {
    return "{\"format\": \"kedge-schema/1\", \"engine\": {\"dialect\": \"sqlite\"},\n \"tables\": "
           "[" +
           table + "]}";
  };
  EXPECT_EQ(message_of(with_table("")), "read");
  EXPECT_NE(message_of(with_table(R"({"name": "t", "columns": [], "colour": 1})"))
                .find("s.json:2:42 the snapshot cannot be read: 'colour' is no member"),
            std::string::npos);
  EXPECT_NE(message_of(with_table(R"({"name": 1, "columns": []})")).find("a string is expected"),
            std::string::npos);
  EXPECT_NE(message_of(with_table(R"({"columns": []})")).find("'name' is missing"),
            std::string::npos);
  EXPECT_NE(
      message_of(
          with_table(
              R"({"name": "t", "columns": [{"name": "a", "type": "varchar", "nullable": true}]})"))
          .find("'varchar' is no canonical type"),
      std::string::npos);
}

TEST(FingerprintTest, SeesShapeAndNotVersionsOrEstimates) {
  const Schema schema = full_schema();
  Schema other = schema;
  other.engine.version = "16.1";
  other.engine.major = 16;
  other.tables[0].rows_estimate = 99;
  EXPECT_EQ(fingerprint(schema), fingerprint(other));
  EXPECT_EQ(fingerprint(schema).size(), 64U);
  other.tables[0].columns[0].nullable = true;
  EXPECT_NE(fingerprint(schema), fingerprint(other));
}

}  // namespace
}  // namespace kedge::schema
