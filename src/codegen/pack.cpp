#include "codegen/pack.h"

#include <algorithm>

#include "base/text.h"
#include "codegen/generate.h"
#include "codegen/merge.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using document::Node;

class PackReader {
 public:
  PackReader(const document::Document& document, Pack& pack) : document_(document), pack_(pack) {}

  std::vector<Problem> read() {
    problems_ = document_.problems;
    if (document_.usable && document_.root.is_mapping()) {
      for (const document::Entry& entry : document_.root.entries) {
        read_key(entry);
      }
    } else if (problems_.empty()) {
      add(document_.root, "pack.yml must be a mapping");
    }
    return std::move(problems_);
  }

 private:
  void add(const Node& at, std::string message) {
    problems_.push_back(
        {codes::ERR_PACK_INVALID, std::move(message), document_.position(at), "", {}});
  }

  void read_key(const document::Entry& entry) {
    const std::string& key = entry.key.text;
    const Node& value = entry.value;
    if (key == "pack") {
      pack_.name = value.text;
    } else if (key == "version") {
      pack_.version = value.text;
    } else if (key == "comment") {
      read_comment(value);
    } else if (key == "options") {
      read_options(value);
    } else if (key == "types") {
      for (const document::Entry& type : value.entries) {
        pack_.types[type.key.text] = type.value.text;
      }
    } else if (key == "list") {
      pack_.list = value.text;
    } else if (key == "nullable") {
      pack_.nullable = value.text;
    } else if (key == "reserved" || key == "reserved_types") {
      for (const Node& word : value.items) {
        (key == "reserved" ? pack_.reserved : pack_.reserved_types).insert(word.text);
      }
    } else if (key.starts_with("reserved.")) {
      for (const Node& word : value.items) {
        pack_.reserved_with[key.substr(9)].insert(word.text);
      }
    } else if (key == "derived") {
      for (const Node& form : value.items) {
        pack_.derived.push_back(form.text);
      }
    } else if (key == "dollar") {
      pack_.dollar = value.text;
    } else if (key == "format") {
      const auto format = templates::find_format(value.text);
      if (format) {
        pack_.format = *format;
      } else {
        add(value, "format '" + value.text + "' does not exist");
      }
    } else if (key == "files") {
      read_files(value);
    } else if (key != "extends") {
      add(entry.key, "unknown key '" + key + "'");
    }
  }

  void read_comment(const Node& value) {
    for (const document::Entry& entry : value.entries) {
      if (entry.key.text == "line") {
        pack_.line_comment = entry.value.text;
      } else if (entry.key.text == "open") {
        pack_.comment_open = entry.value.text;
      } else if (entry.key.text == "close") {
        pack_.comment_close = entry.value.text;
      } else if (entry.key.text == "json") {
        pack_.header = entry.value.text == "schema" ? Pack::Header::JsonSchema : Pack::Header::Json;
      } else {
        add(entry.key, "unknown key '" + entry.key.text + "' in comment");
      }
    }
  }

  void read_options(const Node& value) {
    for (const document::Entry& entry : value.entries) {
      PackOption option;
      option.name = entry.key.text;
      option.type = entry.value.find("type") != nullptr ? entry.value.find("type")->text : "string";
      if (const Node* fallback = entry.value.find("default")) {
        option.fallback = fallback->text;
      }
      if (const Node* values = entry.value.find("values")) {
        for (const Node& item : values->items) {
          option.values.push_back(item.text);
        }
      }
      std::erase_if(pack_.options,
                    [&](const PackOption& known) { return known.name == option.name; });
      pack_.options.push_back(std::move(option));
    }
  }

  std::optional<Scope> scope_of(const Node& value) {
    static const std::map<std::string, Scope> scopes = {
        {"object", Scope::Object},      {"perEntity", Scope::Object}, {"package", Scope::Package},
        {"perPackage", Scope::Package}, {"model", Scope::Model},      {"perModel", Scope::Model},
        {"template", Scope::Template}};
    const auto found = scopes.find(value.text);
    if (found == scopes.end()) {
      add(value, "scope '" + value.text + "' is not object, package, model or template");
      return std::nullopt;
    }
    return found->second;
  }

  void read_files(const Node& value) {
    pack_.files.clear();
    for (const Node& item : value.items) {
      PackFile file;
      file.where = document_.position(item);
      for (const document::Entry& entry : item.entries) {
        read_file_key(entry, file);
      }
      if (file.name.empty() || file.out.empty()) {
        add(item, "each of files: needs template: and out:");
      }
      pack_.files.push_back(std::move(file));
    }
  }

  void read_file_key(const document::Entry& entry, PackFile& file) {
    const std::string& key = entry.key.text;
    if (key == "template") {
      file.name = entry.value.text;
    } else if (key == "scope") {
      file.scope = scope_of(entry.value).value_or(Scope::Object);
    } else if (key == "kinds") {
      for (const Node& kind : entry.value.items) {
        file.kinds.push_back(kind.text);
      }
    } else if (key == "out") {
      file.out = entry.value.text;
    } else if (key == "exact") {
      file.exact = entry.value.as_boolean().value_or(false);
    } else if (key == "unless_empty") {
      file.unless_empty = entry.value.text;
    } else if (key == "comment") {
      file.comment = entry.value.text;
    } else if (key == "only_with") {
      file.only_with = entry.value.text;
    } else {
      add(entry.key, "unknown key '" + key + "' in files");
    }
  }

