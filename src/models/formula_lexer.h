// Tokens of the formula language. Internal to src/models.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kedge::models {

struct FormulaToken {
  enum class Kind { Name, Numeral, String, Placeholder, Symbol, End, Error };
  Kind kind = Kind::End;
  std::string text;  // String: the content; Placeholder: the name
  std::size_t begin = 0;
  std::size_t end = 0;
};

// Ends with an End or an Error token.
std::vector<FormulaToken> tokenize_formula(std::string_view text);

}  // namespace kedge::models
