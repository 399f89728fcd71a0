#include <gtest/gtest.h>

#include "kedge/codes.h"
#include "kedge/templates.h"

namespace kedge::templates {
namespace {

Template parsed(const std::string& text) {
  const Parsed result = parse(text, "t");
  EXPECT_TRUE(result.value) << text << (result.problem ? result.problem->message : "");
  return *result.value;
}

std::string detail(const std::string& text) {
  const Parsed result = parse(text, "t");
  return result.problem ? result.problem->detail.value_or(std::string(result.problem->code.name()))
                        : "fine";
}

std::string rendered(const std::string& text, const std::string& json, RenderOptions options = {}) {
  return render(parsed(text), json, nullptr, options);
}

Code refused(const std::string& text, const std::string& json, RenderOptions options = {},
             const Provider* provider = nullptr) {
  try {
    static_cast<void>(render(parsed(text), json, provider, options));
  } catch (const RenderError& error) {
    return error.code();
  }
  return {};
}

TEST(ParseTest, NamesEachSyntaxError) {
  EXPECT_EQ(detail("a {{b"), "unclosed_tag");
  EXPECT_EQ(detail("{{}}"), "empty_tag");
  EXPECT_EQ(detail("{{# }}"), "empty_tag");
  EXPECT_EQ(detail("{{a..b}}"), "bad_name");
  EXPECT_EQ(detail("{{two words}}"), "bad_name");
  EXPECT_EQ(detail("{{=| | |=}}"), "bad_delimiters");
  EXPECT_EQ(detail("{{=a=b c=}}"), "bad_delimiters");
  EXPECT_EQ(detail("{{=a b}}"), "bad_delimiters");
  EXPECT_EQ(detail("{{<p}}"), "unsupported_tag");
  EXPECT_EQ(detail("{{$p}}"), "unsupported_tag");
  EXPECT_EQ(detail("{{>*p}}"), "unsupported_tag");
  EXPECT_EQ(detail("{{%p}}"), "unsupported_tag");
  EXPECT_EQ(detail("{{#a}}{{#b}}"), "unclosed_section");
  EXPECT_EQ(detail("{{/a}}"), "unopened_section");
  EXPECT_EQ(detail("{{#a}}{{/b}}"), "section_mismatch");
  EXPECT_EQ(detail("\xFF"), "ERR_TEMPLATE_ENCODING");
  EXPECT_EQ(detail(std::string((1U << 20U) + 1, 'x')), "ERR_TEMPLATE_TOO_LARGE");
}

TEST(ParseTest, RefusesDeepNestingWithoutRecursion) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += "{{#a}}";
  }
  EXPECT_EQ(detail(text), "ERR_TEMPLATE_TOO_DEEP");
}

TEST(ParseTest, DropsAByteOrderMarkAndAllowsNul) {
  EXPECT_EQ(rendered("\xEF\xBB\xBF{{a}}", "{\"a\":1}"), "1");
  EXPECT_EQ(rendered(std::string("\0{{a}}", 6), "{\"a\":1}"), std::string("\0"
                                                                          "1",
                                                                          2));
}

TEST(ReferenceTest, FollowsTheGrammar) {
  EXPECT_TRUE(is_valid_reference("a/b.c/d-e_f"));
  for (const char* bad :
       {"", "/a", "a/", "a//b", ".", "..", "a/../b", "a b", "1/2/3/4/5/6/7/8/9"}) {
    EXPECT_FALSE(is_valid_reference(bad)) << bad;
  }
  EXPECT_FALSE(is_valid_reference(std::string(201, 'a')));
}

TEST(RenderTest, PrintsNumbersAsTheWebDoes) {
  EXPECT_EQ(rendered("{{a}}", R"({"a":1e21})"), "1e+21");
  EXPECT_EQ(rendered("{{a}}", R"({"a":123456789012345680000.0})"), "123456789012345680000");
  EXPECT_EQ(rendered("{{a}}", R"({"a":0.000001})"), "0.000001");
  EXPECT_EQ(rendered("{{a}}", R"({"a":1.5e-7})"), "1.5e-7");
  EXPECT_EQ(rendered("{{a}}", R"({"a":-0})"), "0");
  EXPECT_EQ(rendered("{{a}}", R"({"a":123456789012345678901234567890})"),
            "123456789012345678901234567890");
  EXPECT_EQ(rendered("{{a}}", R"({"a":-12.50})"), "-12.5");
}

TEST(RenderTest, PrintsContainersAsCompactJsonInPayloadOrder) {
  EXPECT_EQ(rendered("{{{a}}}", R"({"a":{"z":[1,null,true],"b":"\""}})"),
            R"({"z":[1,null,true],"b":"\""})");
}

TEST(RenderTest, RefusesWhatXmlForbids) {
  RenderOptions options;
  options.format = Format::Xml;
  for (const std::string tag : {"{{a}}", "{{{a}}}", "{{&a}}"}) {
    EXPECT_EQ(refused(tag, R"({"a":"\u0001"})", options), codes::ERR_PAYLOAD_INVALID) << tag;
    EXPECT_EQ(refused(tag, R"({"a":"\uFFFE"})", options), codes::ERR_PAYLOAD_INVALID) << tag;
  }
  options.format = Format::Html;
  EXPECT_EQ(rendered("{{{a}}}", R"({"a":"\u0001"})", options), "\x01");
  options.format = Format::Spreadsheet;
  EXPECT_EQ(rendered("{{a}}", R"({"a":"=<1>"})", options), "'=&lt;1&gt;");
}

