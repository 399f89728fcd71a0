#include "metadata/expected.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "kedge/codes.h"
#include "metadata/load.h"

namespace kedge::metadata {
namespace {

using schema::Dialect;

constexpr const char* kHarbour = R"(package: harbour
children:
  - object.entity:
      name: Berth
      children:
        - source.rdb: {}
        - field.long: id
        - field.string: { name: code, required: true, maxLength: 8, unique: true }
        - field.enum: { name: side, values: [NORTH, SOUTH], default: NORTH, required: true }
        - field.decimal: { name: lengthM, precision: 6, scale: 2 }
        - identity.primary: { fields: id, generation: increment }
        - relationship.composition: { name: moorings, objectRef: Mooring, cardinality: many }
  - object.entity:
      name: Mooring
      children:
        - source.rdb: {}
        - field.long: id
        - field.long: { name: berthId, required: true }
        - field.timestamp: { name: since, required: true, autoSet: onCreate }
        - identity.primary: { fields: id, generation: increment }
        - identity.reference: { name: atBerth, fields: berthId, references: Berth }
        - index.lookup: { name: idx_moorings_since, fields: [since], orders: [desc] }
  - object.projection:
      name: BerthLoad
      children:
        - source.rdb: { kind: view, view: v_berth_load }
        - field.long: { name: id, extends: Berth.id }
        - field.string: { name: code, extends: Berth.code }
        - field.long:
            name: mooringCount
            children: [ { origin.aggregate: { agg: count, of: Mooring.id, via: Berth.moorings } } ]
        - identity.primary: { extends: Berth.primary }
)";

Model load(const std::string& text) {
  LoadResult result = load_texts({{"a.yaml", text}}, {});
  for (const Diagnostic& each : result.diagnostics) {
    EXPECT_FALSE(each.is_error()) << each.finding.problem.message;
  }
  return std::move(result.model);
}

Expected expect(const std::string& text, Dialect dialect) {
  return build_expected(load(text), dialect);
}

// `#` begins a comment for mysql, and $$ is no quote there.
TEST(ExpectedTest, EachDialectReadsOneExpressionItsOwnWay) {
  const auto problems = [](const std::string& field, Dialect dialect) {
    const Expected expected = expect(
        "package: p\nchildren:\n  - object.entity:\n      name: Tab\n      children:\n"
        "        - source.rdb: {}\n        - field.long: id\n        - " +
            field + "\n        - identity.primary: { fields: id }\n",
        dialect);
    return expected.diagnostics.size();
  };
  const std::string hash = "field.int: { name: n, default: { sql: '0 # 1' } }";
  EXPECT_EQ(problems(hash, Dialect::Mysql), 1U);
  EXPECT_EQ(problems(hash, Dialect::Postgres), 0U);
  const std::string dollars = "field.string: { name: n, default: { sql: '$$; drop table x; $$' } }";
  EXPECT_EQ(problems(dollars, Dialect::Postgres), 0U);
  EXPECT_EQ(problems(dollars, Dialect::Sqlite), 1U);
}

TEST(ExpectedTest, GivesTheTablesOfTheWorkedExample) {
  const Expected expected = expect(kHarbour, Dialect::Postgres);
  EXPECT_TRUE(expected.diagnostics.empty());
  ASSERT_EQ(expected.schema.tables.size(), 2U);
  const schema::Table& berths = expected.schema.tables[0];
  ASSERT_EQ(berths.columns.size(), 4U);
  EXPECT_EQ(berths.columns[3].name.text(), "length_m");
  EXPECT_EQ(schema::to_string(berths.columns[3].type), "numeric(6,2)");
  EXPECT_TRUE(berths.columns[0].identity.has_value());
  EXPECT_FALSE(berths.columns[0].nullable);
  EXPECT_EQ(berths.primary_key->name.text(), "berths_pkey");
  EXPECT_EQ(berths.indexes[0].name.text(), "berths_code_unique");
  EXPECT_EQ(berths.checks[0].name.text(), "berths_side_chk");
  EXPECT_EQ(berths.checks[0].expression, "\"side\" IN ('NORTH', 'SOUTH')");
  const schema::Table& moorings = expected.schema.tables[1];
  EXPECT_EQ(moorings.columns[2].default_value->value, "now()");
  EXPECT_EQ(moorings.foreign_keys[0].name.text(), "moorings_berth_id_fk");
  EXPECT_EQ(moorings.foreign_keys[0].on_delete, schema::ReferentialAction::Cascade);
  EXPECT_EQ(moorings.foreign_keys[0].on_update, schema::ReferentialAction::Cascade);
  EXPECT_TRUE(moorings.indexes[0].parts[0].descending);
}

TEST(ExpectedTest, ComputesEachToManyPathInItsOwnDerivedTable) {
  const Expected expected = expect(kHarbour, Dialect::Postgres);
  ASSERT_EQ(expected.schema.views.size(), 1U);
  EXPECT_EQ(expected.schema.views[0].body,
            "SELECT\n  b.\"id\" AS \"id\",\n  b.\"code\" AS \"code\",\n"
            "  COALESCE(a1.c1, 0) AS \"mooring_count\"\nFROM \"berths\" b\n"
            "LEFT JOIN (SELECT m1.\"berth_id\" AS k1, COUNT(m1.\"id\") AS c1 FROM \"moorings\" m1 "
            "GROUP BY m1.\"berth_id\") a1 ON a1.k1 = b.\"id\"");
  EXPECT_EQ(expected.schema.views[0].fingerprint, view_fingerprint(expected.schema.views[0].body));
}

// "a OR b = FALSE" would be another condition, "a > 5 = TRUE" is none.
TEST(ExpectedTest, AFilterOverAComputedFieldComparesTheWholeExpression) {
  constexpr const char* kShallow = R"(package: p
children:
  - object.entity:
      name: Berth
      children:
        - source.rdb: {}
        - field.long: id
        - field.int: depth
        - identity.primary: { fields: id, generation: increment }
  - object.projection:
      name: Shallow
      filter: { deep: false }
      children:
        - source.rdb: { kind: view, view: v_shallow }
        - field.long: { name: id, extends: Berth.id }
        - field.boolean:
            name: deep
            children:
              - origin.computed:
                  expr: { op: or, args: [ { op: gt, left: { field: depth }, right: { value: 5 } }, { op: isNull, arg: { field: depth } } ] }
        - identity.primary: { extends: Berth.primary }
)";
  for (const auto& [dialect, no] :
       {std::pair{Dialect::Postgres, "FALSE"}, {Dialect::Sqlite, "0"}}) {
    const Expected expected = expect(kShallow, dialect);
    ASSERT_EQ(expected.schema.views.size(), 1U);
    const std::string& body = expected.schema.views[0].body;
    EXPECT_NE(
        body.find("WHERE ((b.\"depth\" > 5) OR ((b.\"depth\") IS NULL)) = " + std::string(no)),
        std::string::npos)
        << body;
  }
}

