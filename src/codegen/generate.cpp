#include "codegen/generate.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "codegen/names.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::codegen {
namespace {

using document::Node;

constexpr std::size_t kMostBytes = 16U << 20U;
constexpr std::size_t kMostFiles = 50'000;

class PackTexts final : public templates::Provider {
 public:
  explicit PackTexts(const Pack& pack) : pack_(pack) {}
  std::optional<templates::ProvidedText> resolve(const std::string& reference) const override {
    const auto found = pack_.texts.find(reference);
    return found != pack_.texts.end() ? std::optional(found->second) : std::nullopt;
  }

 private:
  const Pack& pack_;
};

class Generator {
 public:
  Generator(const Pack& pack, const TargetSettings& target, const Formatter& formatter)
      : pack_(pack), target_(target), formatter_(formatter), texts_(pack) {
    options_.format = pack.format;
    options_.validate_payload = false;
  }

  std::vector<GeneratedFile> run(const ModelData& data) {
    for (const PackFile& file : pack_.files) {
      if (!is_wanted(file)) {
        continue;
      }
      switch (file.scope) {
        case Scope::Object:
          for (const ObjectData& object : data.objects) {
            add_object(file, object);
          }
          break;
        case Scope::Package:
          for (const PackageData& package : data.packages) {
            add(file, package.node, package.package.empty() ? "(root)" : package.package);
          }
          break;
        case Scope::Model:
          add(file, data.model, "model");
          break;
        case Scope::Template:
          for (const TemplateData& item : data.templates) {
            add(file, item.data, item.node->qualified_name);
          }
          break;
      }
    }
    return std::move(files_);
  }

 private:
  bool is_wanted(const PackFile& file) const {
    if (file.only_with.empty()) {
      return true;
    }
    const std::size_t equals = file.only_with.find('=');
    const auto option = target_.options.find(file.only_with.substr(0, equals));
    const std::string wanted =
        equals == std::string::npos ? "true" : file.only_with.substr(equals + 1);
    return option != target_.options.end() && option->second == wanted;
  }

  void add_object(const PackFile& file, const ObjectData& object) {
    const std::string kind = object.node.find("kind")->text;
    if (!file.kinds.empty() &&
        std::find(file.kinds.begin(), file.kinds.end(), kind) == file.kinds.end()) {
      return;
    }
    const std::size_t before = files_.size();
    add(file, object.node, object.object->qualified_name);
    if (files_.size() > before) {
      for (const metadata::Field& field : object.object->fields) {
        files_.back().fields.push_back(field.name);
      }
    }
  }

  const templates::Template& parsed(const PackFile& file) {
    const auto known = parsed_.find(file.name);
    if (known != parsed_.end()) {
      return known->second;
    }
    const auto text = pack_.texts.find(file.name);
    templates::Parsed result = templates::parse(text->second.text, text->second.source);
    return parsed_.emplace(file.name, std::move(*result.value)).first->second;
  }

  void add(const PackFile& file, const Node& node, const std::string& from) {
    const Node* guard = file.unless_empty.empty() ? nullptr : node.find(file.unless_empty);
    const bool nothing = guard == nullptr || (guard->is_sequence() && guard->items.empty()) ||
                         guard->text == "false" || (guard->is_string() && guard->text.empty());
    if (!file.unless_empty.empty() && nothing) {
      return;
    }
    GeneratedFile generated;
    generated.path = base::join_path(target_.out, out_path(file, node));
    generated.target = target_.name;
    generated.pack = pack_.name;
    generated.pack_version = pack_.version;
    generated.template_name = file.name;
    generated.from = from;
    generated.exact = file.exact;
    // Typed: an optional key that is absent must not be taken from what is around it.
    options_.type = &data_shape(file.scope);
    std::string body = templates::render(parsed(file), node, &texts_, options_);
    Pack head;
    head.name = pack_.name;
    head.header = pack_.header;
    head.line_comment = file.comment.empty() ? pack_.line_comment : file.comment;
    head.comment_open = pack_.comment_open;
    head.comment_close = pack_.comment_close;
    generated.text = with_header(head, from, finished(generated.path, std::move(body)));
    if (generated.text.size() > kMostBytes || files_.size() >= kMostFiles) {
      throw Error(
          codes::ERR_GEN_LIMIT,
          "'" + generated.path + "' is larger than a generated file may be, or there are too many");
    }
    files_.push_back(std::move(generated));
  }

  std::string finished(const std::string& path, std::string body) const {
    if (pack_.header != Pack::Header::Comment) {
      body = pretty_json(path, body);
    }
    body = normal_line_ends(std::move(body));
    if (formatter_) {
      body = normal_line_ends(formatter_(path, body));
    }
    while (body.ends_with('\n')) {
      body.pop_back();
    }
    return body + "\n";
  }

  std::string pretty_json(const std::string& path, const std::string& body) const {
    const document::Document read = document::read_document(path, body, document::Format::Json);
    if (!read.usable || !read.problems.empty()) {
      const std::string why = read.problems.empty()
                                  ? ""
                                  : ": " + read.problems.front().message + " at line " +
                                        std::to_string(read.problems.front().where->line);
      throw Error(codes::ERR_PACK_INVALID,
                  "pack " + pack_.name + " does not give JSON for '" + path + "'" + why);
    }
    return document::write_json(without_ends(read.root)) + "\n";
  }

  // "x-kedge-end" lets a template end a list without minding its last comma.
  static document::Json without_ends(const Node& node) {
    if (node.is_mapping()) {
      document::Json json = document::Json::object();
      for (const document::Entry& entry : node.entries) {
        if (entry.key.text != "x-kedge-end") {
          json.set(entry.key.text, without_ends(entry.value));
        }
      }
      return json;
    }
    if (!node.is_sequence()) {
      return document::to_json(node);
    }
    document::Json json = document::Json::array();
    for (const Node& item : node.items) {
      if (!item.is_string() || item.text != "x-kedge-end") {
        json.push(without_ends(item));
      }
    }
    return json;
  }

