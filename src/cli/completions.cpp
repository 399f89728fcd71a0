#include <set>

#include "base/text.h"
#include "cli/reference.h"

namespace kedge::cli {
namespace {

std::vector<std::string> long_flags(const Command& command) {
  std::vector<std::string> flags = {"-C", "--help"};
  if (!command.formats.empty()) {
    flags.emplace_back("--format");
  }
  for (const Flag& flag : command.flags) {
    for (const std::string& name : base::split(flag.name, ',')) {
      flags.push_back(name);
    }
  }
  return flags;
}

// What may follow a prefix of command words: "" -> check diff ..., "migrate" -> apply-pending ...
std::set<std::string> next_words(const std::vector<Command>& commands, const std::string& prefix) {
  std::set<std::string> words;
  for (const Command& command : commands) {
    const std::string start = prefix.empty() ? "" : prefix + " ";
    if (command.name.size() > start.size() && command.name.starts_with(start)) {
      words.insert(base::split(command.name.substr(start.size()), ' ').front());
    }
  }
  return words;
}

std::string join_set(const std::set<std::string>& words) {
  const std::vector<std::string> list(words.begin(), words.end());
  return base::join(list, " ");
}

std::set<std::string> prefixes(const std::vector<Command>& commands) {
  std::set<std::string> found = {""};
  for (const Command& command : commands) {
    std::string prefix;
    for (const std::string& word : base::split(command.name, ' ')) {
      prefix += (prefix.empty() ? "" : " ") + word;
      found.insert(prefix);
    }
  }
  return found;
}

// Quoted for a POSIX shell.
std::string quoted(const std::string& text) {
  return "'" + base::replace_all(text, "'", "'\\''") + "'";
}

const Command* find_command(const std::vector<Command>& commands, const std::string& name) {
  for (const Command& command : commands) {
    if (command.name == name) {
      return &command;
    }
  }
  return nullptr;
}

void add_choices(std::string& cases, const Command& command) {
  const auto add = [&](const std::string& flag, const std::vector<std::string>& choices) {
    if (!choices.empty()) {
      cases += "    " + quoted(command.name + " " + flag) +
               ") words=" + quoted(base::join(choices, " ")) + " ;;\n";
    }
  };
  add("--format", command.formats);
  for (const Flag& flag : command.flags) {
    for (const std::string& name : base::split(flag.name, ',')) {
      add(name, flag.choices);
    }
  }
}

}  // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::string choices;
  std::string words;
  for (const std::string& prefix : prefixes(commands)) {
    std::string flags;
    if (const Command* command = find_command(commands, prefix)) {
      flags = base::join(long_flags(*command), " ");
      add_choices(choices, *command);
    }
    words += "    " + quoted(prefix) + ") subs=" + quoted(join_set(next_words(commands, prefix))) +
             " flags=" + quoted(flags) + " ;;\n";
  }
  return "# bash completion for kedge\n"
         "_kedge() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path='' subs "
         "flags "
         "words i\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    local word=${COMP_WORDS[i]}\n"
         "    case \"$word\" in -C) ((++i)); continue ;; -*) continue ;; esac\n"
         "    subs=''\n"
         "    case \"$path\" in\n" +
         words +
         "    esac\n"
         "    case \" $subs \" in *\" $word \"*) path=\"${path:+$path }$word\" ;; esac\n"
         "  done\n"
         "  subs='' flags='' words=''\n"
         "  case \"$path\" in\n" +
         words +
         "  esac\n"
         "  case \"$path $prev\" in\n" +
         choices +
         "  esac\n"
         "  if [[ -n $words ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "  elif [[ $cur == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$cur\"))\n"
         "  else\n"
         "    COMPREPLY=($(compgen -W \"$subs\" -- \"$cur\"))\n"
         "    [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n"
         "  fi\n"
         "}\n"
         "complete -F _kedge kedge\n";
}

std::string zsh_completion(const std::vector<Command>& commands) {
  return "#compdef kedge\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash_completion(commands);
}

std::string fish_completion(const std::vector<Command>& commands) {
  std::string text = "# fish completion for kedge\ncomplete -c kedge -f\n";
  for (const Command& command : commands) {
    const std::vector<std::string> words = base::split(command.name, ' ');
    const std::string condition = words.size() == 1
                                      ? "__fish_use_subcommand"
                                      : "__fish_seen_subcommand_from " + words.front();
    text += "complete -c kedge -n " + quoted(condition) + " -a " + quoted(words.back()) + " -d " +
            quoted(command.summary) + "\n";
    for (const Flag& flag : command.flags) {
      for (const std::string& name : base::split(flag.name, ',')) {
        if (name.starts_with("--")) {
          text += "complete -c kedge -n " + quoted("__fish_seen_subcommand_from " + words.back()) +
                  " -l " + quoted(name.substr(2)) + (flag.kind == FlagKind::Switch ? "" : " -r") +
                  " -d " + quoted(flag.help) + "\n";
        }
      }
    }
  }
  return text;
}

}  // namespace kedge::cli
