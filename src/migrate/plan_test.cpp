#include <gtest/gtest.h>

#include <algorithm>

#include "kedge/codes.h"
#include "migrate/emission.h"
#include "migrate/render.h"
#include "migrate/test_shapes.h"

namespace kedge::migrate {
namespace {

using schema::Column;
using schema::Schema;
using schema::Table;
using schema::TypeKind;

// What is blocked by which tokens, in the order of the changes.
std::vector<std::string> blocked(const Plan& plan) {
  std::vector<std::string> found;
  for (const PlannedChange& one : plan.changes) {
    if (one.status.state == State::Blocked) {
      std::string line = kind_of(one.change);
      for (const std::string& token : one.status.tokens) {
        line += " " + token;
      }
      found.push_back(line);
    }
  }
  return found;
}
using Lines = std::vector<std::string>;

TEST(GateTest, EachLossNeedsItsToken) {
  Table before = keyed_table("t", {column("gone_long", TypeKind::Text),
                                   column("n", TypeKind::Int64), column("m", TypeKind::Int32)});
  Table after =
      keyed_table("t", {column("n", TypeKind::Int32), column("m", TypeKind::Int32, false)});
  const Schema from = schema_of({before, keyed_table("u", {})});
  const Schema to = schema_of({after});
  EXPECT_EQ(blocked(plan_of(from, to, {})),
            (Lines{"change-column-type type-change", "change-column-nullable nullable-to-not-null",
                   "drop-column drop-column", "drop-table drop-table"}));
  PlanOptions allowed;
  allowed.allow = {"type-change", "nullable-to-not-null", "drop-column", "drop-table"};
  EXPECT_FALSE(plan_of(from, to, allowed).is_blocked());
}

TEST(GateTest, WideningAndAddingNeedNothing) {
  const Schema from = schema_of({keyed_table("t", {column("n", TypeKind::Int32)})});
  const Schema to =
      schema_of({keyed_table("t", {column("n", TypeKind::Int64), column("m", TypeKind::Text)})});
  EXPECT_FALSE(plan_of(from, to, {}).is_blocked());
}

TEST(GateTest, ReplacementPairsAreNotLosses) {
  Table before = keyed_table("t", {column("s", TypeKind::Text)});
  before.checks = {{Identifier("c"), "s IN ('a')", Identifier("s"), {"a"}, true, false, true, ""}};
  Table after = before;
  after.checks[0].expression = "s IN ('a','b')";
  after.checks[0].members = {"a", "b"};
  EXPECT_FALSE(plan_of(schema_of({before}), schema_of({after}), {}).is_blocked());
  after.checks.clear();
  EXPECT_EQ(blocked(plan_of(schema_of({before}), schema_of({after}), {})),
            Lines{"drop-check drop-check"});
}

TEST(GateTest, ADroppedColumnBesideANewOneHintsTheRenameFirst) {
  const Schema from = schema_of({keyed_table("t", {column("alpha", TypeKind::Text)})});
  const Schema to = schema_of({keyed_table("t", {column("omega_point", TypeKind::Text)})});
  const Plan plan = plan_of(from, to, {});
  const auto drop = std::find_if(plan.changes.begin(), plan.changes.end(), [](const auto& one) {
    return kind_of(one.change) == "drop-column";
  });
  ASSERT_NE(drop, plan.changes.end());
  EXPECT_EQ(drop->status.hint, "--rename-column t.alpha=omega_point; or --allow drop-column");
}

TEST(GateTest, WhatTheSnapshotNeverHeldNeedsTwoTokens) {
  const Schema from = schema_of({keyed_table("theirs", {})});
  const Schema none = schema_of({});
  PlanOptions options;
  options.snapshot = &none;
  const Plan plan = plan_of(from, none, options);
  EXPECT_EQ(plan.changes.at(0).status.code, codes::ERR_UNMANAGED_DROP);
  EXPECT_EQ(plan.changes.at(0).status.hint, "--allow drop-table,drop-unmanaged");
  options.allow = {"drop-table"};
  EXPECT_TRUE(plan_of(from, none, options).is_blocked());
}

TEST(GateTest, AMovedPrimaryKeyIsRefusedByName) {
  Table before = keyed_table("t", {column("code", TypeKind::Text, false)});
  Table after = before;
  after.primary_key->columns = {Identifier("code")};
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), {});
  EXPECT_EQ(plan.changes.at(0).status.code, codes::ERR_PRIMARY_KEY_CHANGE);
  EXPECT_NE(plan.changes.at(0).status.reason.find("from (id) to (code)"), std::string::npos);
}