  const document::Document& document_;
  Pack& pack_;
  std::vector<Problem> problems_;
};

std::map<std::string, std::string> folder_files(const base::FileSystem& files,
                                                const std::string& folder) {
  std::map<std::string, std::string> texts;
  for (const std::string& path : base::list_files(files, folder)) {
    if (std::optional<std::string> text = files.read(path)) {
      texts[path.substr(folder.size() + 1)] = std::move(*text);
    }
  }
  return texts;
}

void take(Pack& pack, const std::map<std::string, std::string>& texts,
          const std::string& shown_folder) {
  const auto yml = texts.find("pack.yml");
  pack.file = shown_folder + "/pack.yml";
  const document::Document document =
      document::read_document(pack.file, yml->second, document::Format::Yaml);
  const Node* base_name = document.root.find("extends");
  if (base_name != nullptr) {
    const std::map<std::string, std::string> base_texts = builtin_pack_files(base_name->text);
    if (base_texts.empty()) {
      throw Error(Problem{codes::ERR_PACK_NOT_FOUND,
                          "there is no built-in pack '" + base_name->text + "' to extend",
                          document.position(*base_name),
                          "",
                          {}});
    }
    take(pack, base_texts, "packs/" + base_name->text);
    pack.file = shown_folder + "/pack.yml";
  }
  for (const auto& [name, text] : texts) {
    if (holds_markers(normal_line_ends(text)) && !name.starts_with(".origin/")) {
      throw Error(Problem{codes::ERR_PACK_INVALID,
                          "a template of the pack holds conflict markers",
                          Position{shown_folder + "/" + name, first_marker_line(text), 1},
                          "settle them, as kedge gen --update-pack asks",
                          {}});
    }
    if (name.ends_with(".mustache") && !name.starts_with(".origin/")) {
      pack.texts[name.substr(0, name.size() - 9)] = {text, shown_folder + "/" + name};
    }
  }
  std::vector<Problem> problems = PackReader(document, pack).read();
  if (!problems.empty()) {
    Problem first = problems.front();
    first.code = codes::ERR_PACK_INVALID;
    for (std::size_t i = 1; i < problems.size(); ++i) {
      first.notes.push_back({problems[i].message, problems[i].where});
    }
    throw Error(std::move(first));
  }
}

}  // namespace

Pack load_docs_pack() {
  Pack pack;
  take(pack, builtin_pack_files("markdown"), "packs/markdown");
  return pack;
}

Pack load_pack(const base::FileSystem& files, const std::string& project_folder,
               const std::string& name_or_path, std::optional<Position> where) {
  Pack pack;
  const bool path = name_or_path.find('/') != std::string::npos || name_or_path.starts_with('.');
  std::map<std::string, std::string> texts;
  std::string shown = "packs/" + name_or_path;
  if (path) {
    shown = name_or_path.starts_with("./") ? name_or_path.substr(2) : name_or_path;
    texts = folder_files(files, base::join_path(project_folder, shown));
  } else if (const std::vector<std::string> names = builtin_pack_names();
             std::find(names.begin(), names.end(), name_or_path) != names.end()) {
    texts = builtin_pack_files(name_or_path);
  }
  if (!texts.contains("pack.yml")) {
    throw Error(Problem{codes::ERR_PACK_NOT_FOUND,
                        "there is no pack '" + name_or_path + "'" +
                            (path ? "" : base::did_you_mean(name_or_path, builtin_pack_names())),
                        where,
                        "built-in packs: " + base::join(builtin_pack_names(), ", "),
                        {}});
  }
  take(pack, texts, shown);
  if (pack.name.empty()) {
    pack.name = base::file_name(shown);
  }
  return pack;
}

std::map<std::string, std::string> resolve_options(const Pack& pack, const std::string& target,
                                                   const Node& given, const std::string& file) {
  std::map<std::string, std::string> options;
  std::vector<std::string> known;
  for (const PackOption& option : pack.options) {
    options[option.name] = option.fallback;
    known.push_back(option.name);
  }
  for (const document::Entry& entry : given.entries) {
    const auto refuse = [&](const Node& at, const std::string& message) {
      throw Error(Problem{codes::ERR_PACK_OPTION,
                          "target '" + target + "': " + message,
                          Position{file, at.range.line, at.range.column},
                          "kedge gen --list shows the options",
                          {}});
    };
    const auto option = std::find_if(pack.options.begin(), pack.options.end(),
                                     [&](const PackOption& o) { return o.name == entry.key.text; });
    if (option == pack.options.end()) {
      refuse(entry.key, "pack " + pack.name + " has no option '" + entry.key.text + "'" +
                            base::did_you_mean(entry.key.text, known));
    }
    const bool boolean = option->type == "bool";
    const bool fits =
        entry.value.is_scalar() && (!boolean || entry.value.as_boolean().has_value()) &&
        (option->type != "int" || entry.value.as_integer().has_value()) &&
        (option->type != "enum" || std::find(option->values.begin(), option->values.end(),
                                             entry.value.text) != option->values.end());
    if (!fits) {
      refuse(entry.value, "option '" + option->name + "' needs " +
                              (option->type == "enum" ? "one of " + base::join(option->values, ", ")
                                                      : "a " + option->type));
    }
    options[option->name] = entry.value.text;
  }
  return options;
}

}  // namespace kedge::codegen
