// A live type as the type of a field: a subtype and its attributes, or the engine's own spelling
// under dbType.
#pragma once

#include <string>

#include "document/json.h"
#include "kedge/schema.h"

namespace kedge::metadata {

struct FieldShape {
  std::string type = "string";
  document::Json attributes = document::Json::object();
  bool raw = false;  // only dbType says what it is
};
// Native: the engine's own spelling, whatever the language has for it.
enum class Spelling { Language, Native };
FieldShape shape_of(const schema::Type& type, schema::Dialect dialect,
                    Spelling spelling = Spelling::Language);

}  // namespace kedge::metadata