TEST(GateTest, ASerialKeyKeepsItsDefault) {
  Table before = keyed_table("t", {});
  before.columns[0].identity = schema::Identity{};
  before.columns[0].identity->kind = schema::Identity::Kind::Serial;
  diff::Options declared;
  declared.equality = diff::Equality::Declared;
  const Plan plan = plan_of(schema_of({before}), schema_of({keyed_table("t", {})}), {}, declared);
  EXPECT_EQ(plan.changes.at(0).status.code, codes::ERR_IDENTITY_DEFAULT_DROP);
  Table counted = keyed_table("t", {});
  counted.columns[0].identity = schema::Identity{};
  EXPECT_TRUE(plan_of(schema_of({before}), schema_of({counted}), {}, declared).is_empty());
}

TEST(PlanTest, DownIsBareAndSaysWhatDoesNotComeBack) {
  const Schema from = schema_of({keyed_table("t", {column("a", TypeKind::Text)})});
  const Schema to = schema_of({});
  const Plan plan = plan_of(from, to, {});
  EXPECT_EQ(holding(plan.up, "DROP TABLE IF EXISTS \"t\"").size(), 1U);
  EXPECT_EQ(holding(plan.down, "CREATE TABLE \"t\"").size(), 1U);
  EXPECT_NE(render_down(plan).find("-- NOTE: the rows of t are not restored"), std::string::npos);
  EXPECT_EQ(render_down(plan).find("IF EXISTS"), std::string::npos);
}

TEST(PlanTest, DownSaysThatADefaultStaysWhereNullWas) {
  Column open = column("n", TypeKind::Int64);
  open.default_value = schema::Default{schema::Default::Kind::Literal, "0"};
  Column closed = open;
  closed.nullable = false;
  PlanOptions options;
  options.allow = {"nullable-to-not-null"};
  const Plan plan = plan_of(schema_of({keyed_table("t", {open})}),
                            schema_of({keyed_table("t", {closed})}), options);
  EXPECT_NE(render_down(plan).find("-- NOTE: where t.n held NULL it keeps the default"),
            std::string::npos);
}

TEST(PlanTest, ReferencedTablesComeFirstAndGoLast) {
  Table child = keyed_table("a_child", {column("p_id", TypeKind::Int64)});
  child.foreign_keys = {reference("fk", "p_id", "z_parent")};
  const Schema full = schema_of({child, keyed_table("z_parent", {})});
  PlanOptions options;
  options.dialect = schema::Dialect::Sqlite;
  const Plan up = plan_of(schema_of({}), full, options);
  EXPECT_NE(up.up.at(0).sql.find("z_parent"), std::string::npos);
  const Plan down = plan_of(full, schema_of({}), options);
  EXPECT_NE(down.up.at(0).sql.find("a_child"), std::string::npos);
}

TEST(PlanTest, SameInputSameBytes) {
  const Schema from = schema_of({keyed_table("t", {column("a", TypeKind::Text)})});
  const Schema to =
      schema_of({keyed_table("t", {column("n", TypeKind::Int64)}), keyed_table("u", {})});
  EXPECT_EQ(render_up(plan_of(from, to, {})), render_up(plan_of(from, to, {})));
}

