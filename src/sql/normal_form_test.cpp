#include <gtest/gtest.h>

#include "sql/analysis.h"

namespace kedge::sql {
namespace {

TEST(NormalFormTest, ForgetsWhatPostgresAdds) {
  const auto n = [](const char* text) {
    return normal_expression(text, schema::Dialect::Postgres);
  };
  EXPECT_EQ(
      n("((status)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))"),
      n("status in ('a','b')"));
  EXPECT_EQ(n("'-1'::integer"), n("-1"));
  EXPECT_EQ(n("(x >= 1) AND (x <= 5)"), n("x between 1 and 5"));
  EXPECT_NE(n("a AND (b OR c)"), n("(a AND b) OR c"));
  EXPECT_NE(n("s = 'Open'"), n("s = 'open'"));
}

}  // namespace
}  // namespace kedge::sql