  std::string out_path(const PackFile& file, const Node& node) const {
    std::string result;
    std::string_view rest = file.out;
    while (!rest.empty()) {
      const std::size_t open = rest.find('{');
      result += rest.substr(0, open);
      if (open == std::string_view::npos) {
        break;
      }
      const std::size_t close = rest.find('}', open);
      const std::string name(
          rest.substr(open + 1, close == std::string_view::npos ? close : close - open - 1));
      result += placeholder(file, node, name);
      rest = close == std::string_view::npos ? std::string_view() : rest.substr(close + 1);
    }
    // An empty package leaves no folder behind.
    result = base::replace_all(std::move(result), "//", "/");
    return result.starts_with('/') ? result.substr(1) : result;
  }

  std::string placeholder(const PackFile& file, const Node& node, const std::string& name) const {
    static const std::map<std::string, std::string> keys = {{"name", "name"},
                                                            {"Name", "Name"},
                                                            {"name_snake", "nameSnake"},
                                                            {"name_kebab", "nameKebab"},
                                                            {"TypeName", "typeName"},
                                                            {"package", "packagePath"},
                                                            {"package_path", "packagePath"},
                                                            {"target", "target"}};
    const auto key = keys.find(name);
    const Node* value = key != keys.end() ? node.find(key->second) : nullptr;
    if (value == nullptr) {
      throw Error(Problem{codes::ERR_PACK_PLACEHOLDER,
                          "unknown placeholder '{" + name + "}' in out: of pack " + pack_.name,
                          file.where,
                          "name, Name, TypeName, name_snake, name_kebab, package, package_path or "
                          "target",
                          {}});
    }
    return value->text;
  }

  const Pack& pack_;
  const TargetSettings& target_;
  const Formatter& formatter_;
  PackTexts texts_;
  templates::RenderOptions options_;
  std::map<std::string, templates::Template> parsed_;
  std::vector<GeneratedFile> files_;
};

// The words that a chosen option makes reserved.
Pack with_options(Pack pack, const std::map<std::string, std::string>& options) {
  for (const auto& [option, value] : options) {
    const auto more = pack.reserved_with.find(option + "=" + value);
    if (more != pack.reserved_with.end()) {
      pack.reserved.insert(more->second.begin(), more->second.end());
    }
  }
  return pack;
}

}  // namespace

std::vector<templates::TemplateFinding> check_pack(const Pack& pack) {
  std::vector<templates::TemplateFinding> findings;
  const PackTexts texts(pack);
  for (const PackFile& file : pack.files) {
    const auto text = pack.texts.find(file.name);
    if (text == pack.texts.end()) {
      templates::TemplateFinding finding;
      finding.code = codes::ERR_TEXT_REF_UNRESOLVED;
      finding.path = file.name;
      finding.source = pack.file;
      finding.at = templates::TextPosition{file.where.line, file.where.column};
      finding.message = "the pack has no template '" + file.name + "'";
      findings.push_back(std::move(finding));
      continue;
    }
    templates::Parsed parsed = templates::parse(text->second.text, text->second.source);
    if (parsed.problem) {
      findings.push_back(std::move(*parsed.problem));
      continue;
    }
    templates::VerifyOptions options;
    options.provider = &texts;
    templates::Verified verified =
        templates::verify(*parsed.value, data_shape(file.scope), options);
    for (templates::TemplateFinding& finding : verified.findings) {
      if (finding.severity == Severity::Error) {
        findings.push_back(std::move(finding));
      }
    }
  }
  return findings;
}

std::vector<GeneratedFile> generate(const metadata::Model& model, const Pack& pack,
                                    const TargetSettings& target, const Formatter& formatter) {
  const std::vector<templates::TemplateFinding> findings = check_pack(pack);
  if (!findings.empty()) {
    const auto place = [](const templates::TemplateFinding& finding) {
      const templates::TextPosition at = finding.at.value_or(templates::TextPosition{1, 1});
      return Position{finding.source, at.line, at.column};
    };
    Problem problem{
        findings.front().code,
        findings.front().message,
        place(findings.front()),
        "the templates of pack " + pack.name + " do not fit the data that kedge gives them",
        {}};
    for (std::size_t i = 1; i < findings.size(); ++i) {
      problem.notes.push_back(
          {std::string(findings[i].code.name()) + ": " + findings[i].message, place(findings[i])});
    }
    throw Error(std::move(problem));
  }
  const Pack chosen = with_options(pack, target.options);
  return Generator(chosen, target, formatter).run(build_data(model, chosen, target));
}

std::vector<GeneratedFile> merge_targets(std::vector<GeneratedFile> files) {
  std::map<std::string, std::size_t> seen;  // by lower-cased path
  std::vector<GeneratedFile> merged;
  for (GeneratedFile& file : files) {
    const auto [known, added] = seen.emplace(base::to_lower(file.path), merged.size());
    if (added) {
      merged.push_back(std::move(file));
      continue;
    }
    const GeneratedFile& other = merged[known->second];
    if (other.path != file.path || other.text != file.text) {
      throw Error(codes::ERR_GEN_PATH_COLLISION,
                  "'" + other.path + "' of template '" + other.template_name + "' (" + other.from +
                      ") and '" + file.path + "' of template '" + file.template_name + "' (" +
                      file.from + ") are one file with different texts");
    }
  }
  return merged;
}

}  // namespace kedge::codegen
