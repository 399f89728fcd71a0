// The line that people read of a change: what was dropped and what came back must not look alike.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "kedge/change.h"

namespace kedge {
namespace {

const schema::Name kTable{{}, Identifier("t")};

// Each edit changes one attribute; all lines must differ from each other and from the plain one.
template <typename Part, typename Line>
void expect_distinct(const Part& plain, const std::vector<std::function<void(Part&)>>& edits,
                     Line line) {
  std::set<std::string> seen{line(plain)};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Part changed = plain;
    edits[i](changed);
    const std::string text = line(changed);
    EXPECT_TRUE(seen.insert(text).second) << "edit " << i << " does not show: " << text;
  }
}

TEST(ChangeTextTest, ForeignKeysShowEverythingInWhichTheyDiffer) {
  using schema::ForeignKey;
  ForeignKey key;
  key.name = Identifier("f");
  key.columns = {Identifier("a")};
  key.referenced_table = {{}, Identifier("u")};
  key.referenced_columns = {Identifier("id")};
  const auto line = [](const ForeignKey& one) {
    return describe(change::AddForeignKey{kTable, one});
  };
  EXPECT_EQ(line(key), "+ foreign key t.f (a) -> u(id)");
  expect_distinct<ForeignKey>(
      key,
      {[](ForeignKey& k) { k.on_delete = schema::ReferentialAction::SetNull; },
       [](ForeignKey& k) { k.on_delete = schema::ReferentialAction::Cascade; },
       [](ForeignKey& k) { k.on_update = schema::ReferentialAction::Cascade; },
       [](ForeignKey& k) {
         k.on_delete = schema::ReferentialAction::SetNull;
         k.set_columns = k.columns;
       },
       [](ForeignKey& k) { k.match_full = true; }, [](ForeignKey& k) { k.deferrable = true; },
       [](ForeignKey& k) { k.deferrable = k.initially_deferred = true; },
       [](ForeignKey& k) { k.validated = false; }},
      line);
}

TEST(ChangeTextTest, IndexesShowEverythingInWhichTheyDiffer) {
  using schema::Index;
  Index index;
  index.name = Identifier("i");
  index.parts.resize(1);
  index.parts[0].column = Identifier("a");
  const auto line = [](const Index& one) { return describe(change::DropIndex{kTable, one}); };
  EXPECT_EQ(line(index), "- index t.i (a)");
  expect_distinct<Index>(
      index,
      {[](Index& i) { i.parts[0].descending = true; },
       [](Index& i) { i.parts[0].nulls = schema::NullsOrder::First; },
       [](Index& i) { i.parts[0].nulls = schema::NullsOrder::Last; },
       [](Index& i) { i.parts[0].collation = "C"; },
       [](Index& i) { i.parts[0].operator_class = "text_pattern_ops"; },
       [](Index& i) { i.parts[0].prefix = 4; }, [](Index& i) { i.parts.push_back(i.parts[0]); },
       [](Index& i) { i.parts[0] = {{}, "lower(a)", false, {}, "", "", {}}; },
       [](Index& i) { i.unique = true; }, [](Index& i) { i.where = "a > 0"; },
       [](Index& i) { i.method = "hash"; }, [](Index& i) { i.include = {Identifier("b")}; },
       [](Index& i) { i.nulls_not_distinct = true; },
       [](Index& i) { i.constraint = Index::Constraint::Unique; },
       [](Index& i) { i.deferrable = true; }, [](Index& i) { i.initially_deferred = true; },
       [](Index& i) { i.valid = false; }, [](Index& i) { i.options["fillfactor"] = "70"; },
       [](Index& i) { i.exclusion = "EXCLUDE USING gist (a WITH &&)"; }},
      line);
}

TEST(ChangeTextTest, KeysAndChecksShowEverythingInWhichTheyDiffer) {
  schema::PrimaryKey key;
  key.columns = {Identifier("a")};
  expect_distinct<schema::PrimaryKey>(
      key,
      {[](auto& k) { k.deferrable = true; }, [](auto& k) { k.initially_deferred = true; },
       [](auto& k) { k.include = {Identifier("b")}; }},
      [](const auto& one) {
        return describe(change::AddPrimaryKey{kTable, one});
      });
  schema::Check check;
  check.expression = "a > 0";
  expect_distinct<schema::Check>(
      check,
      {[](auto& c) { c.expression = "a > 1"; }, [](auto& c) { c.validated = false; },
       [](auto& c) { c.no_inherit = true; }, [](auto& c) { c.enforced = false; }},
      [](const auto& one) {
        return describe(change::AddCheck{kTable, one});
      });
}

}  // namespace
}  // namespace kedge