TEST(PlanTest, OnlineFormsSplitTheWork) {
  Table before = keyed_table("t", {column("p_id", TypeKind::Int64)});
  Table after = keyed_table("t", {column("p_id", TypeKind::Int64, false)});
  after.foreign_keys = {reference("t_p_fk", "p_id", "p")};
  schema::Index index;
  index.name = Identifier("t_p");
  index.parts = {schema::IndexPart{}};
  index.parts[0].column = Identifier("p_id");
  after.indexes = {index};
  PlanOptions options;
  options.online = Online::Yes;
  options.lock_timeout = "5s";
  options.allow = {"nullable-to-not-null"};
  const Plan plan = plan_of(schema_of({before, keyed_table("p", {})}),
                            schema_of({after, keyed_table("p", {})}), options);
  const std::string prepare = render_up(plan, Phase::Prepare);
  const std::string online = render_up(plan, Phase::Online);
  const std::string finish = render_up(plan, Phase::Finish);
  EXPECT_NE(prepare.find("NOT VALID"), std::string::npos);
  EXPECT_NE(prepare.find("SET LOCAL lock_timeout = '5s'"), std::string::npos);
  EXPECT_NE(online.find("CREATE INDEX CONCURRENTLY \"t_p\""), std::string::npos);
  EXPECT_EQ(online.find("-- kedge: transaction off"), 0U);
  EXPECT_NE(finish.find("VALIDATE CONSTRAINT \"t_p_fk\""), std::string::npos);
  EXPECT_NE(finish.find("SET NOT NULL"), std::string::npos);
}

TEST(PlanTest, AViolatedProbeBlocks) {
  const Schema from = schema_of({keyed_table("t", {column("a", TypeKind::Text)})});
  const Schema to = schema_of({keyed_table("t", {column("a", TypeKind::Text, false)})});
  PlanOptions options;
  options.allow = {"nullable-to-not-null"};
  Plan plan = plan_of(from, to, options);
  ASSERT_EQ(plan.hazards.size(), 1U);
  EXPECT_EQ(plan.hazards[0].hazard, "set-not-null");
  options.probes[plan.hazards[0].probe_sql] = {ProbeResult::Violated, "7"};
  apply_probes(plan, options);
  EXPECT_EQ(plan.changes.at(0).status.code, codes::ERR_DATA_VIOLATES);
}

TEST(PlanTest, TextsAreProbedForAShorterColumn) {
  schema::Column longer = column("s", TypeKind::Text);
  schema::Column shorter = longer;
  longer.type.length = 9;
  shorter.type.length = 5;
  const Schema from = schema_of({keyed_table("t", {longer})});
  const Schema to = schema_of({keyed_table("t", {shorter})});
  const Plan narrowed = plan_of(from, to, {});
  ASSERT_EQ(narrowed.hazards.size(), 1U);
  EXPECT_NE(narrowed.hazards[0].probe_sql.find("WHERE char_length(\"s\") > 5 LIMIT 1"),
            std::string::npos)
      << narrowed.hazards[0].probe_sql;
  EXPECT_TRUE(plan_of(to, from, {}).hazards.empty());
}

TEST(PlanTest, AnEnumThatLosesAMemberIsProbedForIt) {
  Table before = keyed_table("t", {column("s", TypeKind::Text)});
  before.checks = {
      {Identifier("c"), "s IN ('a','b')", Identifier("s"), {"a", "b"}, true, false, true, ""}};
  Table after = before;
  after.checks[0].expression = "s IN ('a')";
  after.checks[0].members = {"a"};
  const Plan narrowed = plan_of(schema_of({before}), schema_of({after}), {});
  ASSERT_EQ(narrowed.hazards.size(), 1U);
  EXPECT_EQ(narrowed.hazards[0].probe_sql,
            "SELECT \"s\" FROM \"t\" WHERE \"s\" IS NOT NULL AND \"s\"::text NOT IN ('a') LIMIT 1");
  const Plan widened = plan_of(schema_of({after}), schema_of({before}), {});
  EXPECT_TRUE(widened.hazards.at(0).probe_sql.empty());
}

