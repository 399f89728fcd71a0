#include "base/secrets.h"

#include <gtest/gtest.h>

namespace kedge::base {
namespace {

TEST(SecretsTest, KeysAreKnownByTheirWords) {
  for (const char* key : {"password", "PWD", "Passwd", "sslpassphrase", "client_secret", "token"}) {
    EXPECT_TRUE(is_secret_key(key)) << key;
  }
  EXPECT_FALSE(is_secret_key("user"));
}

TEST(SecretsTest, AConnectionStringGivesTheValuesOfItsSecretKeys) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(odbc_secrets("Driver={X;Y};UID=u;passwd=one;Passphrase= two ;Port=1"),
            (Texts{"one", " two "}));
  EXPECT_EQ(odbc_secrets("PWD={a;b};UID=u"), (Texts{"{a;b}", "a;b"}));
  EXPECT_EQ(odbc_secrets("PWD={a}};b};UID=u"), (Texts{"{a}};b}", "a}};b", "a};b"}));
  EXPECT_EQ(odbc_secrets("PWD={open;UID=u"), (Texts{"{open;UID=u"}));
  EXPECT_EQ(odbc_secrets("PWD=;nothing"), Texts());
}

TEST(SecretsTest, HidesEverySpellingLongestFirst) {
  const std::vector<std::string> secrets = {"p w/d", "p w", "a!b c"};
  EXPECT_EQ(hide_secrets("a *** b p%20w%2Fd c p%20w%2fd d p w e p w/d", secrets),
            "a *** b *** c *** d *** e ***");
  EXPECT_EQ(hide_secrets("u:a!b%20c@h u:a%21b%20c@h", secrets), "u:***@h u:***@h");
  EXPECT_EQ(hide_secrets("nothing", {}), "nothing");
}

}  // namespace
}  // namespace kedge::base
