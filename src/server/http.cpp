// The only home of cpp-httplib.
#include "server/http.h"

#include <httplib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/text.h"
#include "kedge/codes.h"
#include "server/hang_ups.h"

namespace kedge::server {
// Places at work. A request that finds none waits a while, then is told to come back.
class Places {
 public:
  Places(std::size_t places, double wait_seconds) : free_(places), wait_(wait_seconds) {}
  bool take() {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::duration<double>(wait_), [&] { return free_ > 0; })) {
      return false;
    }
    --free_;
    return true;
  }
  void give_back() {
    const std::lock_guard lock(mutex_);
    ++free_;
    changed_.notify_one();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t free_;
  double wait_;
};

namespace {

Request make_request(const httplib::Request& from, std::string body, std::string id) {
  Request request;
  request.method = from.method;
  request.path = from.path;
  for (const auto& [name, value] : from.params) {
    request.query[name] = value;
  }
  for (const auto& [name, value] : from.headers) {
    request.headers[base::to_lower(name)] = value;
  }
  request.body = std::move(body);
  request.content_type = from.get_header_value("Content-Type");
  request.id = std::move(id);
  return request;
}

bool is_other_method(const std::string& method) {
  static constexpr std::array<std::string_view, 7> kRouted = {"GET",   "HEAD",   "POST",   "PUT",
                                                              "PATCH", "DELETE", "OPTIONS"};
  return !method.empty() &&
         method.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") == std::string::npos &&
         std::find(kRouted.begin(), kRouted.end(), method) == kRouted.end();
}

// "127.0.0.1:8750", "[::1]:8750": without the port.
std::string host_of(const std::string& authority) {
  if (authority.starts_with('[')) {
    const std::size_t close = authority.find(']');
    return close == std::string::npos ? "" : authority.substr(1, close - 1);
  }
  return base::to_lower(authority.substr(0, authority.find(':')));
}

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 19 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

// Where a body ends must not be a matter of opinion between this server and what stands before it.
bool is_framed(const httplib::Request& request) {
  const std::size_t hosts = request.get_header_value_count("Host");
  const std::size_t lengths = request.get_header_value_count("Content-Length");
  const std::size_t encodings = request.get_header_value_count("Transfer-Encoding");
  const bool chunked = base::equals_ignoring_case(
      base::trim(request.get_header_value("Transfer-Encoding")), "chunked");
  return lengths + encodings <= 1 && hosts <= 1 && (hosts == 1 || request.version == "HTTP/1.0") &&
         (lengths == 0 || is_number(request.get_header_value("Content-Length"))) &&
         (encodings == 0 || chunked);
}

void send(const Response& response, httplib::Response& to) {
  to.status = response.status;
  for (const auto& [name, value] : response.headers) {
    to.set_header(name, value);
  }
  const bool json = response.content_type == "application/json";
  const std::string body = json ? document::write_json(response.json) + "\n" : response.text;
  to.set_content(body, response.content_type);
}

}  // namespace

bool is_loopback(std::string_view host) {
  return host == "localhost" || host == "::1" ||
         (host.starts_with("127.") &&  // not a name that begins so
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto other = static_cast<unsigned char>(b.empty() ? 0 : b[i % b.size()]);
    difference = static_cast<unsigned char>(
        difference | static_cast<unsigned char>(static_cast<unsigned char>(a[i]) ^ other));
  }
  return difference == 0;
}

struct HttpServer::Impl {
  HttpOptions options;
  const Router& router;
  Metrics& metrics;
  std::function<std::string()> request_id;
  Places places;
  HangUps hang_ups;
  httplib::Server server;
  int port = 0;

  Impl(HttpOptions from, const Router& routes, Metrics& numbers, std::function<std::string()> id)
      : options(std::move(from)),
        router(routes),
        metrics(numbers),
        request_id(std::move(id)),
        places(options.concurrent, options.wait_seconds) {}

  bool authorized(const httplib::Request& request) const {
    // The page is the same for all and holds nothing; it asks for the token that its data needs.
    const bool page = request.path == "/" && (request.method == "GET" || request.method == "HEAD");
    if (options.token.empty() || request.path == "/health" || page) {
      return true;
    }
    constexpr std::string_view kScheme = "bearer ";
    const std::string given = request.get_header_value("Authorization");
    return base::equals_ignoring_case(std::string_view(given).substr(0, kScheme.size()), kScheme) &&
           equal_in_constant_time(base::trim(std::string_view(given).substr(kScheme.size())),
                                  options.token);
  }

  // A page elsewhere in a browser must not be able to ask a server on loopback: neither by itself
  // nor through a name of its own that it lets point here.
  bool foreign(const httplib::Request& request) const {
    if (!options.token.empty()) {
      return false;
    }
    const std::string origin = request.get_header_value("Origin");
    const std::size_t scheme = origin.find("://");
    const std::string from = scheme == std::string::npos ? origin : origin.substr(scheme + 3);
    return (!origin.empty() && !is_loopback(host_of(from))) ||
           (request.has_header("Host") && !is_loopback(host_of(request.get_header_value("Host"))));
  }