TEST(PlanTest, AKeyThatMovesFillsItsReferencesThroughTheOldOne) {
  Table owners = keyed_table("owners", {column("code", TypeKind::Text, false)});
  Table boats = keyed_table("boats", {column("owner_code", TypeKind::Text)});
  Table owners_before = owners;
  owners_before.columns.erase(owners_before.columns.begin());
  owners_before.primary_key->columns = {Identifier("code")};
  boats.foreign_keys = {reference("fk", "owner_code", "owners")};
  boats.foreign_keys[0].referenced_columns = {Identifier("code")};
  owners.columns[0].identity = schema::Identity{};
  Table boats_after = keyed_table("boats", {column("owner_id", TypeKind::Int64, false)});
  boats_after.foreign_keys = {reference("fk2", "owner_id", "owners")};
  PlanOptions options;
  options.allow = {"primary-key-change", "drop-column", "drop-fk"};
  const Plan plan =
      plan_of(schema_of({boats, owners_before}), schema_of({boats_after, owners}), options);
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_EQ(holding(plan.up, "UPDATE \"boats\" AS c SET \"owner_id\" = p.\"id\"").size(), 1U);
  EXPECT_EQ(holding(plan.up, "\"owner_id\" SET NOT NULL").size(), 1U);
}

// Two parents of one child: the key moves from `id` to `uid`, the reference from `a` to `b`.
TEST(PlanTest, AReferenceThatMovesToAnotherColumnRetypesThatToo) {
  Table parents = keyed_table("p", {column("uid", TypeKind::Uuid, false)});
  Table parents_after = parents;
  parents_after.primary_key->columns = {Identifier("uid")};
  Table child = keyed_table("c", {column("a", TypeKind::Int64), column("b", TypeKind::Text)});
  child.foreign_keys = {reference("fk", "a", "p")};
  Table child_after = keyed_table("c", {column("a", TypeKind::Int64), column("b", TypeKind::Uuid)});
  child_after.foreign_keys = {reference("fk", "b", "p")};
  child_after.foreign_keys[0].referenced_columns = {Identifier("uid")};
  PlanOptions options;
  options.allow = {"primary-key-change", "type-change", "drop-fk"};
  const Plan plan =
      plan_of(schema_of({child, parents}), schema_of({child_after, parents_after}), options);
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_EQ(holding(plan.up, "ALTER COLUMN \"b\" TYPE UUID").size(), 1U);
  EXPECT_EQ(holding(plan.up, "SET \"b\" = p.\"uid\"").size(), 1U);
  options.dialect = schema::Dialect::Mysql;
  const Plan mysql =
      plan_of(schema_of({child, parents}), schema_of({child_after, parents_after}), options);
  EXPECT_EQ(holding(mysql.up, "MODIFY COLUMN `b`").size(), 1U);
}

TEST(PlanTest, AColumnFilledThroughTheOldKeyIsNotModifiedBesides) {
  Column code = column("code", TypeKind::Text, false);
  code.type.length = 36;
  Table owners = keyed_table("owners", {code});
  owners.columns[0].identity = schema::Identity{};
  Table owners_before = owners;
  owners_before.columns.erase(owners_before.columns.begin());
  owners_before.primary_key->columns = {Identifier("code")};
  Column owner = code;
  owner.name = Identifier("owner");
  owner.nullable = true;
  Table boats = keyed_table("boats", {owner});
  boats.foreign_keys = {reference("fk", "owner", "owners")};
  boats.foreign_keys[0].referenced_columns = {Identifier("code")};
  Table boats_after = keyed_table("boats", {column("owner", TypeKind::Int64, false)});
  boats_after.foreign_keys = {reference("fk", "owner", "owners")};
  PlanOptions options;
  options.dialect = schema::Dialect::Mysql;
  options.allow = {"primary-key-change", "type-change", "nullable-to-not-null"};
  const Plan plan =
      plan_of(schema_of({boats, owners_before}), schema_of({boats_after, owners}), options);
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_TRUE(holding(plan.up, "MODIFY COLUMN `owner`").empty());
  EXPECT_EQ(holding(plan.up, "CHANGE COLUMN `__kedge_owner` `owner` BIGINT NOT NULL").size(), 1U);
}

