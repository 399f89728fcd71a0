// The HTTP side: sockets, limits, the token, request ids, metrics and a graceful stop around a
// Router. Loopback by default; another address needs a token (ERR_TOKEN_REQUIRED).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "server/metrics.h"
#include "server/router.h"

namespace kedge::server {

struct HttpOptions {
  std::string host = "127.0.0.1";
  int port = 8750;                     // 0: any free one
  std::string token;                   // empty: none is asked for (loopback only)
  std::size_t body_bytes = 1U << 20U;  // a larger body: 413
  std::size_t connections = 256;       // threads; each open connection holds one
  std::size_t concurrent = 16;         // requests at work at once; more wait
  double wait_seconds = 10;            // for a place at work; then 503
  double socket_seconds = 15;          // to read a request or write an answer
};

class HttpServer {
 public:
  // Throws ERR_LISTEN or ERR_TOKEN_REQUIRED. The router must outlive the server.
  HttpServer(HttpOptions options, const Router& router, Metrics& metrics,
             std::function<std::string()> request_id);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  int port() const;
  void run();         // until stop(); answers requests under way first
  void stop();        // from any thread or after a signal
  void cancel_all();  // what requests under way do in databases

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

bool is_loopback(std::string_view host);
// Takes the same time wherever two texts of one length differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace kedge::server
