// Contracts in and out (spec/contracts.md 18): export and import of open formats, a contract from
// what is there, and the difference of two contracts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "contracts/odcs.h"

namespace kedge::app {

enum class Servers { Left, Named };
struct ExportRequest {
  std::vector<std::string> targets;  // "connection.entity"; empty: all with a contract
  Servers servers = Servers::Left;
  std::optional<std::string> out;  // a file, relative to the project
};
struct ExportResult {
  std::string text;  // YAML; empty when it went to a file
  std::vector<Problem> problems;
};
ExportResult export_contract(Context& context, const ExportRequest& request);

enum class ImportTarget { Print, Write };
struct ImportRequest {
  std::string file;
  std::string connection;
  std::optional<std::string> entity;
  ImportTarget target = ImportTarget::Print;
};
struct ImportResult {
  std::string text;  // the `entities:` YAML
  std::vector<std::string> warnings;
  std::vector<Problem> problems;
};
ImportResult import_contract(Context& context, const ImportRequest& request);

enum class InferFrom { Baseline, Connection };
struct InferResult {
  std::string text;
  std::vector<Problem> problems;
};
InferResult infer_contract(Context& context, const std::string& target, InferFrom from);

struct ContractDiff {
  std::vector<contracts::ContractChange> changes;
  bool breaking() const;
};
// Files (connections.yml or ODCS) or git revisions of connections.yml. One whose contracts cannot
// be read is refused (spec/contracts.md 18.3): what is left of it would be compared without a word.
ContractDiff diff_contract_sources(Context& context, const std::string& before,
                                   const std::string& after);
// Two texts of connections.yml, as far as their contracts can be read.
ContractDiff diff_contract_texts(Context& context, const std::string& before,
                                 const std::string& after);

}  // namespace kedge::app
