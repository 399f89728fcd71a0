// The official Mustache data and the shared template scenarios, read from where they are present:
// KEDGE_CASES, else tests/cases of the source tree.
#include <gtest/gtest.h>

#include <cstdlib>

#include "base/file_system.h"
#include "document/json.h"
#include "templates/render.h"

namespace kedge::templates {
namespace {

using document::Node;

std::string cases_folder() {
  const char* folder = std::getenv("KEDGE_CASES");
  return folder != nullptr ? folder : KEDGE_CASES_FOLDER;
}

std::map<std::string, std::string> texts_of(const Node* node) {
  std::map<std::string, std::string> texts;
  if (node != nullptr) {
    for (const document::Entry& entry : node->entries) {
      texts[entry.key.text] = entry.value.text;
    }
  }
  return texts;
}

document::Document read_cases(const base::FileSystem& files, const std::string& path) {
  document::ReadOptions options;
  options.allow_merge_keys = true;
  return document::read_document(path, files.read(path).value_or(""), document::Format::Yaml,
                                 options);
}

void run_official(const Node& test, int& passed) {
  RenderOptions options;
  options.format = Format::Html;
  options.missing_partial = MissingPartial::Empty;
  options.accessors = Accessors::Off;
  const MemoryProvider provider(texts_of(test.find("partials")));
  const std::string name = test.find("name")->text;
  const Parsed parsed = parse(test.find("template")->text, name);
  ASSERT_TRUE(parsed.value) << name << ": " << parsed.problem->message;
  EXPECT_EQ(render(*parsed.value, *test.find("data"), &provider, options),
            test.find("expected")->text)
      << name;
  ++passed;
}

TEST(OfficialMustacheTest, AllTestsOfTheRequiredModulesPass) {
  const auto files = base::make_file_system();
  const char* given = std::getenv("KEDGE_MUSTACHE_SPEC");
  const std::string folder = given != nullptr ? given : KEDGE_MUSTACHE_SPEC_FOLDER;
  if (files->kind(folder) != base::EntryKind::Folder) {
    GTEST_SKIP() << "the official data is not at " << folder;
  }
  int passed = 0;
  for (const char* module :
       {"comments", "delimiters", "interpolation", "inverted", "partials", "sections"}) {
    const document::Document document = read_cases(*files, folder + "/" + module + ".yml");
    ASSERT_TRUE(document.usable) << module << document.problems[0].message;
    for (const Node& test : document.root.find("tests")->items) {
      run_official(test, passed);
    }
  }
  EXPECT_EQ(passed, 136);
}

FieldShape shape_of(const std::string& type) {
  if (type == "object") {
    return FieldShape::Object;
  }
  if (type == "map") {
    return FieldShape::Map;
  }
  if (type == "boolean") {
    return FieldShape::Boolean;
  }
  const bool number = type == "int" || type == "long" || type == "float" || type == "double" ||
                      type == "decimal" || type == "currency";
  return number ? FieldShape::Number : FieldShape::Text;
}

PayloadType type_of(const Node& node) {
  if (const Node* tree = node.find("tree")) {
    return payload_from_tree(document::write_json(document::to_json(*tree)));
  }
  PayloadType type;
  std::map<std::string, std::size_t> index;
  for (const document::Entry& entry : node.find("types")->entries) {
    index[entry.key.text] = type.objects.size();
    type.objects.push_back({entry.key.text, {}});
  }
  for (const document::Entry& entry : node.find("types")->entries) {
    for (const Node& item : entry.value.items) {
      PayloadField field;
      field.name = item.find("name")->text;
      field.subtype = item.find("type")->text;
      field.shape = shape_of(field.subtype);
      field.is_list = item.find("isArray") != nullptr && item.find("isArray")->text == "true";
      field.required = item.find("required") != nullptr && item.find("required")->text == "true";
      field.object = field.shape == FieldShape::Object ? index.at(item.find("objectRef")->text) : 0;
      type.objects[index.at(entry.key.text)].fields.push_back(std::move(field));
    }
  }
  type.root = index.at(node.find("object")->text);
  return type;
}

std::vector<std::string> list_of(const Node* node) {
  std::vector<std::string> list;
  if (node != nullptr) {
    for (const Node& item : node->items) {
      list.push_back(item.text);
    }
  }
  return list;
}

bool matches(const Node& expected, const TemplateFinding& finding) {
  const auto text = [&](const char* key) { return expected.find(key); };
  bool same = text("code")->text == finding.code.name();
  const Node* path = text("path");
  same = same && (path->kind == document::Kind::Null ? !finding.path : finding.path == path->text);
  const Node* severity = text("severity");
  same = same && (severity != nullptr) == (finding.severity == Severity::Warning);
  if (const Node* line = text("line")) {
    same = same && finding.at &&
           finding.at->line == static_cast<std::size_t>(*line->as_integer()) &&
           finding.at->column == static_cast<std::size_t>(*text("column")->as_integer());
  }
  if (const Node* in = text("in")) {
    same = same &&
           (in->text == "template" ? finding.reference.empty() : finding.reference == in->text);
  }
  const Node* detail = text("detail");
  return same && (detail == nullptr || finding.detail == detail->text);
}

std::string describe(const std::vector<TemplateFinding>& findings) {
  std::string text;
  for (const TemplateFinding& finding : findings) {
    text += std::string(finding.code.name()) + " " + finding.path.value_or("null") + " at " +
            std::to_string(finding.at.value_or(TextPosition{}).line) + ":" +
            std::to_string(finding.at.value_or(TextPosition{}).column) + "\n";
  }
  return text;
}

std::vector<TemplateFinding> check_case(const Node& test, const PayloadType& type) {
  const MemoryProvider provider(texts_of(test.find("partials")));
  VerifyOptions options;
  options.provider = test.find("partials") != nullptr ? &provider : nullptr;
  options.required_slots = list_of(test.find("requiredSlots"));
  options.required_tags = list_of(test.find("requiredTags"));
  if (const Node* most = test.find("maxChars")) {
    options.max_chars = most->as_integer();
  }
  const Parsed parsed = parse(test.find("template")->text, "template");
  return parsed.problem ? std::vector<TemplateFinding>{*parsed.problem}
                        : verify(*parsed.value, type, options).findings;
}

void run_verify(const Node& test, const PayloadType& type) {
  const std::string name = test.find("name")->text;
  const std::vector<TemplateFinding> findings = check_case(test, type);
  const Node* expected = test.find("expect")->find("findings");
  const std::size_t count = expected != nullptr ? expected->items.size() : 0;
  EXPECT_EQ(findings.size(), count) << name << "\n" << describe(findings);
  for (std::size_t i = 0; i < count; ++i) {
    const bool found = std::any_of(
        findings.begin(), findings.end(),
        [&](const TemplateFinding& finding) { return matches(expected->items[i], finding); });
    EXPECT_TRUE(found) << name << " expected finding " << i << "\n" << describe(findings);
  }
}

void run_render(const Node& test, const PayloadType* type) {
  RenderOptions options;
  options.type = type;
  if (const Node* format = test.find("format")) {
    options.format = *find_format(format->text);
  }
  if (const Node* accessors = test.find("accessors")) {
    options.accessors = accessors->text == "false" ? Accessors::Off : Accessors::On;
  }
  const MemoryProvider provider(texts_of(test.find("partials")));
  const Node& expect = *test.find("expect");
  const std::string name = test.find("name")->text;
  const Parsed parsed = parse(test.find("template")->text, "template");
  ASSERT_TRUE(parsed.value) << name;
  try {
    const std::string output = render(*parsed.value, *test.find("data"), &provider, options);
    ASSERT_NE(expect.find("output"), nullptr) << name << " rendered " << output;
    EXPECT_EQ(output, expect.find("output")->text) << name;
  } catch (const RenderError& error) {
    ASSERT_NE(expect.find("error"), nullptr) << name << " " << error.what();
    EXPECT_EQ(error.code().name(), expect.find("error")->text) << name;
    EXPECT_EQ(error.path.value_or(""), expect.find("path")->text) << name;
  }
}

TEST(TemplateScenarioTest, AllSharedScenariosPass) {
  const auto files = base::make_file_system();
  const std::string folder = cases_folder() + "/templates";
  int count = 0;
  for (const std::string& path : base::list_files(*files, folder)) {
    if (base::extension(path) != "yml") {
      continue;
    }
    const document::Document document = read_cases(*files, path);
    ASSERT_TRUE(document.usable && document.problems.empty())
        << path << document.problems[0].message;
    for (const Node& test : document.root.find("cases")->items) {
      ++count;
      const Node* payload = test.find("payload");
      const Node* shape = payload != nullptr && payload->is_scalar()
                              ? document.root.find("payloads")->find(payload->text)
                              : payload;
      const std::optional<PayloadType> type =
          shape != nullptr ? std::optional(type_of(*shape)) : std::nullopt;
      if (test.find("kind")->text == "verify") {
        run_verify(test, *type);
      } else {
        run_render(test, type ? &*type : nullptr);
      }
    }
  }
  EXPECT_GE(count, 65);
}

}  // namespace
}  // namespace kedge::templates
