#include "server/http.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <thread>

#include "kedge/codes.h"

namespace kedge::server {
namespace {

// A server on a free loopback port for the length of a test.
class Running {
 public:
  explicit Running(HttpOptions options = {}) : router_(routes()) {
    options.port = 0;
    server_ = std::make_unique<HttpServer>(options, router_, metrics_,
                                           [this] { return "id-" + std::to_string(++count_); });
    thread_ = std::thread([this] { server_->run(); });
  }
  ~Running() {
    server_->stop();
    thread_.join();
  }
  httplib::Client client() const { return httplib::Client("127.0.0.1", server_->port()); }

 private:
  static std::vector<Endpoint> routes() {
    const auto ok = [](const Request& request) {
      Response response;
      response.json.set("body", request.body);
      return response;
    };
    const auto slow = [](const Request&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(400));
      return Response{};
    };
    return {{"GET", "/health", "", {}, {}, {}, ok, false},
            {"POST", "/echo", "", {}, {}, {}, ok, false},
            {"GET", "/slow", "", {}, {}, {}, slow, false}};
  }
  std::atomic<int> count_ = 0;
  Metrics metrics_;
  Router router_;
  std::unique_ptr<HttpServer> server_;
  std::thread thread_;
};

TEST(Http, AnswersWithARequestId) {
  const Running running;
  httplib::Client client = running.client();
  const auto answer = client.Post("/echo", "hello", "text/plain");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "{\n  \"body\": \"hello\"\n}\n");
  EXPECT_EQ(answer->get_header_value("X-Request-Id"), "id-1");
}

TEST(Http, ATokenIsAskedForEverywhereButHealth) {
  HttpOptions options;
  options.token = "s3cret";
  const Running running(options);
  httplib::Client client = running.client();
  EXPECT_EQ(client.Get("/slow")->status, 401);
  EXPECT_EQ(client.Get("/health")->status, 200);
  EXPECT_EQ(client.Get("/slow", {{"Authorization", "Bearer s3crex"}})->status, 401);
  EXPECT_EQ(client.Get("/slow", {{"Authorization", "Bearer s3cret"}})->status, 200);
}

TEST(Http, WithoutATokenOnlyLoopback) {
  const Router router({});
  Metrics metrics;
  HttpOptions options;
  options.host = "0.0.0.0";
  try {
    const HttpServer server(options, router, metrics, [] { return ""; });
    FAIL() << "listens everywhere without a token";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_TOKEN_REQUIRED);
  }
}

TEST(Http, PagesOfAnotherOriginAreRefused) {
  const Running running;
  httplib::Client client = running.client();
  EXPECT_EQ(client.Get("/slow", {{"Origin", "https://evil.example"}})->status, 403);
  EXPECT_EQ(client.Get("/slow", {{"Origin", "http://127.0.0.1:8750"}})->status, 200);
}

TEST(Http, ALargeBodyIsRefusedAsJson) {
  HttpOptions options;
  options.body_bytes = 1000;
  const Running running(options);
  httplib::Client client = running.client();
  const auto answer = client.Post("/echo", std::string(2000, 'x'), "text/plain");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 413);
  EXPECT_NE(answer->body.find("ERR_BODY"), std::string::npos);
}

TEST(Http, MoreWorkThanPlacesIsToldToComeBack) {
  HttpOptions options;
  options.concurrent = 1;
  options.wait_seconds = 0.05;
  const Running running(options);
  std::atomic<int> refused = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      httplib::Client client = running.client();
      const auto answer = client.Get("/slow");
      refused += answer && answer->status == 503 ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(refused, 3);
}

TEST(ConstantTime, EqualOnlyWhenEqual) {
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abcabc"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
  EXPECT_FALSE(equal_in_constant_time("a", ""));
}

}  // namespace
}  // namespace kedge::server
