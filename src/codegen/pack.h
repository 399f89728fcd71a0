// A pack: pack.yml and Mustache templates (spec/codegen.md 3). Built-in ones live inside the
// binary; a project pack is a folder and may extend a built-in one file by file.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "document/node.h"
#include "kedge/error.h"
#include "kedge/templates.h"

namespace kedge::codegen {

enum class Scope { Object, Package, Model, Template };

struct PackFile {
  std::string name;  // of the template, without .mustache
  Scope scope = Scope::Object;
  std::vector<std::string> kinds;  // entity, projection, value; empty: all
  std::string out;                 // with placeholders
  bool exact = false;
  std::string unless_empty;  // a list of the data: without items no file
  std::string comment;       // a line comment other than the pack's
  std::string only_with;     // an option that must be set ("spring", "orm=kysely")
  Position where;
};

struct PackOption {
  std::string name;
  std::string type;  // string, bool, int, enum
  std::vector<std::string> values;
  std::string fallback;
};

struct Pack {
  std::string name;
  std::string version;
  std::string line_comment;  // "//"; empty with a block comment or JSON
  std::string comment_open;  // "<!--"
  std::string comment_close;
  enum class Header { Comment, Json, JsonSchema } header = Header::Comment;
  std::vector<PackOption> options;
  std::map<std::string, std::string> types;
  std::string list = "{}[]";
  std::string nullable = "{}";
  std::set<std::string> reserved;
  std::map<std::string, std::set<std::string>> reserved_with;  // more, by "option=value"
  std::set<std::string> reserved_types;  // names that only a type may not have
  std::vector<std::string> derived;      // types beside an object's: "{}Row", "entity {}Patch"
  std::string dollar;                    // how a '$' is written in a text ("\\$"); empty: as it is
  templates::Format format = templates::Format::Text;
  std::vector<PackFile> files;
  std::map<std::string, templates::ProvidedText> texts;  // by name, partials too
  std::string file;                                      // of pack.yml, for messages
};

// Files of a built-in pack by name ("pack.yml", "object.mustache"); empty when there is none.
std::map<std::string, std::string> builtin_pack_files(const std::string& name);
std::vector<std::string> builtin_pack_names();  // those that a target may name

// By built-in name or by path of a folder, relative to the project. Throws ERR_PACK_NOT_FOUND,
// ERR_PACK_INVALID (with all problems as notes).
Pack load_pack(const base::FileSystem& files, const std::string& project_folder,
               const std::string& name_or_path, std::optional<Position> where);

Pack load_docs_pack();  // no target may name it

// The options of a target against those of the pack: defaults filled in. Throws ERR_PACK_OPTION.
std::map<std::string, std::string> resolve_options(const Pack& pack, const std::string& target,
                                                   const document::Node& given,
                                                   const std::string& file);

}  // namespace kedge::codegen
