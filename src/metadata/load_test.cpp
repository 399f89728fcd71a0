#include "metadata/load.h"

#include <gtest/gtest.h>

#include "kedge/codes.h"

namespace kedge::metadata {
namespace {

LoadResult load_yaml(std::string text) {
  return load_texts({{"metadata/a.yaml", std::move(text)}}, {});
}
LoadResult load_json(std::string text) {
  return load_texts({{"metadata/a.json", std::move(text)}}, {});
}

using Codes = std::vector<std::string>;

std::vector<std::string> codes_of(const LoadResult& result) {
  std::vector<std::string> codes;
  for (const Diagnostic& diagnostic : result.diagnostics) {
    codes.emplace_back(diagnostic.finding.problem.code.name());
  }
  return codes;
}

constexpr const char* kBerth = R"(package: harbour
children:
  - object.entity:
      name: Berth
      children:
        - source.rdb: {}
        - field.long: id
        - field.string: { name: code, required: true, maxLength: 8 }
        - identity.primary: { fields: id, generation: increment }
)";

TEST(LoadTest, ReadsTheYamlForm) {
  const LoadResult result = load_yaml(kBerth);
  ASSERT_TRUE(result.diagnostics.empty()) << result.diagnostics[0].finding.problem.message;
  const Object* berth = find_object(result.model, "harbour::Berth");
  ASSERT_NE(berth, nullptr);
  EXPECT_EQ(primary_source(*berth)->physical, "berths");
  EXPECT_EQ(berth->table_owner, "harbour::Berth");
  ASSERT_NE(find_field(*berth, "code"), nullptr);
  EXPECT_EQ(find_field(*berth, "code")->max_length, 8);
  EXPECT_TRUE(find_field(*berth, "code")->required);
  EXPECT_EQ(find_primary(*berth)->generation, Generation::Increment);
  EXPECT_EQ(find_field(*berth, "code")->place.where.line, 8U);
}

// What somebody writes into a statement stays inside it: nothing else is run, nothing swallowed.
TEST(LoadTest, ABodyIsOneStatementAndAnExpressionIsOne) {
  const auto view = [](const std::string& sql) {
    return codes_of(load_json(
        R"({"metadata.root": {"children": [{"object.projection": {"name": "V", "children": [
      {"source.rdb": {"@kind": "view", "@sql": ")" +
        sql + R"("}}, {"field.int": {"name": "a"}}]}}]}})"));
  };
  EXPECT_TRUE(view("select 1 as a;").empty());
  EXPECT_TRUE(view("select 1 as a, ';' as b -- hi").empty());
  EXPECT_EQ(view("select 1 as a; drop table x"), Codes{"ERR_BAD_ATTR_VALUE"});
  const auto field = [](const std::string& sql) {
    return codes_of(
        load_json(R"({"metadata.root": {"children": [{"object.value": {"name": "P", "children": [
      {"field.int": {"name": "n", "@default": {"sql": ")" +
                  sql + R"("}}}]}}]}})"));
  };
  EXPECT_TRUE(field("(1 + 2) /* three */").empty());
  EXPECT_EQ(field("0); drop table x; --"), Codes{"ERR_BAD_ATTR_VALUE"});
  EXPECT_EQ(field("0 -- none"), Codes{"ERR_BAD_ATTR_VALUE"});
  EXPECT_EQ(field("0 -- */"), Codes{"ERR_BAD_ATTR_VALUE"});
  EXPECT_EQ(field("0 /* none"), Codes{"ERR_BAD_ATTR_VALUE"});
  EXPECT_EQ(field("lower('a'"), Codes{"ERR_BAD_ATTR_VALUE"});
  const auto index = [](const std::string& more) {
    return codes_of(
        load_yaml(std::string(kBerth) + "        - index.lookup: { name: ix, " + more + " }\n"));
  };
  EXPECT_TRUE(index("expr: \"lower(code)\"").empty());
  EXPECT_EQ(index("expr: \"lower(\""), Codes{"ERR_BAD_ATTR_VALUE"});
  EXPECT_EQ(index("fields: code, where: \"((\""), Codes{"ERR_BAD_ATTR_VALUE"});
}

TEST(LoadTest, ALetterMayBeANameAndStaysAmbiguousAsAValue) {
  const auto with = [](const std::string& child) {
    return codes_of(load_yaml(
        "children:\n  - object.value:\n      name: P\n      children:\n        - " + child + "\n"));
  };
  EXPECT_TRUE(with("field.double: y").empty());
  EXPECT_EQ(with("field.string: { name: a, default: y }"), Codes{"ERR_YAML_COERCION"});
  EXPECT_EQ(with("field.string: no"), Codes{"ERR_YAML_COERCION"});
}

