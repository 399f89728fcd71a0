// Rebuilds on D1: referenced tables go and come together with what references them.
#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "migrate/test_shapes.h"

namespace kedge::migrate {
namespace {

using schema::Schema;
using schema::Table;
using schema::TypeKind;

PlanOptions d1() {
  PlanOptions options;
  options.dialect = schema::Dialect::D1;
  options.allow = {"nullable-to-not-null"};
  return options;
}

std::vector<Table> family(bool strict) {
  Table pier = keyed_table("piers", {column("port_id", TypeKind::Int64)});
  pier.foreign_keys = {reference("", "port_id", "ports")};
  Table slot = keyed_table("slots", {column("pier_id", TypeKind::Int64)});
  slot.foreign_keys = {reference("", "pier_id", "piers")};
  return {keyed_table("ports", {column("zone", TypeKind::Text, !strict)}), pier, slot};
}

std::size_t place(const Plan& plan, const std::string& text) {
  return render_up(plan).find(text);
}

TEST(D1Test, ACascadeDropsReferrersFirstAndRenamesParentsFirst) {
  const Plan plan = plan_of(schema_of(family(false)), schema_of(family(true)), d1());
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_EQ(place(plan, "PRAGMA foreign_keys"), std::string::npos);
  EXPECT_EQ(place(plan, "BEGIN"), std::string::npos);
  EXPECT_LT(place(plan, "PRAGMA defer_foreign_keys = ON"), place(plan, "DROP TABLE \"slots\""));
  EXPECT_LT(place(plan, "DROP TABLE \"slots\""), place(plan, "DROP TABLE \"piers\""));
  EXPECT_LT(place(plan, "DROP TABLE \"piers\""), place(plan, "DROP TABLE \"ports\""));
  EXPECT_LT(place(plan, "RENAME TO \"ports\""), place(plan, "RENAME TO \"piers\""));
  EXPECT_LT(place(plan, "RENAME TO \"piers\""), place(plan, "RENAME TO \"slots\""));
  EXPECT_NE(place(plan, "REFERENCES \"__f_ports\""), std::string::npos);
}

TEST(D1Test, ATableThatNothingReferencesIsRebuiltAlone) {
  const Schema from = schema_of({keyed_table("t", {column("a", TypeKind::Text)})});
  const Schema to = schema_of({keyed_table("t", {column("a", TypeKind::Text, false)})});
  const Plan plan = plan_of(from, to, d1());
  EXPECT_EQ(holding(plan.up, "CREATE TABLE \"__new_t\"").size(), 1U);
  EXPECT_EQ(place(plan, "defer_foreign_keys"), std::string::npos);
}

TEST(D1Test, ATableThatReferencesItselfIsNoCycle) {
  Table before = keyed_table("t", {column("up", TypeKind::Int64), column("a", TypeKind::Text)});
  before.foreign_keys = {reference("", "up", "t")};
  Table after = before;
  after.columns[2].nullable = false;
  const Plan plan = plan_of(schema_of({before}), schema_of({after}), d1());
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_EQ(holding(plan.up, "CREATE TABLE \"__f_t\"").size(), 1U);
}

TEST(D1Test, ACycleIsRefusedAndPermittedByItsToken) {
  Table a = keyed_table("a", {column("b_id", TypeKind::Int64), column("x", TypeKind::Text)});
  a.foreign_keys = {reference("", "b_id", "b")};
  Table b = keyed_table("b", {column("a_id", TypeKind::Int64)});
  b.foreign_keys = {reference("", "a_id", "a")};
  Table changed = a;
  changed.columns[2].nullable = false;
  const Plan refused = plan_of(schema_of({a, b}), schema_of({changed, b}), d1());
  EXPECT_EQ(refused.changes.at(0).status.code, codes::ERR_D1_FK_CYCLE);
  EXPECT_NE(refused.changes.at(0).status.reason.find("a -> b -> a"), std::string::npos);
  PlanOptions options = d1();
  options.allow.insert("d1-cycle");
  const Plan plan = plan_of(schema_of({a, b}), schema_of({changed, b}), options);
  EXPECT_FALSE(plan.is_blocked());
  EXPECT_EQ(holding(plan.up, "CREATE TABLE \"__f_").size(), 2U);
}

TEST(D1Test, AReferrerOfSomebodyElseIsNamed) {
  diff::Options compare;
  compare.filter.exclude = {"piers", "slots"};
  const Plan plan = plan_of(schema_of(family(false)), schema_of(family(true)), d1(), compare);
  EXPECT_EQ(plan.changes.at(0).status.code, codes::ERR_D1_EXTERNAL_REFERRER);
  EXPECT_NE(plan.changes.at(0).status.reason.find("piers"), std::string::npos);
}

}  // namespace
}  // namespace kedge::migrate
