// The only home of CLI11.
#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <map>
#include <memory>

#include "app/connections.h"
#include "base/text.h"

namespace kedge::cli {
namespace {

struct Bound {
  const Command* command = nullptr;
  CLI::App* app = nullptr;
  std::deque<std::pair<std::string, std::vector<std::string>>> values;  // stable addresses
  std::deque<std::pair<std::string, bool>> switches;
  std::deque<std::vector<std::string>> positionals;
};

std::string first_spelling(const std::string& names) {
  return base::split(names, ',').front();
}

void bind_flag(Bound& bound, const Flag& flag) {
  const std::string name = first_spelling(flag.name);
  if (flag.kind == FlagKind::Switch) {
    bound.switches.emplace_back(name, false);
    bound.app->add_flag(flag.name, bound.switches.back().second, flag.help);
    return;
  }
  bound.values.emplace_back(name, std::vector<std::string>{});
  CLI::Option* option = bound.app->add_option(flag.name, bound.values.back().second, flag.help);
  option->type_name(flag.value)->allow_extra_args(false);
  if (flag.kind == FlagKind::OptionalValue) {
    option->expected(0, 1);
  } else {
    option->expected(1);
  }
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  if (!flag.choices.empty()) {
    option->check(CLI::IsMember(flag.choices));
  }
}

Flag format_flag(const Command& command) {
  return {"--format", FlagKind::Value, base::join(command.formats, "|"), "Output format",
          command.formats};
}

void bind_command(Bound& bound, const Command& command, CLI::App* app, std::string& folder) {
  bound.command = &command;
  bound.app = app;
  app->add_option("-C", folder, "Project folder")->type_name("DIR");
  if (!command.formats.empty()) {
    bind_flag(bound, format_flag(command));
  }
  for (const Flag& flag : command.flags) {
    bind_flag(bound, flag);
  }
  for (const Positional& positional : command.positionals) {
    bound.positionals.emplace_back();
    CLI::Option* option =
        app->add_option(positional.name, bound.positionals.back(), positional.help);
    option->type_name("")->required(positional.required);
    // An optional one is not required, but takes a value when there is one: CLI11 wants a minimum.
    option->expected(positional.many && !positional.required ? 0 : 1,
                     positional.many ? 1 << 20 : 1);
    option->allow_extra_args(positional.many);
  }
  if (!command.details.empty()) {
    app->footer(command.details);
  }
}

bool holds_nothing(const std::string& text) {
  return base::trim(base::replace_all(text, ",", " ")).empty();
}

// The first flag whose value is empty and must not be, as an occurrence.
std::optional<std::string> find_empty(const Bound& bound) {
  for (const Flag& flag : bound.command->flags) {
    const bool takes = flag.kind == FlagKind::Value || flag.kind == FlagKind::List;
    for (const auto& [name, values] : bound.values) {
      const bool empty = std::any_of(values.begin(), values.end(), [&](const std::string& value) {
        return value.empty() || (flag.kind == FlagKind::List && holds_nothing(value));
      });
      if (takes && !flag.may_be_empty && name == first_spelling(flag.name) && empty) {
        return name;
      }
    }
  }
  return std::nullopt;
}

Parsed collect(const Bound& bound, std::string folder) {
  Parsed parsed;
  parsed.command = bound.command;
  parsed.folder = std::move(folder);
  for (const auto& [name, values] : bound.values) {
    const CLI::Option* option = bound.app->get_option_no_throw(name);
    if (!values.empty() && values != std::vector<std::string>{"true"}) {
      parsed.arguments.values_[name] = values;
    } else if (!values.empty() || (option != nullptr && option->count() > 0)) {
      const bool alone = option != nullptr && option->get_items_expected_min() == 0;
      parsed.arguments.values_[name] = alone ? std::vector<std::string>{} : values;
    }
  }
  for (const auto& [name, given] : bound.switches) {
    if (given) {
      parsed.arguments.values_[name] = {};
    }
  }
  for (const std::vector<std::string>& values : bound.positionals) {
    parsed.arguments.positionals_.insert(parsed.arguments.positionals_.end(), values.begin(),
                                         values.end());
  }
  return parsed;
}

bool wants_json(const std::vector<std::string>& argv) {
  for (std::size_t i = 0; i < argv.size(); ++i) {
    if (argv[i] == "--format=json" ||
        (argv[i] == "--format" && i + 1 < argv.size() && argv[i + 1] == "json")) {
      return true;
    }
  }
  return false;
}

// Of words that only stand before others: "connections list".
std::string group_summary(const std::string& word) {
  static const std::map<std::string, std::string> kGroups = {
      {"connections", "List the connections, or try them"},
      {"contract", "Infer, import, export and compare contracts"},
      {"metadata", "Make metadata from models of other tools"},
      {"models", "List, show or import semantic models"},
      {"schema", "Show or accept the shapes that runs have seen"},
      {"state", "Show or move the cursors of incremental reads"},
      {"templates", "List the templates of the metadata"}};
  const auto found = kGroups.find(word);
  return found == kGroups.end() ? "" : found->second;
}

// Why the words that no command takes are none: the first names no command.
std::string misuse_text(const CLI::ParseError& error, const std::vector<Command>& commands,
                        const std::vector<std::string>& argv) {
  std::vector<std::string> known;
  for (const Command& command : commands) {
    known.push_back(base::split(command.name, ' ').front());
  }
  std::size_t first = 0;
  while (first < argv.size() && argv[first].starts_with('-')) {
    first += argv[first] == "-C" ? 2 : 1;
  }
  if (first < argv.size() && dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr &&
      std::find(known.begin(), known.end(), argv[first]) == known.end()) {
    return "there is no command '" + argv[first] + "'" + base::did_you_mean(argv[first], known);
  }
  return error.what();
}

// "migrate apply-pending" needs the app of "migrate" first.
CLI::App* make_app(CLI::App& root, const Command& command) {
  CLI::App* app = &root;
  const std::vector<std::string> words = base::split(command.name, ' ');
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::vector<CLI::App*> known = app->get_subcommands(
        [&](const CLI::App* candidate) { return candidate->get_name() == words[i]; });
    CLI::App* next = known.empty() ? nullptr : known.front();
    if (next == nullptr) {
      next = app->add_subcommand(words[i],
                                 i + 1 == words.size() ? command.summary : group_summary(words[i]));
    } else if (i + 1 == words.size()) {
      next->description(command.summary);
    }
    app = next;
  }
  return app;
}

}  // namespace

