#include "cli/command.h"

#include "base/text.h"

namespace kedge::cli {

std::optional<std::string> Arguments::find(const std::string& flag) const {
  const auto found = values_.find(flag);
  if (found == values_.end() || found->second.empty()) {
    return std::nullopt;
  }
  return found->second.back();
}

std::string Arguments::get(const std::string& flag, const std::string& fallback) const {
  return find(flag).value_or(fallback);
}

const std::vector<std::string>& Arguments::all(const std::string& flag) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(flag);
  return found == values_.end() ? kNone : found->second;
}

std::vector<std::string> Arguments::list(const std::string& flag) const {
  std::vector<std::string> items;
  for (const std::string& occurrence : all(flag)) {
    for (const std::string& part : base::split(occurrence, ',')) {
      const std::string_view item = base::trim(part);
      if (!item.empty()) {
        items.emplace_back(item);
      }
    }
  }
  return items;
}

void Invocation::print(const document::Json& form, const std::string& text) const {
  terminal.out.write(json() ? document::write_json(form) + "\n" : text);
}

std::string Terminal::read_all_input() const {
  std::string text;
  while (const std::optional<std::string> line = read_line(kWholeLine)) {
    text += *line + "\n";
  }
  return text;
}

}  // namespace kedge::cli