TEST(LoadTest, OnlyAPayloadMayHoldAnOpenMap) {
  EXPECT_TRUE(codes_of(load_yaml("children:\n  - object.value:\n      name: P\n      children:\n"
                                 "        - field.map: extras\n"))
                  .empty());
  EXPECT_EQ(codes_of(load_yaml(std::string(kBerth) + "        - field.map: extras\n")),
            Codes{"ERR_BAD_ATTR_VALUE"});
}

TEST(LoadTest, ReadsTheJsonFormOfASingleNode) {
  const LoadResult result = load_json(R"({ "object.entity": { "name": "Author", "children": [
    { "source.rdb": { "@table": "authors" } },
    { "field.long": { "name": "id" } },
    { "field.string": { "name": "name", "@required": true } },
    { "field.string": { "name": "bio" } },
    { "identity.primary": { "@fields": "id", "@generation": "increment" } } ] } })");
  ASSERT_TRUE(result.diagnostics.empty()) << result.diagnostics[0].finding.problem.message;
  ASSERT_NE(find_object(result.model, "Author"), nullptr);
}

TEST(LoadTest, GivesPositionAndPointerOfAnUnknownAttribute) {
  const LoadResult result = load_json(
      "{ \"metadata.root\": { \"package\": \"p\", \"children\": [\n"
      "  { \"object.value\": { \"name\": \"A\", \"children\": [\n"
      "    { \"field.string\": { \"name\": \"x\", \"@requird\": true } } ] } } ] } }");
  ASSERT_EQ(codes_of(result), std::vector<std::string>{"ERR_UNKNOWN_ATTR"});
  const Diagnostic& diagnostic = result.diagnostics[0];
  EXPECT_EQ(diagnostic.finding.problem.where->line, 3U);
  EXPECT_EQ(diagnostic.pointer,
            "/metadata.root/children/0/object.value/children/0/field.string/@requird");
  EXPECT_EQ(diagnostic.suggestions, std::vector<std::string>{"required"});
}

TEST(LoadTest, CollectsErrorsOfAllFilesInOrder) {
  const LoadResult result = load_texts({{"b.yaml", "package: p\nchildren:\n  - field.nope: x\n"},
                                        {"a.json", "{ \"metadata.root\": "},
                                        {"c.yaml", "a: b: c\n"}},
                                       {});
  EXPECT_EQ(codes_of(result), (std::vector<std::string>{"ERR_MALFORMED_JSON", "ERR_UNKNOWN_SUBTYPE",
                                                        "ERR_MALFORMED_YAML"}));
}

struct Case {
  const char* name;
  const char* code;  // of the first diagnostic
  const char* text;
};
void PrintTo(const Case& one, std::ostream* out) {
  *out << one.name;
}

class BadMetadata : public testing::TestWithParam<Case> {};

TEST_P(BadMetadata, IsRefusedWithItsCode) {
  const std::string text = GetParam().text;
  const LoadResult result = text[0] == '{' ? load_json(text) : load_yaml(text);
  ASSERT_FALSE(result.diagnostics.empty());
  std::string all;
  for (const Diagnostic& each : result.diagnostics) {
    all +=
        std::string(each.finding.problem.code.name()) + ": " + each.finding.problem.message + "\n";
  }
  EXPECT_EQ(result.diagnostics[0].finding.problem.code.name(), GetParam().code) << all;
  EXPECT_TRUE(result.diagnostics[0].finding.problem.where.has_value());
}

#define ENTITY(body)                                                                          \
  "children:\n  - object.entity:\n      name: A\n      children:\n        - source.rdb: {}\n" \
  "        - field.long: id\n        - identity.primary: { fields: id }\n" body
#define VALUE(body) "children:\n  - object.value:\n      name: A\n      children:\n" body