std::string mask_arguments(std::string text, const std::vector<std::string>& argv) {
  std::vector<std::string> words = argv;
  for (const std::string& word : argv) {
    const std::size_t value = word.starts_with("-") ? word.find('=') : std::string::npos;
    if (value != std::string::npos && value + 1 < word.size()) {
      words.push_back(word.substr(value + 1));
    }
  }
  return app::without_passwords(std::move(text), words);
}

std::variant<Parsed, Help, Misuse> parse_arguments(const std::vector<Command>& commands,
                                                   const std::vector<std::string>& argv) {
  CLI::App root("Finds where declared data and real data have drifted apart", "kedge");
  root.require_subcommand(0, 1);
  std::string folder = ".";
  root.add_option("-C", folder, "Project folder")->type_name("DIR");
  bool version = false;
  root.add_flag("--version", version, "Print the version");
  std::deque<Bound> bounds;
  for (const Command& command : commands) {
    bounds.emplace_back();
    bind_command(bounds.back(), command, make_app(root, command), folder);
  }
  std::vector<std::string> reversed(argv.rbegin(), argv.rend());
  try {
    root.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return Help{root.help()};  // of the chosen command, with the names of all above it
  } catch (const CLI::ParseError& error) {
    return Misuse{mask_arguments(misuse_text(error, commands, argv), argv) +
                      "\nRun with --help for more information.",
                  wants_json(argv)};
  }
  if (version) {
    return Help{std::string("kedge ") + KEDGE_VERSION + "\n"};
  }
  CLI::App* chosen = &root;
  for (auto next = chosen->get_subcommands(); !next.empty(); next = chosen->get_subcommands()) {
    chosen = next.front();
  }
  const auto bound = std::find_if(bounds.begin(), bounds.end(),
                                  [&](const Bound& candidate) { return candidate.app == chosen; });
  if (bound == bounds.end()) {
    return Misuse{root.help(), wants_json(argv)};
  }
  if (const auto flag = find_empty(*bound)) {
    return Misuse{*flag + " is given and names nothing\nRun with --help for more information.",
                  wants_json(argv)};
  }
  return collect(*bound, folder);
}

}  // namespace kedge::cli
