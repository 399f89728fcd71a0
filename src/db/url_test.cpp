#include <gtest/gtest.h>

#include "db/connection.h"

namespace kedge::db {
namespace {

using Options = std::map<std::string, std::string>;

TEST(UrlTest, TakesServersApart) {
  const auto settings = parse_url(
      "postgres://me%40home:p%3Aw%2Fd@db.example:5433/"
      "har%20bour?sslmode=require&connect_timeout=7");
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->connector, "postgres");
  EXPECT_EQ(settings->options, (Options{{"user", "me@home"},
                                        {"password", "p:w/d"},
                                        {"host", "db.example"},
                                        {"port", "5433"},
                                        {"database", "har bour"},
                                        {"ssl_mode", "require"},
                                        {"connect_timeout_seconds", "7"}}));
  EXPECT_EQ(settings->secrets, std::vector<std::string>{"p:w/d"});
  EXPECT_EQ(
      settings->name,
      "postgres://me%40home:***@db.example:5433/har%20bour?sslmode=require&connect_timeout=7");
}

TEST(UrlTest, TakesSocketsAndAddressesOfTheSixthVersion) {
  EXPECT_EQ(parse_url("postgresql://kedge@/d?host=/tmp/x&port=5432")->options,
            (Options{{"user", "kedge"}, {"database", "d"}, {"host", "/tmp/x"}, {"port", "5432"}}));
  EXPECT_EQ(
      parse_url("mysql://root@localhost/d?socket=/tmp/s")->options,
      (Options{{"user", "root"}, {"host", "localhost"}, {"database", "d"}, {"socket", "/tmp/s"}}));
  EXPECT_EQ(parse_url("mariadb://[::1]:3307/d")->options,
            (Options{{"host", "::1"}, {"port", "3307"}, {"database", "d"}}));
}

TEST(UrlTest, TakesFilesBindingsAndOdbc) {
  const auto option = [](const char* url, const char* key) {
    return parse_url(url)->options.at(key);
  };
  EXPECT_EQ(option("sqlite:a b/x.db", "path"), "a b/x.db");
  EXPECT_EQ(option("sqlite:///abs/x.db", "path"), "/abs/x.db");
  EXPECT_EQ(option("sqlite:100%.db", "path"), "100%.db");
  EXPECT_EQ(option("file:x%20y.db", "path"), "x y.db");
  EXPECT_EQ(parse_url("file:x.db")->connector, "sqlite");
  EXPECT_EQ(option("duckdb::memory:", "path"), ":memory:");
  EXPECT_EQ(option("d1:DB", "database"), "DB");
  EXPECT_EQ(option("odbc:warehouse", "dsn"), "warehouse");
  EXPECT_EQ(option("odbc:Driver=X;PWD={a;b};UID=u", "connection_string"),
            "Driver=X;PWD={a;b};UID=u");
}

TEST(UrlTest, IsNoUrlOtherwise) {
  for (const char* text :
       {"main", "", "metadata:", "sql:x.sql", "snapshot:", "chain:", "empty:", "postgres:nothing",
        "postgres://h:port/d", "postgres://[::1/d", "https://x"}) {
    EXPECT_FALSE(parse_url(text)) << text;
  }
}

TEST(UrlTest, HidesEverySecretOfAUrl) {
  for (const char* url :
       {"postgres://me:Kiel-1@h/d", "postgres://me:Ki/Kiel-1@h/d", "postgres://me:Ki?Kiel-1@h/d",
        "postgres://me:Ki@Kiel-1@h/d", "postgres://h/d?password=Kiel-1",
        "mysql://h/d?x=1&sslpassword=Kiel-1", "odbc:Driver=X;PWD=Kiel-1;UID=u",
        "odbc:Driver=X;Password={a;Kiel-1};UID=u", "d1:DB?api_token=Kiel-1",
        "postgres://:Kiel-1@h/d", "postgres:/me:Kiel-1@h/d", "mysql:me:Kiel-1@h/d",
        "postgres:////me:Kiel-1@h/d", "nosuch:/me:Kiel-1@h/d"}) {
    const std::string shown = redact_url(url);
    EXPECT_EQ(shown.find("Kiel-1"), std::string::npos) << shown;
    EXPECT_NE(shown.find("***"), std::string::npos) << shown;
    if (const auto settings = parse_url(url)) {
      EXPECT_EQ(settings->name.find("Kiel-1"), std::string::npos);
    }
  }
  EXPECT_EQ(redact_url("postgres://h:5432/d"), "postgres://h:5432/d");
  EXPECT_EQ(redact_url("sqlite:x.db"), "sqlite:x.db");
  EXPECT_EQ(redact_url("odbc:Driver=X;PWD={a;b};UID=u"), "odbc:Driver=X;PWD=***;UID=u");
}

}  // namespace
}  // namespace kedge::db
