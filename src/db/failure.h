// How connectors report: the driver's words become a DatabaseError with a failure class, secrets
// replaced. Classifying is one table per driver, next to that driver.
#pragma once

#include <string>
#include <string_view>

#include "db/connection.h"

namespace kedge::db {

struct Failure {
  Code code;
  std::string message;         // names the connection, no trailing period
  std::string driver_message;  // as the driver said it
  FailureClass failure = FailureClass::Other;
  std::string native_code;  // SQLSTATE, errno, result code
  std::string hint;
  std::vector<std::string> details;  // more of the driver's words
  std::size_t character = 0;         // DatabaseError::character()
};

// Every text is redacted with the secrets of the settings.
[[noreturn]] void throw_failure(const ConnectionSettings& settings, Failure failure);

// A statement that failed: the code follows from the class (ERR_TIMEOUT, ERR_CANCELLED,
// ERR_CONNECT when the connection is lost, else ERR_STATEMENT).
[[noreturn]] void throw_statement_failure(const ConnectionSettings& settings,
                                          std::string driver_message, FailureClass failure,
                                          std::string native_code,
                                          std::vector<std::string> details = {},
                                          std::size_t character = 0);
[[noreturn]] void throw_read_only(const ConnectionSettings& settings, std::string driver_message,
                                  std::string native_code);

// An option of the settings, or the fallback when absent or empty.
std::string option_of(const ConnectionSettings& settings, const std::string& key,
                      std::string fallback = {});
// A number of seconds; the fallback when absent. Throws ERR_CONFIG when it is no number >= 0.
double seconds_of(const ConnectionSettings& settings, const std::string& key, double fallback);

// The first word of a statement in upper case, comments and opening parentheses skipped; "/*!" for
// the executable comments of mysql; empty when there is none.
std::string leading_word(std::string_view sql);

}  // namespace kedge::db
