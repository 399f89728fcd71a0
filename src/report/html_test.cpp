#include "report/html.h"

#include <gtest/gtest.h>

namespace kedge::report {
namespace {

TEST(Html, DataCannotEndTheirElement) {
  document::Json data;
  data.set("generated", "</script><script>alert(1)</script> @JS@ @CSS@");
  const std::string html = html_report(data);
  EXPECT_EQ(html.find("<script>alert"), std::string::npos);
  EXPECT_NE(html.find("\\u003c/script>\\u003cscript>alert(1)\\u003c/script> @JS@ @CSS@"),
            std::string::npos);
}

TEST(Html, IsSelfContained) {
  const std::string html = html_report(document::Json::object());
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("@DATA@"), std::string::npos);
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(html.find("const drawGraph"), std::string::npos);
}

}  // namespace
}  // namespace kedge::report
