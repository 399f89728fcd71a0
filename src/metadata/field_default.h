// What a @default means for a field of its type (spec/metadata.md 3.3).
#pragma once

#include <string>
#include <string_view>

#include "document/node.h"
#include "kedge/metadata.h"

namespace kedge::metadata {

struct DefaultReading {
  FieldDefault value;
  std::string problem;    // empty: fine
  bool coercion = false;  // the YAML value has been read as another type
  std::string hint;
};

DefaultReading read_default(const Field& field, const document::Node& node, bool yaml);
// Does a literal fit the field's type? The reason, or empty. Also for discriminator values.
std::string literal_problem(const Field& field, std::string_view text);

}  // namespace kedge::metadata
