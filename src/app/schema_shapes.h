// Rows of keys (app/schema_tables.h) made into JSON Schema: one definition a shape.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/schema_tables.h"
#include "document/json.h"

namespace kedge::app {

// What a value may be beside its kind: nothing; null, where that is the same as no key; a text with
// ${NAME}, where variables are expanded before the value is read.
enum class Beside { Nothing, Null, Variable };

class ShapeSchemas {
 public:
  ShapeSchemas(std::span<const ShapeRow> rows, Beside beside) : rows_(rows), beside_(beside) {}

  document::Json definitions() const;
  document::Json shape(std::string_view name) const;
  document::Json value(std::string_view kind) const;  // with what may stand beside it

 private:
  document::Json any_of(std::string_view kinds) const;
  document::Json one(std::string_view kind) const;

  std::span<const ShapeRow> rows_;
  Beside beside_;
};

document::Json words(std::string_view blanks);  // "a b" -> ["a", "b"]
document::Json reference(std::string_view definition);
document::Json typed(std::string_view type);
document::Json integer_schema(std::int64_t least, std::int64_t most);  // most 0: no limit

}  // namespace kedge::app
