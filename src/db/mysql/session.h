// One libmariadb connection: connecting, deadlines, cancelling through a second connection, errors
// as DatabaseError.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "db/mysql/api.h"
#include "db/watchdog.h"

namespace kedge::db::mysql {

class Session {
 public:
  explicit Session(ConnectionSettings settings);  // connects; throws ERR_CONNECT
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Api& api() const { return api_; }
  MYSQL* raw() const { return connection_; }
  const ConnectionSettings& settings() const { return settings_; }
  bool in_transaction() const;

  // The clock of one call; the statement is killed when it is over.
  std::unique_ptr<Watchdog> start_clock(double seconds);
  void send(std::string_view sql);  // throws when the server refuses it
  void run(std::string_view sql);   // one or, when allowed, several statements without results
  void allow_several(bool allowed);

  void cancel();      // thread safe
  void kill_query();  // the same without counting as a cancel
  void take_kill();   // a kill that came too late for its statement must not hit the next one
  [[noreturn]] void fail();
  [[noreturn]] void fail(MYSQL_STMT* statement);

 private:
  [[noreturn]] void fail_with(unsigned int number, const std::string& message,
                              const std::string& state);
  const Api& api_;
  ConnectionSettings settings_;
  MYSQL* connection_ = nullptr;
  unsigned long thread_ = 0;
  double default_seconds_ = 0;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> timed_out_ = false;
};

}  // namespace kedge::db::mysql
