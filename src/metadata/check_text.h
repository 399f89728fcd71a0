// The CHECK texts of the rules of a field (spec/metadata.md 4.6), and the way back from a live
// CHECK to the rule that asks for it.
#pragma once

#include <optional>
#include <string>

#include "document/json.h"
#include "kedge/schema.h"
#include "metadata/physical.h"

namespace kedge::metadata {

// A bound that is empty is none. `what` is a column or a function of one.
std::string range_text(const std::string& what, const std::string& minimum,
                       const std::string& maximum);
std::string length_text(const Writer& writer, const std::string& column);
// Empty where the dialect has no regular expressions.
std::string regex_text(const Writer& writer, const std::string& column, const std::string& pattern);

struct DescribedRule {
  std::string kind;  // "validator.numeric"
  document::Json attributes;
};
// Nothing when no rule of the column gives this CHECK, under this name where names count.
std::optional<DescribedRule> describe_check(const Writer& writer, const schema::Table& table,
                                            const schema::Column& column,
                                            const schema::Check& check);
// Do CHECKs pair by their names on this dialect?
bool checks_have_names(const Writer& writer);

}  // namespace kedge::metadata
