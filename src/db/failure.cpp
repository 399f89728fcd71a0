#include "db/failure.h"

#include <cctype>
#include <charconv>

#include "base/secrets.h"
#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::db {
namespace {

Code code_of(FailureClass failure) {
  switch (failure) {
    case FailureClass::Timeout:
      return codes::ERR_TIMEOUT;
    case FailureClass::Cancelled:
      return codes::ERR_CANCELLED;
    case FailureClass::Connection:
      return codes::ERR_CONNECT;
    case FailureClass::Schema:
    case FailureClass::Data:
    case FailureClass::Permission:
    case FailureClass::Resource:
    case FailureClass::Lock:
    case FailureClass::Other:
      return codes::ERR_STATEMENT;
  }
  return codes::ERR_STATEMENT;
}

std::string sentence_of(FailureClass failure, const std::string& name) {
  switch (failure) {
    case FailureClass::Timeout:
      return "a statement on connection '" + name + "' took too long and was stopped";
    case FailureClass::Cancelled:
      return "a statement on connection '" + name + "' was cancelled";
    case FailureClass::Connection:
      return "connection '" + name + "' was lost";
    case FailureClass::Permission:
      return "connection '" + name + "' has no right to run a statement";
    case FailureClass::Schema:
    case FailureClass::Data:
    case FailureClass::Resource:
    case FailureClass::Lock:
    case FailureClass::Other:
      return "connection '" + name + "' refused a statement";
  }
  return "connection '" + name + "' refused a statement";
}

std::string hint_of(const Failure& failure) {
  if (failure.failure == FailureClass::Permission) {
    return failure.code == codes::ERR_CONNECT
               ? "check the user, the password and what the user may do"
               : "grant the user of the connection what the statement needs";
  }
  return failure.code == codes::ERR_CONNECT
             ? "check that the database is there and answers: kedge connections test"
             : "";
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

std::string to_string(FailureClass failure) {
  switch (failure) {
    case FailureClass::Schema:
      return "schema";
    case FailureClass::Data:
      return "data";
    case FailureClass::Permission:
      return "permission";
    case FailureClass::Connection:
      return "connection";
    case FailureClass::Timeout:
      return "timeout";
    case FailureClass::Cancelled:
      return "cancelled";
    case FailureClass::Resource:
      return "resource";
    case FailureClass::Lock:
      return "lock";
    case FailureClass::Other:
      return "other";
  }
  return "other";
}

void throw_failure(const ConnectionSettings& settings, Failure failure) {
  const auto clean = [&](std::string text) {
    return base::hide_secrets(std::move(text), settings.secrets);
  };
  std::string words = clean(std::string(base::trim(failure.driver_message)));
  if (words.empty()) {
    words = "the driver gave no message";
  }
  Problem problem{failure.code,
                  clean(std::move(failure.message)),
                  std::nullopt,
                  failure.hint.empty() ? hint_of(failure) : clean(std::move(failure.hint)),
                  {{std::move(words), std::nullopt}}};
  if (!failure.native_code.empty()) {
    problem.notes.push_back({"driver code " + failure.native_code, std::nullopt});
  }
  for (std::string& detail : failure.details) {
    problem.notes.push_back({clean(std::move(detail)), std::nullopt});
  }
  if (failure.character > 0) {
    problem.notes.push_back(
        {"at character " + std::to_string(failure.character) + " of the statement", std::nullopt});
  }
  throw DatabaseError(std::move(problem), failure.failure, std::move(failure.native_code),
                      failure.character);
}

void throw_statement_failure(const ConnectionSettings& settings, std::string driver_message,
                             FailureClass failure, std::string native_code,
                             std::vector<std::string> details, std::size_t character) {
  throw_failure(settings,
                {code_of(failure), sentence_of(failure, settings.name), std::move(driver_message),
                 failure, std::move(native_code), "", std::move(details), character});
}

void throw_read_only(const ConnectionSettings& settings, std::string driver_message,
                     std::string native_code) {
  throw_failure(settings, {codes::ERR_READ_ONLY,
                           "connection '" + settings.name + "' is open for reading only",
                           std::move(driver_message),
                           FailureClass::Other,
                           std::move(native_code),
                           "",
                           {},
                           0});
}

std::string option_of(const ConnectionSettings& settings, const std::string& key,
                      std::string fallback) {
  const auto found = settings.options.find(key);
  return found == settings.options.end() || found->second.empty() ? std::move(fallback)
                                                                  : found->second;
}

double seconds_of(const ConnectionSettings& settings, const std::string& key, double fallback) {
  const std::string text = option_of(settings, key);
  if (text.empty()) {
    return fallback;
  }
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) {
    throw Error(codes::ERR_CONFIG,
                "connection '" + settings.name + "': " + key + " must be a number of seconds");
  }
  return value;
}

std::string leading_word(std::string_view sql) {
  std::size_t at = 0;
  while (at < sql.size()) {
    const std::string_view rest = sql.substr(at);
    if (std::isspace(static_cast<unsigned char>(rest[0])) != 0 || rest[0] == '(' ||
        rest[0] == ';') {
      ++at;
    } else if (rest.starts_with("--") || rest[0] == '#') {
      const std::size_t end = sql.find('\n', at);
      at = end == std::string_view::npos ? sql.size() : end + 1;
    } else if (rest.starts_with("/*!") || rest.starts_with("/*M!")) {
      return "/*!";
    } else if (rest.starts_with("/*")) {
      const std::size_t end = sql.find("*/", at + 2);
      at = end == std::string_view::npos ? sql.size() : end + 2;
    } else {
      break;
    }
  }
  std::size_t end = at;
  while (end < sql.size() && is_word(sql[end])) {
    ++end;
  }
  return base::to_upper(sql.substr(at, end - at));
}

}  // namespace kedge::db