const Case kCases[] = {
    {"List", "ERR_TOP_LEVEL_NOT_OBJECT", "- a\n"},
    {"JsonBodyWithoutWrapper", "ERR_TOP_LEVEL_NOT_OBJECT",
     "{ \"package\": \"p\", \"children\": [] }"},
    {"UnknownType", "ERR_UNKNOWN_TYPE", "children:\n  - objekt.entity: { name: A }\n"},
    {"TwoKeys", "ERR_UNKNOWN_TYPE", "children:\n  - { object.entity: { name: A }, b: {} }\n"},
    {"UnknownSubtype", "ERR_UNKNOWN_SUBTYPE", "children:\n  - object.entiti: { name: A }\n"},
    {"MalformedJson", "ERR_MALFORMED_JSON", "{ \"a\": "},
    {"MalformedYaml", "ERR_MALFORMED_YAML", "a: [\n"},
    {"DuplicateKey", "ERR_MALFORMED_YAML", "package: a\npackage: b\n"},
    {"CoercedDefault", "ERR_YAML_COERCION",
     VALUE("        - field.string: { name: x, default: yes }\n")},
    {"CoercedName", "ERR_YAML_COERCION", VALUE("        - field.string: { name: 2026-01-01 }\n")},
    {"CoercedValues", "ERR_YAML_COERCION",
     VALUE("        - field.enum: { name: x, values: [on, off] }\n")},
    {"NumberForString", "ERR_YAML_COERCION",
     VALUE("        - field.string: { name: x, column: 7 }\n")},
    {"NumberForStringJson", "ERR_BAD_ATTR_VALUE",
     "{ \"object.value\": { \"name\": \"A\", \"children\": [ { \"field.string\": { \"name\": "
     "\"x\", \"@column\": 7 } } ] } }"},
    {"ReservedAttribute", "ERR_RESERVED_ATTR",
     "children:\n  - object.value: { \"@name\": A, name: A }\n"},
    {"UnknownAttribute", "ERR_UNKNOWN_ATTR",
     VALUE("        - field.string: { name: x, maxLen: 3 }\n")},
    {"UniqueLookup", "ERR_UNKNOWN_ATTR",
     ENTITY("        - index.lookup: { name: i, fields: id, unique: true }\n")},
    {"BadChoice", "ERR_BAD_ATTR_VALUE",
     ENTITY("        - relationship.association: { name: r, objectRef: A, onDelete: setNull }\n")},
    {"MissingAttribute", "ERR_MISSING_REQUIRED_ATTR",
     ENTITY("        - relationship.association: { name: r }\n")},
    {"EnumWithoutValues", "ERR_MISSING_REQUIRED_ATTR", VALUE("        - field.enum: x\n")},
    {"DefaultDoesNotFit", "ERR_BAD_ATTR_VALUE",
     VALUE("        - field.decimal: { name: x, precision: 3, scale: 1, default: 123.4 }\n")},
    {"Currency", "ERR_BAD_ATTR_VALUE",
     VALUE("        - field.currency: { name: x, currency: eur }\n")},
    {"MapWithBoth", "ERR_BAD_ATTR_VALUE",
     VALUE("        - field.map: { name: x, valueType: string, objectRef: A }\n")},
    {"ColumnType", "ERR_BAD_ATTR_VALUE",
     VALUE("        - field.int: { name: x, dbColumnType: uuid }\n")},
    {"DuplicateName", "ERR_DUPLICATE_NAME",
     VALUE("        - field.int: x\n        - field.string: x\n")},
    {"MergeConflict", "ERR_MERGE_CONFLICT",
     VALUE("        - field.int: { name: x, required: true }\n        - field.int: { name: x, "
           "required: false }\n")},
    {"DuplicateDeclaration", "WARN_DUPLICATE_DECLARATION",
     VALUE("        - field.int: { name: x, required: true }\n        - field.int: { name: x, "
           "required: true }\n")},
    {"OverlayWithoutTarget", "ERR_OVERLAY_NO_TARGET",
     "children:\n  - object.value: { name: A, overlay: true }\n"},
    {"UnresolvedSuper", "ERR_UNRESOLVED_SUPER",
     "children:\n  - object.value: { name: A, extends: B }\n"},
    {"ExtendsCycle", "ERR_UNRESOLVED_SUPER",
     "children:\n  - object.value: { name: A, extends: B }\n  - object.value: { name: B, extends: "
     "A }\n"},
    {"ExtendsMismatch", "ERR_EXTENDS_TARGET_MISMATCH",
     "children:\n  - object.value: { name: A, extends: B }\n  - object.entity: { name: B }\n"},
    {"ValueWithSource", "ERR_SUBTYPE_RULE_VIOLATION", VALUE("        - source.rdb: {}\n")},
    {"ChildNotAllowed", "ERR_CHILD_NOT_ALLOWED",
     "children:\n  - object.value: { name: A, children: [ { object.value: { name: B } } ] }\n"},
    {"TwoPrimaries", "ERR_TOO_MANY_OCCURRENCES",
     ENTITY("        - identity.primary: { name: b, fields: id }\n")},
    {"UnnamedUniqueKey", "ERR_IDENTITY_NAME_REQUIRED",
     ENTITY("        - identity.secondary: { fields: id }\n")},
    {"ObjectFieldWithoutRef", "ERR_OBJECT_FIELD_WITHOUT_OBJECT_REF",
     VALUE("        - field.object: x\n")},
    {"StorageWithoutRef", "ERR_STORAGE_WITHOUT_OBJECT_REF",
     VALUE("        - field.string: { name: x, storage: jsonb }\n")},
    {"FlattenedList", "ERR_STORAGE_FLATTENED_ARRAY",
     VALUE("        - field.object[]: { name: x, objectRef: B, storage: flattened }\n") "  - "
                                                                                        "object."
                                                                                        "value: { "
                                                                                        "name: B, "
                                                                                        "children: "
                                                                                        "[ { "
                                                                                        "field."
                                                                                        "string: { "
                                                                                        "name: s } "
                                                                                        "} ] }\n"},
    {"UnresolvedObjectRef", "ERR_UNRESOLVED_OBJECT_REF",
     VALUE("        - field.object: { name: x, objectRef: B }\n")},
    {"IntValueMapList", "ERR_ENUM_INT_VALUE_MAP_ARRAY",
     VALUE("        - field.enum[]: { name: x, values: [A], intValueMap: { A: 1 } }\n")},
    {"InvalidReference", "ERR_INVALID_REFERENCE",
     ENTITY("        - identity.reference: { name: r, fields: id, references: B }\n")},
    {"InvalidIndex", "ERR_INVALID_INDEX",
     ENTITY("        - index.lookup: { name: i, fields: nope }\n")},
    {"FieldsAndExpr", "ERR_INVALID_INDEX",
     ENTITY("        - index.lookup: { name: i, fields: id, expr: id + 1 }\n")},
    {"BadGeneration", "ERR_BAD_GENERATION",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: {} }, { field.string: id "
     "}, { identity.primary: { fields: id, generation: increment } } ] }\n"},
    {"SetNull", "ERR_SET_NULL_NOT_NULLABLE",
     ENTITY("        - field.long: { name: up, required: true }\n        - identity.reference: { "
            "name: r, fields: up, references: A, onDelete: set-null }\n")},
    {"FkTarget", "ERR_FK_TARGET",
     ENTITY("        - field.string: up\n        - identity.reference: { name: r, fields: up, "
            "references: A }\n")},
    {"NoPrimarySource", "ERR_SOURCE_NO_PRIMARY",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: { role: replica } } ] "
     "}\n"},
    {"TwoSources", "ERR_SOURCE_MULTIPLE_PRIMARY", ENTITY("        - source.rdb: {}\n")},
    {"ReadOnlyEntity", "ERR_ENTITY_PRIMARY_SOURCE_READONLY",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: { kind: view } } ] }\n"},
    {"NameKind", "ERR_PHYSICAL_NAME_KIND_MISMATCH",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: { view: v } }, { "
     "field.long: id }, { identity.primary: { fields: id } } ] }\n"},
    {"NameTwice", "ERR_PHYSICAL_NAME_MULTIPLE",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: { view: v, table: t } }, "
     "{ field.long: id }, { identity.primary: { fields: id } } ] }\n"},
    {"NoPrimaryKey", "WARN_ENTITY_WITHOUT_PRIMARY",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: {} }, { field.long: id } "
     "] }\n"},
    {"WritableProjection", "ERR_PROJECTION_SOURCE_WRITABLE",
     "children:\n  - object.projection: { name: A, children: [ { source.rdb: {} } ] }\n"},
    {"SqlOnTable", "ERR_SQL_BODY_ON_WRITABLE_KIND",
     "children:\n  - object.entity: { name: A, children: [ { source.rdb: { sql: select 1 } }, { "
     "field.long: id }, { identity.primary: { fields: id } } ] }\n"},
    {"SqlUnmanaged", "ERR_SQL_BODY_WITH_UNMANAGED",
     "children:\n  - object.projection: { name: A, children: [ { source.rdb: { kind: view, sql: "
     "select 1, unmanaged: true } } ] }\n"},
    {"SqlProc", "ERR_SQL_BODY_KIND_UNSUPPORTED",
     "children:\n  - object.projection: { name: A, children: [ { source.rdb: { kind: storedProc, "
     "sql: select 1 } } ] }\n"},
    {"Discriminator", "ERR_DISCRIMINATOR_FIELD_NOT_FOUND",
     "children:\n  - object.entity: { name: A, discriminator: kind, children: [ { source.rdb: {} "
     "}, { field.long: id }, { identity.primary: { fields: id } } ] }\n"},
    {"Through", "ERR_INVALID_RELATIONSHIP",
     ENTITY("        - relationship.association: { name: r, objectRef: A, symmetric: true }\n")},
    {"ValidatorField", "ERR_BAD_ATTR_VALUE",
     ENTITY("        - validator.atLeastOne: { fields: [nope] }\n")},
    {"TemplateBase", "ERR_ABSTRACT_SUBTYPE_AUTHORED",
     "children:\n  - template.base: { name: T }\n"},
    {"TemplatePayload", "ERR_INVALID_TEMPLATE",
     "children:\n  - template.output: { name: T, payloadRef: P, textRef: a/b }\n"},
    {"TemplateRef", "ERR_REF_INVALID",
     "children:\n  - object.value: { name: P }\n  - template.output: { name: T, payloadRef: P, "
     "textRef: ../b }\n"},
    {"RelativeJson", "ERR_RELATIVE_REF_IN_CANONICAL",
     "{ \"object.value\": { \"name\": \"A\", \"extends\": \"::B\" } }"},
    {"Foreign", "WARN_NODE_IGNORED", "children:\n  - requirement.functional: { name: A }\n"},
    {"DisguisedProjection", "WARN_ENTITY_AS_PROJECTION",
     "children:\n  - object.entity:\n      name: V\n      children:\n        - source.rdb: { kind: "
     "view }\n        - field.long: { name: n, children: [ { origin.passthrough: { from: A.id } } "
     "] }\n  - object.entity: { name: A, children: [ { source.rdb: {} }, { field.long: id }, { "
     "identity.primary: { fields: id } } ] }\n"},
};

