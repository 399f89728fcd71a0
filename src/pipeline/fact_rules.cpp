// Facts and checks that could never be evaluated are refused where they are declared
// (spec/contracts.md 16, 19 PZ0113): DuckDB is asked whether it takes the pattern or the value.
#include <algorithm>
#include <charconv>

#include "contracts/target_type.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

using contracts::Check;
using contracts::CheckType;

class FactRules {
 public:
  FactRules(const SqlTrial& trial, std::vector<Problem>& problems)
      : trial_(trial), problems_(problems) {}

  // Without a contract the types of the columns are not known yet.
  void check(const std::vector<Check>& checks, const contracts::Contract* contract) {
    for (const Check& check : checks) {
      if (check.type == CheckType::Pattern) {
        refuse(check, "SELECT regexp_full_match('', " + quote_literal(check.pattern) + ")");
      } else if (contract != nullptr && check.columns.size() == 1 &&
                 (check.type == CheckType::AcceptedValues || check.type == CheckType::Range)) {
        check_values(check, *contract);
      }
    }
  }

 private:
  void check_values(const Check& check, const contracts::Contract& contract) {
    const contracts::ContractColumn* column = contracts::find_column(contract, check.columns[0]);
    if (column == nullptr) {
      return;  // told where the contract is read
    }
    const schema::Type type = contracts::underlying_type(column->type);
    std::vector<std::string> values = check.values;
    for (const auto& bound : {check.minimum, check.maximum}) {
      if (bound) {
        values.push_back(*bound);
      }
    }
    for (const std::string& value : values) {
      if (type.kind != schema::TypeKind::Text && !is_plain_number(type, value) &&
          refuse(check, "SELECT CAST(" + quote_literal(value) + " AS " +
                            contracts::type_name(type) + ")")) {
        return;
      }
    }
  }

  static bool is_plain_number(const schema::Type& type, const std::string& text) {
    const bool numeric =
        contracts::is_integer(type.kind) || type.kind == schema::TypeKind::Numeric ||
        type.kind == schema::TypeKind::Real4 || type.kind == schema::TypeKind::Real8;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return numeric && error == std::errc() && end == text.data() + text.size();
  }

  bool refuse(const Check& check, const std::string& sql) {
    const std::optional<std::string> why = trial_ ? trial_(sql) : std::nullopt;
    if (why) {
      problems_.push_back({codes::PZ0113,
                           contracts::describe_check(check) +
                               " can never be evaluated: " + why->substr(0, why->find('\n')),
                           check.where,
                           "",
                           {}});
    }
    return why.has_value();
  }

  const SqlTrial& trial_;
  std::vector<Problem>& problems_;
};

}  // namespace

void check_facts(const CompileRequest& request, Compilation& result) {
  FactRules rules(request.trial, result.compile.problems);
  for (const ReadSpec& read : result.workspace->reads) {
    rules.check(read.checks, &read.contract);
  }
  for (const WriteSpec& write : result.workspace->writes) {
    rules.check(write.checks, &write.contract);
  }
  for (const PipelineSpec& pipeline : result.workspace->pipelines) {
    rules.check(pipeline.checks, nullptr);
  }
}

}  // namespace kedge::pipeline
