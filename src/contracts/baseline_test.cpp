#include "contracts/baseline.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

std::vector<ShapeColumn> shape(std::initializer_list<ShapeColumn> columns) {
  return columns;
}

TEST(BaselineTest, ListsAddedInLandedOrderThenRemovedAndRetypedInBaselineOrder) {
  const auto changes = compare_shapes(
      shape({{"a", "BIGINT", {}}, {"b", "INTEGER", {}}, {"c", "BOOLEAN", {}}}),
      shape({{"z", "DATE", {}}, {"b", "DOUBLE", {}}, {"y", "UUID", {}}, {"a", "BIGINT", {}}}));
  EXPECT_EQ(changes_text(changes),
            "column 'z' added (DATE); column 'y' added (UUID); column 'b' retyped INTEGER -> "
            "DOUBLE; column 'c' removed (was BOOLEAN)");
}

TEST(BaselineTest, IgnoresTheOrderOfColumns) {
  EXPECT_TRUE(compare_shapes(shape({{"a", "BIGINT", {}}, {"b", "DATE", {}}}),
                             shape({{"b", "DATE", {}}, {"a", "BIGINT", {}}}))
                  .empty());
}

TEST(BaselineTest, GuessesARenameOnlyWhenItIsTheOnlyOne) {
  const auto one =
      compare_shapes(shape({{"tare", "BIGINT", {}}}), shape({{"tare_kg", "BIGINT", {}}}));
  ASSERT_TRUE(guess_rename(one).has_value());
  EXPECT_EQ(guess_rename(one)->to, "tare_kg");
  const auto other_type =
      compare_shapes(shape({{"tare", "BIGINT", {}}}), shape({{"tare_kg", "DATE", {}}}));
  EXPECT_FALSE(guess_rename(other_type).has_value());
}

TEST(BaselineTest, SeesNativeTypesMoveUnderTheSameType) {
  const auto changes = compare_natives(shape({{"a", "VARCHAR", "VARCHAR(30)"}}),
                                       shape({{"a", "VARCHAR", "VARCHAR(300)"}}));
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(change_text(changes[0]), "column 'a' native type VARCHAR(30) -> VARCHAR(300)");
}

TEST(BaselineTest, AcceptsOnlyTheTargetsNamed) {
  const Baselines before = {{"c.a", {{{{"x", "BIGINT", {}}}, "h"}, "r0", "seed", "t0"}},
                            {"c.b", {{{{"x", "BIGINT", {}}}, "h"}, "r0", "seed", "t0"}}};
  const std::vector<Observation> observed = {{"c.b", {{{"x", "DATE", {}}}, "h"}},
                                             {"c.a", {{{"x", "DATE", {}}}, "h"}}};
  const Acceptance result = accept(before, {observed, {"c.a"}, "r1", "t1"});
  ASSERT_EQ(result.changes.size(), 1U);
  EXPECT_EQ(result.changes[0].entity, "c.a");
  EXPECT_EQ(result.baselines.at("c.a").source, "accept");
  EXPECT_EQ(result.baselines.at("c.b").source, "seed");
}

TEST(BaselineTest, StoresAndReadsBackTheSameBytes) {
  const Baselines baselines = {
      {"c.a", {{{{"x", "BIGINT", "bigint"}, {"y", "DATE", {}}}, "h"}, "r0", "seed", "t0"}}};
  const std::string text = document::write_json(to_json(baselines));
  EXPECT_EQ(document::write_json(to_json(read_baselines("s.json", text))), text);
}

TEST(BaselineTest, RefusesAFileThatIsNone) {
  for (const char* text : {"{", "[]", "{\"a\": 1}", "{\"a\": {\"columns\": [{}]}}"}) {
    EXPECT_THROW(read_baselines("s.json", text), Error) << text;
  }
}

}  // namespace
}  // namespace kedge::contracts
