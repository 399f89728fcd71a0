#include "server/router.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::server {
namespace {

Endpoint endpoint(std::string method, std::string pattern,
                  std::function<Response(const Request&)> handle) {
  return {std::move(method), std::move(pattern), "summary", {}, {}, {}, std::move(handle), false};
}

Router sample() {
  return Router({endpoint("GET", "/models/{data_source}/{name}",
                          [](const Request& request) {
                            Response response;
                            response.json.set("name", request.parameters.at("name"));
                            return response;
                          }),
                 endpoint("POST", "/fails", [](const Request&) -> Response {
                   throw Error(codes::ERR_CONNECT, "no database", "start it");
                 })});
}

Request request(std::string method, std::string path, std::string body = {}) {
  Request made;
  made.method = std::move(method);
  made.path = std::move(path);
  made.body = std::move(body);
  return made;
}

std::string body_of(const Response& response) {
  return document::write_json(response.json, -1);
}

TEST(Router, FillsThePartsOfThePattern) {
  const Response response = sample().dispatch(request("GET", "/models/main/crates"));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(body_of(response), R"({"name":"crates"})");
}

TEST(Router, UnknownPathAndWrongMethod) {
  EXPECT_EQ(sample().dispatch(request("GET", "/models/main")).status, 404);
  const Response wrong = sample().dispatch(request("DELETE", "/models/main/crates"));
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.headers.at("Allow"), "GET");
}

TEST(Router, AnErrorGetsTheStatusOfItsClass) {
  const Response response = sample().dispatch(request("POST", "/fails"));
  EXPECT_EQ(response.status, 502);
  EXPECT_EQ(body_of(response),
            R"({"error":"ERR_CONNECT","message":"no database","hint":"start it"})");
}

TEST(Body, MalformedNonObjectAndUnknownKeysAreRefused) {
  EXPECT_THROW(parse_body(request("POST", "/", "{"), EmptyBody::Allowed), Error);
  EXPECT_THROW(parse_body(request("POST", "/", "[1]"), EmptyBody::Allowed), Error);
  EXPECT_THROW(parse_body(request("POST", "/", ""), EmptyBody::Refused), Error);
  const document::Document body =
      parse_body(request("POST", "/", R"({"data_sorce": "x"})"), EmptyBody::Allowed);
  try {
    refuse_unknown_keys(body.root, {"data_source", "deep"});
    FAIL() << "an unknown key was taken";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "unknown key 'data_sorce', did you mean 'data_source'?");
    EXPECT_EQ(error.code(), codes::unknown_key);
  }
}

TEST(Body, MembersHaveTheirType) {
  const document::Document body =
      parse_body(request("POST", "/", R"({"a": 1, "b": true, "c": ["x"]})"), EmptyBody::Allowed);
  EXPECT_THROW(text_member(body.root, "a"), Error);
  EXPECT_TRUE(flag_member(body.root, "b"));
  EXPECT_EQ(list_member(body.root, "c"), std::vector<std::string>{"x"});
  EXPECT_EQ(text_member(body.root, "none"), std::nullopt);
}

TEST(OpenApi, ListsEveryEndpointWithItsPathParameters) {
  const document::Json document = openapi_document(sample().endpoints());
  const document::Json* get =
      document.find("paths")->find("/models/{data_source}/{name}")->find("get");
  ASSERT_NE(get, nullptr);
  EXPECT_EQ(get->find("parameters")->as_array()->size(), 2U);
  EXPECT_EQ(*get->find("operationId")->as_string(), "get_models_data_source_name");
}

}  // namespace
}  // namespace kedge::server
