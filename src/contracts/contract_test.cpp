#include "contracts/contract.h"

#include <gtest/gtest.h>

#include "contracts/odcs.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"

namespace kedge::contracts {
namespace {

struct Read {
  Contract contract;
  std::vector<Problem> problems;
};

Read read(const std::string& yaml) {
  const auto document = document::read_document("c.yml", yaml, document::Format::Yaml);
  Read result;
  result.contract = read_contract("c.yml", document.root, result.problems);
  return result;
}

TEST(ContractTest, ReadsShortAndLongForms) {
  const Read result =
      read("a: bigint\nb: { type: varchar(9), source: B b, not_null: true, max: 5 }\n");
  ASSERT_TRUE(result.problems.empty());
  EXPECT_EQ(result.contract.columns.at(1).source, "B b");
  ASSERT_EQ(result.contract.facts.size(), 2U);
  EXPECT_EQ(describe_check(result.contract.facts[1]), "b range ..5");
}

TEST(ContractTest, ReportsEveryProblemWithItsPlace) {
  const Read result =
      read("a: bigintt\nb: [x]\nc: { typ: date }\nd: { type: date, unique: yes }\n");
  ASSERT_EQ(result.problems.size(), 5U);
  EXPECT_EQ(result.problems[0].code, codes::PZ0801);
  EXPECT_EQ(to_string(*result.problems[0].where), "c.yml:1:4");
  EXPECT_EQ(result.problems[1].code, codes::PZ0101);
  EXPECT_EQ(result.problems[4].code, codes::PZ0113);
}

TEST(ContractTest, TakesAnEmptyMappingForNoContract) {
  EXPECT_TRUE(read("{}").contract.empty());
}

TEST(ContractTest, SurvivesTheOpenStandardAndBack) {
  EntityContract entity;
  entity.connection = "c";
  entity.entity = "s.t";
  entity.contract =
      read(
          "a: { type: 'decimal(12,3)', min: 0, not_null: true }\n"
          "b: { type: varchar(9), accepted_values: [x, 'y'], pattern: '[xy]', min_length: 1 }\n"
          "c: { type: date, optional: true, source: C, description: day }\n"
          "d: 'integer[]'\n")
          .contract;
  ContractDocument document;
  document.name = "n";
  document.version = "1";
  document.entities = {entity};
  const std::string text = document::write_json(to_odcs(document));
  const OdcsImport import = from_odcs("c.json", text);
  ASSERT_TRUE(import.problems.empty());
  EXPECT_TRUE(import.warnings.empty());
  ASSERT_EQ(import.entities.size(), 1U);
  EXPECT_EQ(document::write_json(import.entities[0].block),
            document::write_json(entity_block(entity)));
}

TEST(ContractTest, TellsBreakingChangesFromCompatibleOnes) {
  EntityContract before;
  before.contract =
      read("a: integer\nb: { type: varchar, accepted_values: [x, y] }\nc: date\n").contract;
  EntityContract after;
  after.contract =
      read("a: bigint\nb: { type: varchar, accepted_values: [x] }\nd: date\n").contract;
  std::vector<std::string> texts;
  for (const ContractChange& change : diff_contracts({before}, {after})) {
    texts.push_back((change.kind == DiffKind::Breaking ? "! " : "  ") + change.text);
  }
  EXPECT_EQ(texts, (std::vector<std::string>{
                       "  column 'a' retyped INTEGER -> BIGINT", "! column 'c' removed",
                       "  column 'd' added (DATE)",
                       "! tightened fact: b accepted_values [x, y] -> b accepted_values [x]"}));
}

}  // namespace
}  // namespace kedge::contracts