TEST(PlanTest, ADeferrableKeyMovesAtOnce) {
  const Table before = keyed_table("t", {column("n", TypeKind::Int64, false)});
  Table after = before;
  after.primary_key->columns = {Identifier("n")};
  after.primary_key->deferrable = true;
  PlanOptions options;
  options.online = Online::Yes;
  options.allow = {"primary-key-change"};
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), options);
  std::vector<std::string> key;
  for (const PlanStatement& one : plan.up) {
    if (one.sql.find("t_pkey") != std::string::npos) {
      key.push_back(one.sql);
      EXPECT_EQ(one.phase, Phase::Prepare) << one.sql;
    }
  }
  ASSERT_EQ(key.size(), 2U);
  EXPECT_NE(key[0].find("DROP CONSTRAINT"), std::string::npos);
  EXPECT_NE(key[1].find("DEFERRABLE"), std::string::npos);
}

TEST(PlanTest, ARebuiltTableHasItsNewComments) {
  Table before = keyed_table("t", {column("n", TypeKind::Int64)});
  before.comment = "old";
  before.columns[1].comment = "old n";
  Table after = before;
  after.comment = "new";
  after.columns[1].comment = "";
  after.checks = {{Identifier("c"), "n > 1", {}, {}, true, false, true, ""}};
  PlanOptions options;
  options.dialect = schema::Dialect::Duckdb;
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), options);
  EXPECT_EQ(holding(plan.up, "CREATE TABLE \"t\"").size(), 1U);
  EXPECT_FALSE(holding(plan.up, "COMMENT ON TABLE \"t\" IS 'new'").empty());
  EXPECT_TRUE(holding(plan.up, "old").empty());
  EXPECT_FALSE(holding(plan.down, "COMMENT ON TABLE \"t\" IS 'old'").empty());
  EXPECT_TRUE(holding(plan.down, "'new'").empty());
}

TEST(EmissionTest, NamesThatAreSwappedAreFollowedOnce) {
  const Identifier a("a");
  const Identifier b("b");
  const std::vector<Change> swap = {change::RenameColumn{named("t"), a, b},
                                    change::RenameColumn{named("t"), b, a}};
  EXPECT_EQ(column_after(swap, named("t"), a), b);
  EXPECT_EQ(column_after(swap, named("t"), b), a);
  EXPECT_EQ(column_before(swap, named("t"), a), b);
  EXPECT_EQ(column_after(swap, named("u"), a), a);
}

// ---- mysql: indexes that something stands on

schema::Index index_over(const std::string& name, const Lines& columns) {
  schema::Index index;
  index.name = Identifier(name);
  for (const std::string& one : columns) {
    index.parts.emplace_back().column = Identifier(one);
  }
  return index;
}

Plan plan_of_indexes(std::vector<schema::Index> before, std::vector<schema::Index> after) {
  Table child = keyed_table("c", {column("a", TypeKind::Int64), column("b", TypeKind::Int64)});
  child.foreign_keys = {reference("fk", "a", "p")};
  Table child_after = child;
  child.indexes = std::move(before);
  child_after.indexes = std::move(after);
  PlanOptions options;
  options.dialect = schema::Dialect::Mysql;
  options.allow = {"drop-index"};
  return plan_of(schema_of({child, keyed_table("p", {})}),
                 schema_of({child_after, keyed_table("p", {})}), options);
}

Lines statements(const std::vector<PlanStatement>& all) {
  Lines found;
  for (const PlanStatement& one : all) {
    found.push_back(one.sql);
  }
  return found;
}

const std::string kBeside = ", ALGORITHM=INPLACE, LOCK=NONE;";