TEST(RenderTest, RefusesBadPayloads) {
  EXPECT_EQ(refused("x", "[1]"), codes::ERR_PAYLOAD_INVALID);
  EXPECT_EQ(refused("x", "{"), codes::ERR_PAYLOAD_INVALID);
  EXPECT_EQ(refused("x", R"({"a":1,"a":2})"), codes::ERR_PAYLOAD_INVALID);
  EXPECT_EQ(refused("x", "{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}"),
            codes::ERR_RENDER_LIMIT);
}

TEST(RenderTest, KeepsItsLimits) {
  const MemoryProvider loop(
      {{"p", "x{{> p}}"}, {"q", "{{#l}}{{#l}}{{#l}}{{#l}}yyyyyyyyyy{{/l}}{{/l}}{{/l}}{{/l}}"}});
  EXPECT_EQ(refused("{{> p}}", "{}", {}, &loop), codes::ERR_PARTIAL_TOO_DEEP);
  RenderOptions options;
  options.limits.steps = 1'000;
  std::string list = "{\"l\":[1";
  for (int i = 0; i < 100; ++i) {
    list += ",1";
  }
  EXPECT_EQ(refused("{{> q}}", list + "]}", options, &loop), codes::ERR_RENDER_LIMIT);
  options.limits.steps = 10'000'000;
  options.limits.output_bytes = 1'000;
  EXPECT_EQ(refused("{{> q}}", list + "]}", options, &loop), codes::ERR_RENDER_LIMIT);
}

TEST(RenderTest, HonoursItsOptions) {
  RenderOptions options;
  options.missing_value = MissingValue::Error;
  EXPECT_EQ(refused("{{a}}", "{}", options), codes::ERR_VALUE_MISSING);
  RenderOptions budget;
  budget.max_chars = 2;
  EXPECT_EQ(rendered("\xC3\xA4\xC3\xA4", "{}", budget), "\xC3\xA4\xC3\xA4");
  EXPECT_EQ(refused("abc", "{}", budget), codes::ERR_OUTPUT_TOO_LONG);
  RenderOptions tags;
  tags.enforce_tags = true;
  tags.required_tags = {"v"};
  EXPECT_EQ(refused("{{#a}}<v></v>{{/a}}", "{}", tags), codes::ERR_OUTPUT_TAG_MISSING);
  EXPECT_EQ(rendered("<v x>{{a}}</v>", "{}", tags), "<v x></v>");
}

PayloadType person() {
  PayloadType type;
  PayloadField age{"age", FieldShape::Number, false, true, 0, "int", {}, {}};
  PayloadField kind{"kind", FieldShape::Text, false, false, 0, "enum", {"A", "B"}, {}};
  PayloadField tags{"tags", FieldShape::Text, true, false, 0, "string", {}, 3};
  PayloadField extra{"extra", FieldShape::Map, false, false, 0, "map", {}, {}};
  PayloadField boss{"boss", FieldShape::Object, false, false, 0, "object", {}, {}};
  type.objects.push_back({"Person", {age, kind, tags, extra, boss}});
  return type;
}

TEST(PayloadTest, ListsEveryProblemWithItsPointer) {
  const PayloadType type = person();
  RenderOptions options;
  options.type = &type;
  options.strict_payload = true;
  try {
    static_cast<void>(render(
        parsed("x"), R"({"age":3000000000,"kind":"C","tags":["long"],"boss":{"kind":1},"x/y":1})",
        nullptr, options));
    FAIL();
  } catch (const RenderError& error) {
    std::vector<std::string> pointers;
    for (const PayloadProblem& problem : error.problems) {
      pointers.push_back(problem.pointer);
    }
    EXPECT_EQ(pointers, (std::vector<std::string>{"/age", "/kind", "/tags/0", "/boss/age",
                                                  "/boss/kind", "/x~1y"}));
  }
}

TEST(VerifyTest, ResolvesThroughMapsAndSuggests) {
  const PayloadType type = person();
  const Verified verified = verify(
      parsed(
          "{{extra.any.thing}}{{#extra}}{{whatever}}{{/extra}}{{boss.knd}}{{#hasAge}}{{/hasAge}}"),
      type, {});
  ASSERT_EQ(verified.findings.size(), 2U);
  EXPECT_EQ(verified.findings[0].suggestion, "kind");
  EXPECT_EQ(verified.findings[0].context, std::vector<std::string>{"Person"});
  EXPECT_EQ(verified.findings[1].path, "hasAge");
}

TEST(VerifyTest, FindsARecursionThatTheDataDoesNotEnd) {
  const PayloadType type = person();
  const MemoryProvider provider(
      {{"down", "{{#boss}}{{> down}}{{/boss}}"}, {"up", "{{#kind}}{{> up}}{{/kind}}"}});
  VerifyOptions options;
  options.provider = &provider;
  EXPECT_TRUE(verify(parsed("{{> down}}"), type, options).findings.empty());
  const Verified loop = verify(parsed("{{> up}}"), type, options);
  ASSERT_EQ(loop.findings.size(), 1U);
  EXPECT_EQ(loop.findings[0].code, codes::ERR_PARTIAL_CYCLE);
  EXPECT_EQ(loop.findings[0].via.size(), 1U);
}

TEST(VerifyTest, IsBoundedForPartialsThatMultiply) {
  std::map<std::string, std::string> texts;
  for (int i = 0; i < 30; ++i) {
    const std::string next = "{{> p" + std::to_string(i + 1) + "}}";
    texts["p" + std::to_string(i)] = next + next;
  }
  texts["p30"] = "x";
  const MemoryProvider provider(texts);
  const PayloadType type = person();
  VerifyOptions options;
  options.provider = &provider;
  EXPECT_TRUE(verify(parsed("{{> p0}}"), type, options).findings.empty());
  options.max_chars = 10;
  options.limits.steps = 100'000;
  EXPECT_FALSE(verify(parsed("{{> p0}}"), type, options).findings.empty());
}

}  // namespace
}  // namespace kedge::templates
