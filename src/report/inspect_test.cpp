#include "report/inspect.h"

#include <gtest/gtest.h>

namespace kedge::report {
namespace {

schema::Column column(const char* name, const char* native) {
  schema::Column made;
  made.name = Identifier(name);
  made.type.native = native;
  return made;
}

// vessel (id), log (vessel_id -> vessel.id, "a \"b\"")
schema::Schema two_tables() {
  schema::Schema schema;
  schema::Table log;
  log.name.name = Identifier("log \"x\"");
  log.columns = {column("vessel_id", "integer"), column("a \"b\"", "character varying(3)")};
  schema::ForeignKey key;
  key.name = Identifier("log_vessel");
  key.columns = {Identifier("vessel_id")};
  key.referenced_table.name = Identifier("vessel");
  key.referenced_columns = {Identifier("id")};
  key.on_delete = schema::ReferentialAction::Cascade;
  log.foreign_keys = {key};
  schema::Table vessel;
  vessel.name.name = Identifier("vessel");
  vessel.columns = {column("id", "integer")};
  vessel.columns[0].nullable = false;
  vessel.primary_key = schema::PrimaryKey{};
  vessel.primary_key->columns = {Identifier("id")};
  schema.tables = {log, vessel};
  schema::normalise(schema);
  return schema;
}

// What a terminal obeys, and a line end that would look like the end of the object.
TEST(InspectTextTest, NamesAreShownAndNotObeyed) {
  app::InspectResult result;
  result.source.schema = two_tables();
  result.source.schema.tables[0].name.name = Identifier("a\x1b[31m\ntable b");
  result.source.schema.tables[0].columns[0].name = Identifier("c\rd");
  const std::string text = inspect_text(result);
  EXPECT_EQ(text.find('\x1b'), std::string::npos) << text;
  EXPECT_EQ(text.find('\r'), std::string::npos) << text;
  EXPECT_EQ(text.find("\ntable b"), std::string::npos) << text;
  EXPECT_NE(text.find("a\\x1b[31m\\ntable b"), std::string::npos) << text;
}

TEST(DiagramTest, MermaidNamesEveryEntityByALabelAndTellsKeys) {
  EXPECT_EQ(inspect_mermaid(two_tables()),
            "erDiagram\n"
            "  t0[\"log 'x'\"] {\n"
            "    integer vessel_id FK\n"
            "    character_varying_3_ a__b_ \"a 'b'\"\n"
            "  }\n"
            "  t1[\"vessel\"] {\n"
            "    integer id PK\n"
            "  }\n"
            "  t1 |o--o{ t0 : \"vessel_id\"\n");
}

TEST(DiagramTest, MermaidTellsOneToOneAndMandatoryReferences) {
  schema::Schema schema = two_tables();
  schema.tables[0].columns[0].nullable = false;
  schema.tables[0].primary_key = schema::PrimaryKey{};
  schema.tables[0].primary_key->columns = {Identifier("vessel_id")};
  const std::string text = inspect_mermaid(schema);
  EXPECT_NE(text.find("integer vessel_id PK, FK\n"), std::string::npos);
  EXPECT_NE(text.find("  t1 ||--o| t0 : "), std::string::npos);
}

TEST(DiagramTest, DotEscapesNamesAndPointsFromColumnToColumn) {
  schema::Schema schema = two_tables();
  schema.tables[0].columns[1].name = Identifier("<&>");
  const std::string text = inspect_dot(schema);
  EXPECT_NE(text.find("<b>log &quot;x&quot;</b>"), std::string::npos);
  EXPECT_NE(text.find("&lt;&amp;&gt; character varying(3)"), std::string::npos);
  EXPECT_NE(text.find("  t0:c0 -> t1:c0 [tooltip=\"log_vessel\"];\n"), std::string::npos);
}

TEST(InspectTextTest, ShowsColumnsKeysAndReferences) {
  app::InspectResult result;
  result.source.shown = "sqlite:a.db";
  result.source.schema = two_tables();
  const std::string text = inspect_text(result);
  EXPECT_NE(text.find("sqlite:a.db: ansi, 2 tables, 0 views\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  id  integer not null\n  primary key (id)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  foreign key log_vessel (vessel_id) -> vessel (id) on delete cascade\n"),
            std::string::npos)
      << text;
}

TEST(InspectJsonTest, IsOneDocumentWithTheSnapshotInIt) {
  app::InspectResult result;
  result.source.schema = two_tables();
  const document::Json json = inspect_json(result);
  EXPECT_EQ(*json.find("command")->as_string(), "inspect");
  EXPECT_EQ(*json.find("schema")->find("format")->as_string(), "kedge-schema/1");
  EXPECT_EQ(json.find("schema")->find("tables")->as_array()->size(), 2U);
}

}  // namespace
}  // namespace kedge::report