TEST(MysqlIndexesTest, TheLastIndexUnderAForeignKeyGoesForOneOfTheKey) {
  const Plan plan = plan_of_indexes({index_over("i", {"a", "b"})}, {});
  EXPECT_EQ(statements(plan.up),
            Lines{"ALTER TABLE `c` DROP INDEX `i`, ADD INDEX `fk` (`a`)" + kBeside});
  EXPECT_EQ(statements(plan.down),
            Lines{"ALTER TABLE `c` DROP INDEX `fk`, ADD INDEX `i` (`a`, `b`)" + kBeside});
}

TEST(MysqlIndexesTest, AnIndexThatComesTakesOverInOneStatement) {
  EXPECT_EQ(statements(plan_of_indexes({index_over("i", {"a", "b"})}, {index_over("i", {"a"})}).up),
            Lines{"ALTER TABLE `c` DROP INDEX `i`, ADD INDEX `i` (`a`)" + kBeside});
}

TEST(MysqlIndexesTest, AnIndexThatStaysIsEnough) {
  EXPECT_EQ(statements(plan_of_indexes({index_over("i", {"a", "b"}), index_over("j", {"a"})},
                                       {index_over("i", {"a", "b"})})
                           .up),
            Lines{"DROP INDEX `j` ON `c`;"});
  EXPECT_EQ(statements(plan_of_indexes({index_over("i", {"b"})}, {}).up),
            Lines{"DROP INDEX `i` ON `c`;"});
}

TEST(MysqlIndexesTest, TwoThatGoLeaveOne) {
  EXPECT_EQ(
      statements(plan_of_indexes({index_over("i", {"a", "b"}), index_over("j", {"a"})}, {}).up),
      (Lines{"ALTER TABLE `c` DROP INDEX `i`, ADD INDEX `fk` (`a`)" + kBeside,
             "DROP INDEX `j` ON `c`;"}));
}

TEST(PlanTest, WhatNoStatementDoesIsRefusedWithTheReason) {
  schema::Schema before = schema_of({});
  before.sequences.push_back({});
  before.sequences[0].name = named("s");
  schema::Schema after = before;
  after.sequences[0].increment = 2;
  PlanOptions options;
  options.dialect = schema::Dialect::Duckdb;
  options.gate = Gate::Marked;
  const Plan known = plan_of(before, after, options);
  EXPECT_TRUE(known.up.empty());
  ASSERT_TRUE(is_impossible(known.changes.at(0).status));
  EXPECT_EQ(known.changes.at(0).status.reason, "DuckDB cannot alter a sequence");
  options.dialect = schema::Dialect::Sqlite;  // has none: nobody thought of it
  const Plan net = plan_of(before, after, options);
  ASSERT_TRUE(is_impossible(net.changes.at(0).status));
  EXPECT_EQ(net.changes.at(0).status.reason, "no statement of sqlite does it");
}

TEST(PlanTest, APartitionKeyCannotBeAltered) {
  const schema::Table before = keyed_table("t", {});
  schema::Table after = before;
  after.partition = schema::Partition{"RANGE (id)", std::nullopt, ""};
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), {});
  ASSERT_EQ(plan.changes.size(), 1U);
  EXPECT_EQ(plan.changes[0].status.code, codes::ERR_UNSUPPORTED);
  EXPECT_FALSE(plan.changes[0].status.hint.empty());
  EXPECT_TRUE(plan.is_blocked());
}

TEST(Render, NoTextLeavesItsComment) {
  EXPECT_EQ(comment_lines("a\nDROP TABLE t;"), "-- a\n-- DROP TABLE t;\n");
  EXPECT_EQ(comment_lines("a\r\nb\rc"), "-- a \n-- b c\n");
  EXPECT_EQ(comment_lines("a\n kedge: transaction off"), "-- a\n-- >  kedge: transaction off\n");
}

}  // namespace
}  // namespace kedge::migrate
