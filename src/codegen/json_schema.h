// JSON Schema texts of fields, objects and templates (spec/codegen.md 3.4): one source for the
// openapi pack, the json-schema pack and the comparison of committed documents with the model.
#pragma once

#include <string>

#include "codegen/data_names.h"
#include "document/json.h"
#include "kedge/metadata.h"

namespace kedge::codegen {

enum class SchemaRefs { Components, Local };  // "#/components/schemas/X" or "#/$defs/X"

document::Json field_schema_json(const metadata::Field& field, const std::string& object_type,
                                 SchemaRefs refs);
// With "null" allowed when `nullable`, as compact JSON.
std::string field_schema(const metadata::Field& field, bool nullable,
                         const std::string& object_type, SchemaRefs refs);
// The schema of an object with everything it refers to below $defs.
document::Json object_schema(const metadata::Model& model, const metadata::Object& object,
                             const DataNames& names);
// The same as a text of its own, with $schema and title, as compact JSON.
std::string titled_schema(const metadata::Model& model, const metadata::Object& object,
                          const DataNames& names);
// Of a tool call's payload or a prompt's response; "" when the template has neither.
std::string template_schema(const metadata::Model& model, const metadata::Template& node,
                            const DataNames& names);
bool is_required(const metadata::Object& object, const metadata::Field& field);

}  // namespace kedge::codegen
