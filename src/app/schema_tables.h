// The keys of project files as data, for the JSON Schemas that editors read. The loaders read by
// getters, so what they know is written once more here; schema_files_test.cpp gives every key to
// its loader. Connector options and metadata attributes come from the loaders' own tables.
#pragma once

#include <span>
#include <string_view>

namespace kedge::app {

// `kind` is one or more of these, with '|' between:
//   text name string bool int int:LEAST:MOST duration texts (a list) texts1 (one or a list) scalar
//   object null any threshold pair pairs two target enum:WORD WORD
//   #SHAPE a mapping of that shape   [KIND] a list   {KIND} a mapping with free keys
struct ShapeRow {
  std::string_view shapes;  // by blanks
  std::string_view key;
  std::string_view kind;
  bool required = false;
};

std::span<const ShapeRow> project_rows();
std::span<const ShapeRow> connection_rows();
std::span<const ShapeRow> model_rows();
std::span<const ShapeRow> sidecar_rows();

}  // namespace kedge::app
