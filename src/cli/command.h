// Commands as data: one table gives the command line, --help, the reference pages, the shell
// completions and the man pages. Each area adds its commands in its own commands_<area>.cpp.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/sink.h"
#include "document/json.h"

namespace kedge::cli {

// OptionalValue: may stand alone; it is then there without a value.
enum class FlagKind {
  Switch,
  Value,
  List,
  OptionalValue
};  // List: repeatable, and comma-separated where said

struct Flag {
  std::string name;  // "--format"; aliases after commas: "--yes,-y"
  FlagKind kind = FlagKind::Switch;
  std::string value;  // "FILE", "text|json": shown in help
  std::string help;
  std::vector<std::string> choices;  // a value outside is a usage error; empty = any
  // An empty value means something here. Elsewhere it is a usage error: a variable that is not set
  // must not mean everything.
  bool may_be_empty = false;
};

struct Positional {
  std::string name;  // "SRC"
  std::string help;
  bool required = true;
  bool many = false;
};

class Arguments {
 public:
  bool has(const std::string& flag) const { return values_.contains(flag); }
  std::optional<std::string> find(const std::string& flag) const;
  std::string get(const std::string& flag, const std::string& fallback) const;
  const std::vector<std::string>& all(const std::string& flag) const;  // every occurrence
  // Every occurrence, split at commas, blanks trimmed, empty parts left out.
  std::vector<std::string> list(const std::string& flag) const;
  const std::vector<std::string>& positionals() const { return positionals_; }

  std::map<std::string, std::vector<std::string>> values_;  // by the first spelling of the flag
  std::vector<std::string> positionals_;                    // in order
};

struct Terminal {
  base::Sink& out;
  base::Sink& err;
  static constexpr std::size_t kWholeLine = std::string::npos;
  // nullopt at end of input. Of a longer line `most` bytes are kept; the rest is read and dropped.
  std::function<std::optional<std::string>(std::size_t most)> read_line;
  bool interactive = false;  // standard input is a terminal
  bool color = false;        // standard output is a terminal and NO_COLOR is not set
  std::string read_all_input() const;
};

struct Invocation {
  app::Context& context;
  const Arguments& arguments;
  Terminal& terminal;
  bool json() const { return arguments.get("--format", "text") == "json"; }
  // The result on standard output, in the form that --format asks for.
  void print(const document::Json& json, const std::string& text) const;
};

struct Command {
  std::string name;  // "validate-models", "migrate apply-pending"
  std::string summary;
  std::vector<Flag> flags;  // --format text|json and -C are added to every command
  std::vector<Positional> positionals;
  std::function<int(Invocation&)> run;  // the exit code; an Error thrown is reported by main
  std::string details;                  // more help, examples
  std::vector<std::string> formats = {"text", "json"};  // choices of --format; empty: no such flag
};

// Every command, in the order of --help.
std::vector<Command> all_commands();

}  // namespace kedge::cli
