#include "cli/reference.h"

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::cli {
namespace {

std::string spelling(const Flag& flag) {
  std::string text = base::replace_all(flag.name, ",", ", ");
  if (flag.kind != FlagKind::Switch && !flag.value.empty()) {
    text += " " + flag.value;
  }
  return text;
}

std::vector<Flag> flags_of(const Command& command) {
  std::vector<Flag> flags = command.flags;
  if (!command.formats.empty()) {
    flags.push_back({"--format", FlagKind::Value, base::join(command.formats, "|"), "Output format",
                     command.formats});
  }
  flags.push_back({"-C", FlagKind::Value, "DIR", "Project folder (default: the current one)", {}});
  return flags;
}

std::string synopsis(const Command& command) {
  std::string text = "kedge " + command.name + " [options]";
  for (const Positional& positional : command.positionals) {
    const std::string name = positional.name + (positional.many ? "..." : "");
    text += positional.required ? " " + name : " [" + name + "]";
  }
  return text;
}

std::string file_of(const Command& command) {
  return base::replace_all(command.name, " ", "-");
}

std::string escape_cell(const std::string& text) {
  return base::replace_all(text, "|", "\\|");
}

std::string command_page(const Command& command) {
  std::string page = "# kedge " + command.name + "\n\n" + command.summary + ".\n\n```\n" +
                     synopsis(command) + "\n```\n";
  if (!command.positionals.empty()) {
    page += "\n| argument | meaning |\n|---|---|\n";
    for (const Positional& positional : command.positionals) {
      page += "| `" + positional.name + "` | " + escape_cell(positional.help) + " |\n";
    }
  }
  page += "\n| flag | meaning |\n|---|---|\n";
  for (const Flag& flag : flags_of(command)) {
    page += "| `" + escape_cell(spelling(flag)) + "` | " + escape_cell(flag.help) +
            (flag.kind == FlagKind::List ? " (repeatable)" : "") + " |\n";
  }
  if (!command.details.empty()) {
    page += "\n" + command.details + "\n";
  }
  return page;
}

std::string code_page(const CodeEntry& entry) {
  std::string page =
      "# " + std::string(entry.code.name()) + "\n\n" + std::string(entry.purpose) + ".\n\n";
  page += "- exit code of a command that stops with it: " + std::to_string(entry.exit) + "\n";
  page += "- HTTP status: " + std::to_string(http_status_of(entry.code)) + "\n";
  page += "- since " + std::string(entry.since) + "\n";
  return page;
}

// Text in a man page: backslashes and leading dots are commands there.
std::string man_text(const std::string& text) {
  std::string result = base::replace_all(text, "\\", "\\e");
  result = base::replace_all(std::move(result), "-", "\\-");
  result = base::replace_all(std::move(result), "\n.", "\n\\&.");
  return result.starts_with('.') ? "\\&" + result : result;
}

std::string man_page(const Command& command) {
  const std::string title = base::to_upper("kedge-" + file_of(command));
  std::string page = ".TH " + man_text(title) + " 1 \"\" \"kedge " + KEDGE_VERSION + "\"\n";
  page += ".SH NAME\n" + man_text("kedge-" + file_of(command)) + " \\- " +
          man_text(command.summary) + "\n";
  page += ".SH SYNOPSIS\n" + man_text(synopsis(command)) + "\n";
  if (!command.positionals.empty()) {
    page += ".SH ARGUMENTS\n";
    for (const Positional& positional : command.positionals) {
      page += ".TP\n" + man_text(positional.name) + "\n" + man_text(positional.help) + "\n";
    }
  }
  page += ".SH OPTIONS\n";
  for (const Flag& flag : flags_of(command)) {
    page += ".TP\n" + man_text(spelling(flag)) + "\n" + man_text(flag.help) + "\n";
  }
  if (!command.details.empty()) {
    page += ".SH DESCRIPTION\n" + man_text(command.details) + "\n";
  }
  page += ".SH SEE ALSO\nkedge(1)\n";
  return page;
}

std::string main_man_page(const std::vector<Command>& commands) {
  std::string page = ".TH KEDGE 1 \"\" \"kedge " + std::string(KEDGE_VERSION) + "\"\n";
  page +=
      ".SH NAME\nkedge \\- finds where declared data and real data have drifted apart\n"
      ".SH SYNOPSIS\nkedge [\\-C DIR] COMMAND [options]\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    page += ".TP\n" + man_text(command.name) + "\n" + man_text(command.summary) + "\n";
  }
  page +=
      ".SH EXIT STATUS\n0: nothing wrong. 1: drift or a failed check. 2: usage or operation. A "
      "page "
      "that says otherwise is right.\n";
  return page;
}

}  // namespace

std::vector<GeneratedFile> reference_pages(const std::vector<Command>& commands) {
  std::vector<GeneratedFile> files;
  std::string index = "# Commands\n\n| command | does |\n|---|---|\n";
  for (const Command& command : commands) {
    files.push_back({"commands/" + file_of(command) + ".md", command_page(command)});
    index += "| [" + command.name + "](" + file_of(command) + ".md) | " +
             escape_cell(command.summary) + " |\n";
  }
  files.push_back({"commands/README.md", index});
  index = "# Codes\n\n`kedge explain CODE` says the same.\n\n| code | meaning |\n|---|---|\n";
  for (const CodeEntry& entry : all_codes()) {
    const std::string name(entry.code.name());
    files.push_back({"codes/" + name + ".md", code_page(entry)});
    index +=
        "| [" + name + "](" + name + ".md) | " + escape_cell(std::string(entry.purpose)) + " |\n";
  }
  files.push_back({"codes/README.md", index});
  return files;
}

std::vector<GeneratedFile> man_pages(const std::vector<Command>& commands) {
  std::vector<GeneratedFile> files;
  files.push_back({"kedge.1", main_man_page(commands)});
  for (const Command& command : commands) {
    files.push_back({"kedge-" + file_of(command) + ".1", man_page(command)});
  }
  return files;
}

}  // namespace kedge::cli