TEST(ExpectedTest, RefusesImpliedActionsOnDuckdb) {
  const Expected expected = expect(kHarbour, Dialect::Duckdb);
  ASSERT_TRUE(expected.has_errors());
  EXPECT_EQ(expected.diagnostics[0].finding.problem.code, codes::ERR_FK_ACTION_UNSUPPORTED);
}

TEST(ExpectedTest, RefusesACircleOfReferencesOnDuckdb) {
  constexpr const char* kCircle = R"(package: p
children:
  - object.entity:
      name: Left
      children:
        - source.rdb: {}
        - field.long: id
        - field.long: rightId
        - field.long: up
        - identity.primary: { fields: id }
        - identity.reference: { name: toRight, fields: rightId, references: Right, onDelete: no-action, onUpdate: no-action }
        - identity.reference: { name: toUp, fields: up, references: Left, onDelete: no-action, onUpdate: no-action }
  - object.entity:
      name: Right
      children:
        - source.rdb: {}
        - field.long: id
        - field.long: leftId
        - identity.primary: { fields: id }
        - identity.reference: { name: toLeft, fields: leftId, references: Left, onDelete: no-action, onUpdate: no-action }
)";
  const Expected expected = expect(kCircle, Dialect::Duckdb);
  ASSERT_EQ(expected.diagnostics.size(), 1U);
  const Problem& problem = expected.diagnostics[0].finding.problem;
  EXPECT_EQ(problem.code, codes::ERR_UNSUPPORTED);
  EXPECT_NE(problem.message.find("lefts, rights reference one another"), std::string::npos);
  EXPECT_FALSE(expect(kCircle, Dialect::Postgres).has_errors());
  const std::string loose =
      base::replace_all(kCircle, "references: Left, ", "references: Left, enforce: false, ");
  EXPECT_FALSE(expect(loose, Dialect::Duckdb).has_errors());
}