  Response answer(const httplib::Request& from, const std::string& body, const std::string& id) {
    if (!authorized(from)) {
      Response response =
          error_response(401, codes::ERR_UNAUTHORIZED.name(), "a bearer token is needed");
      response.headers["WWW-Authenticate"] = "Bearer";
      return response;
    }
    if (foreign(from)) {
      return error_response(
          403, codes::ERR_UNAUTHORIZED.name(),
          "requests from pages of another origin, or for another host, are refused",
          "a server with a token answers them");
    }
    if (from.path == "/health" || from.path == "/metrics") {
      return router.dispatch(make_request(from, body, id));  // these must answer under load
    }
    if (!places.take()) {
      Response response = error_response(503, codes::ERR_OVERLOADED.name(),
                                         "too many requests are under way", "try again later");
      response.headers["Retry-After"] = "5";
      return response;
    }
    Response response;
    try {
      app::Cancellation cancellation;
      const HangUps::Watch watch(hang_ups, from.remote_addr, from.remote_port, cancellation);
      Request request = make_request(from, body, id);
      request.cancellation = &cancellation;
      response = router.dispatch(std::move(request));
    } catch (const std::exception& error) {
      response = error_response(500, codes::ERR_INTERNAL.name(), error.what());
    }
    places.give_back();
    return response;
  }

  void handle(const httplib::Request& from, const std::string& body, httplib::Response& to) {
    const auto begin = std::chrono::steady_clock::now();
    const std::string id = request_id();
    metrics.enter();
    const Response response = answer(from, body, id);
    metrics.leave();
    send(response, to);
    to.set_header("X-Request-Id", id);
    to.set_header("X-Content-Type-Options", "nosniff");
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    metrics.request(from.method, router.pattern_of(from.method, from.path), response.status,
                    took.count());
  }

  void configure() {
    server.new_task_queue = [count = options.connections] {
      return new httplib::ThreadPool(count);
    };
    // Without SO_REUSEPORT (the library's default): a second server on a port must be refused.
    server.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    server.set_payload_max_length(options.body_bytes);
    const auto seconds = static_cast<time_t>(options.socket_seconds);
    server.set_read_timeout(seconds, 0);
    server.set_write_timeout(seconds, 0);
    // One request a connection. What a request leaves unread (a body that its method does not have,
    // one that is too large or malformed) would else be taken for the next request, and an idle
    // client would hold one of the places for connections.
    server.set_keep_alive_max_count(1);
    server.Get(".*", [this](const httplib::Request& from, httplib::Response& to) {
      handle(from, "", to);
    });
    server.Options(".*", [this](const httplib::Request& from, httplib::Response& to) {
      handle(from, "", to);
    });
    // Bodies are read here: left to the library, one of a form's content type (what curl sends
    // unless told otherwise) is parsed as a form and refused above 8 KiB.
    const auto with_body = [this](const httplib::Request& from, httplib::Response& to,
                                  const httplib::ContentReader& reader) {
      std::string body;
      // A request that announces no body has none; the library would wait for the client to close.
      const bool announced =
          from.has_header("Content-Length") || from.has_header("Transfer-Encoding");
      const bool whole = !announced || reader([&](const char* data, std::size_t length) {
        if (body.size() + length > options.body_bytes) {
          return false;
        }
        body.append(data, length);
        return true;
      });
      if (whole) {
        handle(from, body, to);
      } else {
        to.status = to.status == -1 || to.status == 200 ? 413 : to.status;
      }
    };
    server.Post(".*", with_body);
    server.Put(".*", with_body);
    server.Patch(".*", with_body);
    server.Delete(".*", with_body);
    server.set_pre_routing_handler([](const httplib::Request& from, httplib::Response& to) {
      if (is_framed(from)) {
        return httplib::Server::HandlerResponse::Unhandled;
      }
      to.status = 400;
      return httplib::Server::HandlerResponse::Handled;
    });
    server.set_error_handler([this](const httplib::Request& from, httplib::Response& to) {
      if (!to.has_header("X-Request-Id")) {  // the library answered before a handler was asked
        to.set_header("X-Request-Id", request_id());
        to.set_header("X-Content-Type-Options", "nosniff");
      }
      if (to.body.empty() && to.status == 400 && is_other_method(from.method)) {
        to.status = 405;  // the library takes it for malformed; it is well-formed and not offered
        to.set_header("Allow", "GET, HEAD, POST");
        const Response response = error_response(405, "method_not_allowed",
                                                 from.method + " is not possible on this server");
        to.set_content(document::write_json(response.json) + "\n", "application/json");
      } else if (to.body.empty()) {
        const char* message =
            to.status == 413 ? "the body is too large" : "the request is malformed";
        const Response response = error_response(to.status, codes::ERR_BODY.name(), message);
        to.set_content(document::write_json(response.json) + "\n", "application/json");
      }
    });
  }
};

HttpServer::HttpServer(HttpOptions options, const Router& router, Metrics& metrics,
                       std::function<std::string()> request_id)
    : impl_(std::make_unique<Impl>(std::move(options), router, metrics, std::move(request_id))) {
  const HttpOptions& set = impl_->options;
  if (!is_loopback(set.host) && set.token.empty()) {
    throw Error(codes::ERR_TOKEN_REQUIRED,
                "refusing to listen on '" + set.host + "' without a token",
                "give --token-file or set KEDGE_TOKEN, or listen on 127.0.0.1");
  }
  impl_->configure();
  if (set.port == 0) {
    impl_->port = impl_->server.bind_to_any_port(set.host);
  } else {
    impl_->port = impl_->server.bind_to_port(set.host, set.port) ? set.port : -1;
  }
  if (impl_->port <= 0) {
    throw Error(codes::ERR_LISTEN, "cannot listen on " + set.host + ":" + std::to_string(set.port),
                "choose another --port; 0 takes any free one");
  }
}

HttpServer::~HttpServer() = default;
int HttpServer::port() const {
  return impl_->port;
}
void HttpServer::run() {
  impl_->server.listen_after_bind();
}
void HttpServer::cancel_all() {
  impl_->hang_ups.cancel_all();
}
void HttpServer::stop() {
  impl_->server.stop();
}

}  // namespace kedge::server
