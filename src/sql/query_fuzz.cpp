// The first byte chooses the dialect, the rest is the text.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "sql/analysis.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kedge::sql;  // NOLINT(google-build-using-namespace): one function only
  if (size == 0) {
    return 0;
  }
  const auto flavour = static_cast<Flavour>(data[0] % 9);
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto facts = analyse_query(text, flavour);
  for (const auto& reference : facts.references) {
    if (reference.begin >= reference.end || reference.end > text.size()) {
      std::abort();
    }
  }
  normal_query(text, flavour);
  view_body(text, flavour);
  return 0;
}