std::string entity(const std::string& body) {
  return "children:\n  - object.entity:\n      name: Thing\n      children:\n        - source.rdb: "
         "{}\n"
         "        - field.long: id\n        - identity.primary: { fields: id }\n" +
         body;
}

Code first_code(const std::string& text, Dialect dialect) {
  const Expected expected = expect(text, dialect);
  return expected.diagnostics.empty() ? Code() : expected.diagnostics[0].finding.problem.code;
}

std::string counted(const std::string& rule) {
  return "children:\n  - object.entity:\n      name: Thing\n      children:\n        - source.rdb: "
         "{}\n        - field.long: { name: id" +
         (rule.starts_with("children") ? ", " + rule : "") +
         " }\n        - field.long: size\n        - identity.primary: { fields: id, generation: "
         "increment }\n" +
         (rule.starts_with("children") ? "" : "        - " + rule + "\n");
}

TEST(ExpectedTest, RefusesARuleOverACountedColumnOnMysql) {
  for (const std::string rule : {"validator.comparison: { left: size, op: lte, right: id }",
                                 "validator.comparison: { left: id, op: lte, right: size }",
                                 "validator.atLeastOne: { fields: [size, id] }",
                                 "validator.requiredWhen: { field: size, when: id, equals: 1 }",
                                 "validator.presentIff: { field: id, when: size, equals: 1 }",
                                 "children: [ { validator.numeric: { min: 1 } } ]"}) {
    const Expected expected = expect(counted(rule), Dialect::Mysql);
    ASSERT_EQ(expected.diagnostics.size(), 1U) << rule;
    const Problem& problem = expected.diagnostics[0].finding.problem;
    EXPECT_EQ(problem.code, codes::ERR_CHECK_UNSUPPORTED) << rule;
    ASSERT_TRUE(problem.where.has_value()) << rule;
    EXPECT_EQ(problem.where->line, rule.starts_with("children") ? 6 : 9) << rule;
    EXPECT_FALSE(problem.hint.empty()) << rule;
    EXPECT_EQ(expect(counted(rule), Dialect::Postgres).schema.tables[0].checks.size(), 1U) << rule;
  }
}

TEST(ExpectedTest, LetsARuleNameACountedColumnThatTheDatabaseNeedNotKeep) {
  for (const char* rule : {"validator.atLeastOne: { fields: [size, id], enforce: false }",
                           "children: [ { validator.required: {} } ]"}) {
    EXPECT_EQ(first_code(counted(rule), Dialect::Mysql), Code()) << rule;
  }
}

TEST(ExpectedTest, NeedsAPrecisionWhereTheEngineDoes) {
  const std::string text = entity("        - field.decimal: price\n");
  EXPECT_EQ(first_code(text, Dialect::Mysql), codes::ERR_DECIMAL_NEEDS_PRECISION);
  EXPECT_EQ(first_code(text, Dialect::Postgres), Code());
}

