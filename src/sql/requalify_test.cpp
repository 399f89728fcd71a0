#include "sql/requalify.h"

#include <gtest/gtest.h>

namespace kedge::sql {
namespace {

std::string moved(std::string_view query) {
  return requalify(query, Flavour::Postgres, "staging",
                   [](const NamePart& table) { return "\"run\".\"" + table.text + "\""; });
}

TEST(RequalifyTest, WritesTablesElsewhere) {
  EXPECT_EQ(moved("SELECT * FROM staging.p"), "SELECT * FROM \"run\".\"p\"");
  EXPECT_EQ(moved("SELECT * FROM a JOIN staging . p AS x ON true, only Staging.\"p q\""),
            "SELECT * FROM a JOIN \"run\".\"p\" AS x ON true, only \"run\".\"p q\"");
  EXPECT_EQ(moved("SELECT 1 WHERE EXISTS (SELECT 1 FROM \"staging\".p WHERE staging.p.a > 1)"),
            "SELECT 1 WHERE EXISTS (SELECT 1 FROM \"run\".\"p\" WHERE \"run\".\"p\".a > 1)");
  EXPECT_EQ(moved("WITH c AS (SELECT staging.p.* FROM staging.p) SELECT * FROM c"),
            "WITH c AS (SELECT \"run\".\"p\".* FROM \"run\".\"p\") SELECT * FROM c");
}

TEST(RequalifyTest, LeavesWhatOnlyLooksLikeIt) {
  EXPECT_EQ(moved("SELECT * FROM staging.p AS staging WHERE staging.env = 'staging.eu'"),
            "SELECT * FROM \"run\".\"p\" AS staging WHERE staging.env = 'staging.eu'");
  EXPECT_EQ(moved("SELECT staging.* FROM x AS staging /* staging.p */ -- staging.p"),
            "SELECT staging.* FROM x AS staging /* staging.p */ -- staging.p");
  EXPECT_EQ(moved("SELECT \"staging.p\", db.staging.p, $$staging.p$$ FROM x"),
            "SELECT \"staging.p\", db.staging.p, $$staging.p$$ FROM x");
}

// A text that the parser cannot read still finds its tables.
TEST(RequalifyTest, ReadsTokensWhereThereIsNoTree) {
  EXPECT_EQ(moved("SELECT ?! FROM staging.p WHERE staging.p.a = staging.b AND c = 'staging.p'"),
            "SELECT ?! FROM \"run\".\"p\" WHERE \"run\".\"p\".a = staging.b AND c = 'staging.p'");
}

}  // namespace
}  // namespace kedge::sql
