#include "app/wrangler.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "document/node.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

struct Binding {
  std::string name;
  std::string migrations_folder;
};

std::string unquoted(std::string_view text) {
  text = base::trim(text);
  const std::size_t comment = text.front() == '"' || text.front() == '\''
                                  ? text.find('#', text.find(text.front(), 1))
                                  : text.find('#');
  text = base::trim(text.substr(0, comment));
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'')) {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

// The [[d1_databases]] tables of a TOML file, environments included; nothing else of it matters.
std::vector<Binding> bindings_of_toml(const std::string& source) {
  std::vector<Binding> out;
  bool inside = false;
  for (const std::string& raw : base::split(source, '\n')) {
    const std::string_view line = base::trim(raw);
    if (line.substr(0, 1) == "[") {
      inside = line.substr(0, 2) == "[[" && line.find("d1_databases]]") != std::string_view::npos;
      if (inside) {
        out.emplace_back();
      }
      continue;
    }
    const std::size_t equals = line.find('=');
    if (!inside || equals == std::string_view::npos || equals + 1 >= line.size()) {
      continue;
    }
    const std::string_view key = base::trim(line.substr(0, equals));
    if (key == "binding") {
      out.back().name = unquoted(line.substr(equals + 1));
    } else if (key == "migrations_dir") {
      out.back().migrations_folder = unquoted(line.substr(equals + 1));
    }
  }
  return out;
}

// Comments of JSON with comments become blanks.
std::string without_comments(std::string source) {
  bool quoted = false;
  for (std::size_t i = 0; i + 1 < source.size(); ++i) {
    if (source[i] == '\\' && quoted) {
      ++i;
    } else if (source[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && source[i] == '/' && (source[i + 1] == '/' || source[i + 1] == '*')) {
      const bool line = source[i + 1] == '/';
      const std::size_t end =
          std::min(line ? source.find('\n', i) : source.find("*/", i + 2), source.size());
      const std::size_t stop = line ? end : std::min(end + 2, source.size());
      std::fill(source.begin() + static_cast<std::ptrdiff_t>(i),
                source.begin() + static_cast<std::ptrdiff_t>(stop), ' ');
      i = stop == 0 ? i : stop - 1;
    }
  }
  return source;
}

std::vector<Binding> bindings_of_json(const std::string& path, const std::string& source) {
  std::vector<Binding> out;
  const document::Document document =
      document::read_document(path, without_comments(source), document::Format::Json);
  const document::Node* list =
      document.usable && document.root.is_mapping() ? document.root.find("d1_databases") : nullptr;
  if (list == nullptr) {
    return out;
  }
  for (const document::Node& item : list->items) {
    const document::Node* name = item.find("binding");
    const document::Node* folder = item.find("migrations_dir");
    if (name != nullptr) {
      out.push_back({name->text, folder == nullptr ? "" : folder->text});
    }
  }
  return out;
}

std::string join_names(const std::vector<Binding>& bindings) {
  std::string names;
  for (const Binding& binding : bindings) {
    names += (names.empty() ? "" : ", ") + binding.name;
  }
  return names;
}

}  // namespace

Wrangler find_wrangler(const Context& context, const std::string& configured,
                       const std::optional<std::string>& flag) {
  Wrangler out;
  std::vector<Binding> bindings;
  for (const std::string& name : {configured, std::string("wrangler.toml"),
                                  std::string("wrangler.json"), std::string("wrangler.jsonc")}) {
    const std::string path = base::join_path(context.folder, name);
    const auto source = name.empty() ? std::nullopt : context.files.read(path);
    if (source) {
      out.config = path;
      bindings = base::extension(path) == "toml" ? bindings_of_toml(*source)
                                                 : bindings_of_json(path, *source);
      break;
    }
  }
  if (out.config.empty()) {
    if (!flag) {
      throw Error(codes::ERR_D1_BINDING, "there is no wrangler.toml and no --d1",
                  "name the binding with --d1");
    }
    out.binding = *flag;
    return out;
  }
  const auto named = std::find_if(bindings.begin(), bindings.end(), [&](const Binding& binding) {
    return flag && binding.name == *flag;
  });
  if (flag && named == bindings.end()) {
    throw Error(codes::ERR_D1_BINDING, "wrangler's configuration has no D1 binding '" + *flag + "'",
                "it has: " + join_names(bindings));
  }
  if (!flag && bindings.size() != 1) {
    throw Error(codes::ERR_D1_BINDING,
                bindings.empty() ? "wrangler's configuration has no D1 binding"
                                 : "several D1 bindings could be meant: " + join_names(bindings),
                "name one with --d1");
  }
  const Binding& chosen = flag ? *named : bindings.front();
  out.binding = chosen.name;
  if (!chosen.migrations_folder.empty()) {
    out.migrations_folder = chosen.migrations_folder;
  }
  return out;
}

int apply_with_wrangler(const Context& context, const WranglerApply& request, std::string& output) {
  base::ProcessRequest process;
  const auto program = context.environment.get("KEDGE_WRANGLER");
  process.arguments = {program && !program->empty() ? *program : "wrangler",
                       "d1",
                       "migrations",
                       "apply",
                       request.binding,
                       request.remote ? "--remote" : "--local"};
  if (!request.config.empty()) {
    process.arguments.insert(process.arguments.end(), {"--config", request.config});
  }
  process.working_folder = context.folder;
  process.environment = {{"CI", "1"}};
  const base::ProcessResult result = context.processes.run(process);
  output = result.standard_output + result.standard_error;
  return result.exit_code == 0 ? 0 : 1;
}

}  // namespace kedge::app
