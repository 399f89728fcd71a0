#include "kedge/codes.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace kedge {
namespace {

// Not std::array: clang gives up on deducing it from so many entries.
constexpr CodeEntry kCodes[] = {
#define KEDGE_CODE(name, code_class, severity, exit, purpose, since) \
  CodeEntry{codes::name, CodeClass::code_class, Severity::severity, exit, purpose, since},
#include "base/codes.def"
#undef KEDGE_CODE
};

std::vector<const CodeEntry*> sorted_codes() {
  std::vector<const CodeEntry*> sorted;
  sorted.reserve(std::size(kCodes));
  for (const CodeEntry& entry : kCodes) {
    sorted.push_back(&entry);
  }
  std::sort(sorted.begin(), sorted.end(),
            [](const CodeEntry* a, const CodeEntry* b) { return a->code < b->code; });
  return sorted;
}

}  // namespace

std::span<const CodeEntry> all_codes() {
  return kCodes;
}

const CodeEntry* find_code(std::string_view name) {
  static const std::vector<const CodeEntry*> sorted = sorted_codes();
  const auto found = std::lower_bound(
      sorted.begin(), sorted.end(), name,
      [](const CodeEntry* entry, std::string_view wanted) { return entry->code.name() < wanted; });
  return found != sorted.end() && (*found)->code.name() == name ? *found : nullptr;
}

int exit_code_of(Code code) {
  const CodeEntry* entry = find_code(code.name());
  return entry == nullptr ? 2 : entry->exit;
}

int http_status_of(Code code) {
  const CodeEntry* entry = find_code(code.name());
  if (entry == nullptr) {
    return 500;
  }
  switch (entry->code_class) {
    case CodeClass::Drift:
    case CodeClass::Config:
    case CodeClass::Database:
      return 422;
    case CodeClass::Usage:
      return 400;
    case CodeClass::Connection:
      return 502;
    case CodeClass::NotFound:
      return 404;
    case CodeClass::Timeout:
      return 504;
    case CodeClass::Locked:
      return 409;
    case CodeClass::Warning:
      return 200;
    case CodeClass::Internal:
      return 500;
  }
  return 500;
}

}  // namespace kedge