INSTANTIATE_TEST_SUITE_P(All, BadMetadata, testing::ValuesIn(kCases),
                         [](const auto& one) { return std::string(one.param.name); });

TEST(LoadTest, TurnsUnknownAttributesIntoWarningsWhenLax) {
  Settings lax;
  lax.strict = false;
  const LoadResult result =
      load_texts({{"a.yaml", VALUE("        - field.string: { name: x, maxLen: 3 }\n")}}, lax);
  ASSERT_EQ(result.diagnostics.size(), 1U);
  EXPECT_FALSE(result.has_errors());
}

TEST(LoadTest, AppliesOverlaysAfterEveryPlainDeclaration) {
  const LoadResult result = load_texts(
      {{"a.yaml",
        "children:\n  - object.value: { name: A, overlay: true, children: [ { field.int: { name: "
        "x, required: true } }, { field.int: z } ] }\n"},
       {"b.yaml",
        "children:\n  - object.value: { name: A, children: [ { field.int: { name: x, required: "
        "false } } ] }\n"}},
      {});
  ASSERT_TRUE(result.diagnostics.empty()) << result.diagnostics[0].finding.problem.message;
  const Object* object = find_object(result.model, "A");
  EXPECT_TRUE(find_field(*object, "x")->required);
  EXPECT_NE(find_field(*object, "z"), nullptr);
}

TEST(LoadTest, InheritsBaseFirstAndOverridesByName) {
  const LoadResult result = load_yaml(
      "package: p\nchildren:\n"
      "  - object.entity: { name: Base, abstract: true, children: [ { field.long: id }, { "
      "field.string: { name: note, maxLength: 5, description: d } }, { identity.primary: { fields: "
      "id } } ] }\n"
      "  - object.entity: { name: A, extends: Base, children: [ { source.rdb: {} }, { field.int: "
      "own }, { field.string: { name: note, maxLength: 9 } } ] }\n");
  ASSERT_TRUE(result.diagnostics.empty());
  const Object* object = find_object(result.model, "p::A");
  ASSERT_EQ(object->fields.size(), 3U);
  EXPECT_EQ(object->fields[0].name, "id");
  EXPECT_EQ(object->fields[1].max_length, 9);
  EXPECT_EQ(object->fields[1].documentation.description, "d");
  EXPECT_EQ(object->fields[2].name, "own");
  EXPECT_EQ(primary_source(*object)->physical, "as");
}

}  // namespace
}  // namespace kedge::metadata
