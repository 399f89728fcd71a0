#include <string>

#include "base/text.h"
#include "cli/code_pages.h"
#include "cli/commands.h"
#include "kedge/codes.h"
#include "report/problem.h"

namespace kedge::cli {
namespace {

std::string text_of(CodeClass code_class) {
  switch (code_class) {
    case CodeClass::Drift:
      return "drift or refusal";
    case CodeClass::Usage:
      return "usage";
    case CodeClass::Config:
      return "project files";
    case CodeClass::Connection:
      return "connection";
    case CodeClass::Database:
      return "database";
    case CodeClass::NotFound:
      return "not found";
    case CodeClass::Timeout:
      return "time-out";
    case CodeClass::Locked:
      return "locked";
    case CodeClass::Warning:
      return "warning";
    case CodeClass::Internal:
      return "internal";
  }
  return "";
}

// What the code's page says below "## Example"; empty when it has none.
std::string example_of(const CodeEntry& entry) {
  static constexpr std::string_view kHeading = "\n## Example\n\n";
  const std::string path = std::string(entry.code.name()) + ".md";
  for (const base::EmbeddedFile& page : embedded_code_pages()) {
    const std::size_t at = page.path == path ? page.text.find(kHeading) : std::string_view::npos;
    if (at != std::string_view::npos) {
      return std::string(page.text.substr(at + kHeading.size()));
    }
  }
  return "";
}

document::Json code_json(const CodeEntry& entry) {
  document::Json json;
  json.set("code", entry.code.name());
  json.set("class", text_of(entry.code_class));
  json.set("exit_code", entry.exit);
  json.set("purpose", entry.purpose);
  json.set("since", entry.since);
  if (const std::string example = example_of(entry); !example.empty()) {
    json.set("example", example);
  }
  return json;
}

void print_code(const CodeEntry& entry, Terminal& terminal) {
  terminal.out.write(std::string(entry.code.name()) + "\n  " + std::string(entry.purpose) +
                     ".\n  Class: " + text_of(entry.code_class) + "; exit code: " +
                     std::to_string(entry.exit) + "; since " + std::string(entry.since) + "\n");
  if (const std::string example = example_of(entry); !example.empty()) {
    terminal.out.write("\nExample\n\n" + example);
  }
}

const CodeEntry& get_code(const std::string& name) {
  if (const CodeEntry* entry = find_code(name)) {
    return *entry;
  }
  std::vector<std::string> known;
  for (const CodeEntry& entry : all_codes()) {
    known.emplace_back(entry.code.name());
  }
  throw Error(codes::ERR_UNKNOWN_CODE,
              "there is no code '" + name + "'" + base::did_you_mean(name, known),
              "kedge explain without a code lists them all");
}

int explain(Invocation& invocation) {
  const std::vector<std::string>& names = invocation.arguments.positionals();
  if (invocation.json()) {
    document::Json list = document::Json::array();
    for (const std::string& name : names) {
      list.push(code_json(get_code(name)));
    }
    if (names.empty()) {
      for (const CodeEntry& entry : all_codes()) {
        list.push(code_json(entry));
      }
    }
    invocation.terminal.out.write(document::write_json(list) + "\n");
    return 0;
  }
  for (const std::string& name : names) {
    print_code(get_code(name), invocation.terminal);
  }
  if (names.empty()) {
    for (const CodeEntry& entry : all_codes()) {
      invocation.terminal.out.write(std::string(entry.code.name()) + "  " +
                                    std::string(entry.purpose) + "\n");
    }
  }
  return 0;
}

}  // namespace

std::vector<Command> general_commands() {
  return {{"explain",
           "Say what a code means",
           {},
           {{"CODE", "For instance PZ0331", false, true}},
           explain,
           "",
           {"text", "json"}}};
}

}  // namespace kedge::cli