TEST(ExpectedTest, CutsLongTextsToWhatAKeyHoldsOnMysql) {
  const auto prefixes = [](const std::string& fields) {
    const Expected expected = expect(R"(package: harbour
children:
  - object.entity:
      name: Berth
      children:
        - source.rdb: {}
        - field.long: id
        - field.string: { name: code, maxLength: 8 }
        - field.string: { name: title, maxLength: 2000 }
        - field.string: { name: body, maxLength: 3000 }
        - field.string: { name: note }
        - identity.primary: { fields: id }
        - index.lookup: { name: ix, fields: [)" +
                                         fields + "] }\n",
                                     Dialect::Mysql);
    std::vector<int> found;
    for (const schema::IndexPart& part : expected.schema.tables.at(0).indexes.at(0).parts) {
      found.push_back(part.prefix.value_or(0));
    }
    return found;
  };
  EXPECT_EQ(prefixes("title"), (std::vector<int>{768}));
  EXPECT_EQ(prefixes("code, id"), (std::vector<int>{0, 0}));
  EXPECT_EQ(prefixes("title, id"), (std::vector<int>{760, 0}));
  EXPECT_EQ(prefixes("note, code, title"), (std::vector<int>{0, 0, 505}));
  EXPECT_EQ(prefixes("title, body"), (std::vector<int>{384, 384}));
}

TEST(ExpectedTest, RefusesSchemasOnSqlite) {
  const std::string text =
      "children:\n  - object.entity: { name: A, children: [ { source.rdb: { schema: crm } }, { "
      "field.long: "
      "id }, { identity.primary: { fields: id } } ] }\n";
  EXPECT_EQ(first_code(text, Dialect::Sqlite), codes::ERR_SCHEMA_UNSUPPORTED);
  EXPECT_EQ(expect(text, Dialect::Postgres).schema.tables[0].name.schema.text(), "crm");
}

TEST(ExpectedTest, ShortensGeneratedNamesAndRefusesAuthoredOnes) {
  const std::string longest(60, 'x');
  const Expected expected = expect(
      entity("        - field.enum: { name: " + longest + ", values: [A] }\n"), Dialect::Postgres);
  const std::string name = expected.schema.tables[0].checks[0].name.text();
  EXPECT_EQ(name.size(), 63U);
  EXPECT_EQ(name.substr(0, 14), "things_xxxxxxx");
  EXPECT_EQ(first_code(
                entity("        - index.lookup: { name: " + longest + longest + ", fields: id }\n"),
                Dialect::Postgres),
            codes::ERR_NAME_TOO_LONG);
}

TEST(ExpectedTest, RefusesOneColumnForTwoFields) {
  EXPECT_EQ(first_code(entity("        - field.int: fooBar\n        - field.int: foo_bar\n"),
                       Dialect::Postgres),
            codes::ERR_DUPLICATE_SQL_NAME);
}

TEST(ExpectedTest, FoldsSubtypesIntoTheBasesTable) {
  const Expected expected = expect(R"(children:
  - object.entity:
      name: Craft
      discriminator: kind
      children:
        - source.rdb: {}
        - field.long: id
        - field.enum: { name: kind, values: [TUG, FERRY], required: true }
        - identity.primary: { fields: id }
  - object.entity:
      name: Tug
      extends: Craft
      discriminatorValue: TUG
      children:
        - field.int: { name: pull, required: true, children: [ { validator.numeric: { min: 1 } } ] }
        - index.lookup: { name: idx_pull, fields: pull }
)",
                                   Dialect::Postgres);
  ASSERT_EQ(expected.schema.tables.size(), 1U);
  const schema::Table& crafts = expected.schema.tables[0];
  ASSERT_EQ(crafts.columns.size(), 3U);
  EXPECT_TRUE(crafts.columns[2].nullable);
  EXPECT_EQ(crafts.checks.size(), 2U);
  EXPECT_EQ(crafts.indexes.at(0).name.text(), "idx_pull");
}

TEST(ExpectedTest, FlattensValuesWithTheirChecks) {
  const Expected expected = expect(R"(children:
  - object.entity:
      name: Crate
      children:
        - source.rdb: {}
        - field.long: id
        - field.object: { name: size, objectRef: Size, storage: flattened }
        - field.object: { name: box, objectRef: Size, storage: flattened, required: true }
        - identity.primary: { fields: id }
  - object.value:
      name: Size
      children:
        - field.int: { name: wide, required: true }
        - field.enum: { name: unit, values: [MM, CM] }
)",
                                   Dialect::Postgres);
  const schema::Table& crates = expected.schema.tables.at(0);
  ASSERT_EQ(crates.columns.size(), 5U);
  EXPECT_EQ(crates.columns[1].name.text(), "size_wide");
  EXPECT_TRUE(crates.columns[1].nullable);
  EXPECT_FALSE(crates.columns[3].nullable);
  EXPECT_EQ(crates.checks.at(0).name.text(), "crates_box_unit_chk");
}

TEST(ExpectedTest, KnowsUnmanagedTablesOnlyByName) {
  const Expected expected = expect(R"(children:
  - object.entity:
      name: Crew
      children:
        - source.rdb: { table: crew, unmanaged: true }
        - field.int: id
        - identity.primary: { fields: id }
)",
                                   Dialect::Postgres);
  EXPECT_TRUE(expected.schema.tables.empty());
  ASSERT_EQ(expected.external.size(), 1U);
  EXPECT_EQ(expected.external[0].name.text(), "crew");
}

}  // namespace
}  // namespace kedge::metadata
