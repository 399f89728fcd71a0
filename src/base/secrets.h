// What must never be shown: which keys hold a secret, the secrets of a connection string, and the
// masking of texts.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::base {

inline constexpr std::string_view kMask = "***";

// "password", "SSLPassphrase", "auth_token": by the words in it.
bool is_secret_key(std::string_view key);

// Calls visit(key, begin, end) for each "key=value;" of an ODBC connection string. The value's
// range takes in its braces, in which "}}" is a brace.
using OdbcVisitor = std::function<void(std::string_view key, std::size_t begin, std::size_t end)>;
void each_odbc_pair(std::string_view text, const OdbcVisitor& visit);
// The values of its secret keys, as written and without their braces: a driver may say them alone.
std::vector<std::string> odbc_secrets(std::string_view text);

// `kept` stand for themselves beside letters, digits and "-_.~".
std::string percent_encode(std::string_view text, std::string_view digits, std::string_view kept);
// Replaces every secret, also in its percent-encoded forms, by ***.
std::string hide_secrets(std::string text, std::span<const std::string> secrets);

}  // namespace kedge::base
