// One libpq connection: connecting and every wait with a deadline, cancelling from another thread,
// errors as DatabaseError. Knows nothing about rows, types or read-only rules.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "db/postgres/api.h"

namespace kedge::db::postgres {

struct ClearResult {
  const Api* api = nullptr;
  void operator()(PGresult* result) const { api->PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

class Session {
 public:
  explicit Session(ConnectionSettings settings);  // connects; throws ERR_CONNECT
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Api& pq() const { return api_; }
  PGconn* raw() const { return connection_; }
  const ConnectionSettings& settings() const { return settings_; }

  // Starts the clock of one call; 0 = the connection's default. extend() starts it again.
  void start_clock(double seconds);
  void extend();

  void send(const std::string& sql);  // simple protocol: may hold several statements
  void send(const std::string& sql, std::span<const Value> parameters);  // one statement
  void send_describe(const std::string& sql);                            // parse, then describe
  void check_sent(int sent);  // 0: throws what libpq says
  Result next();              // null after the last; not checked for errors
  Result next_checked();      // throws when it is an error
  void drain();               // reads and drops everything that is left; never throws
  void flush();               // until everything is written; reads meanwhile
  void wait(short events);    // for the socket, minding the deadline

  // Runs to the end and gives the last result; throws on the first error.
  Result run(const std::string& sql);

  void cancel();  // thread safe
  [[noreturn]] void fail(const PGresult* result);

 private:
  void connect();
  void ask_to_stop();
  const Api& api_;
  ConnectionSettings settings_;
  PGconn* connection_ = nullptr;
  PGcancel* cancel_ = nullptr;
  double default_seconds_ = 0;
  double seconds_ = 0;
  std::chrono::steady_clock::time_point deadline_;
  std::atomic<bool> cancelled_ = false;
  bool timed_out_ = false;
};

}  // namespace kedge::db::postgres
