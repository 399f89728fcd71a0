// Which name each object and enum has in generated code, and what is refused because two would have
// one (spec/codegen.md 3.5).
#pragma once

#include <map>
#include <set>
#include <string>

#include "codegen/data.h"

namespace kedge::codegen {

class DataNames {
 public:
  DataNames(const metadata::Model& model, const Pack& pack, const TargetSettings& target);
  // All the spellings of one name.
  document::Node named(const std::string& name) const;
  // An object that something refers to.
  document::Node target_node(const std::string& qualified_name) const;
  // The short name, or with the package's words in front when several packages have it.
  std::string type_name(const std::string& qualified_name) const;
  std::string enum_name(const metadata::Field& field, const metadata::Object& object) const;
  // Whether a value of `from` can hold, at any depth, one of `to`.
  bool reaches(const std::string& from, const std::string& to) const;
  // Throws ERR_GEN_NAME_COLLISION when two fields of an object, or two members of one enum, have
  // one identifier.
  void check_members(const metadata::Object& object) const;

 private:
  struct Declared {
    std::string what;
    Position where;
  };
  void name_objects(const TargetSettings& target);
  std::string type_identifier(const std::string& name) const;
  void declare(const std::string& type, const std::string& what, const Position& where, Code code);
  void declare_forms(std::string_view kind, const std::string& name, const Declared& declared);
  void declare_derived(const TargetSettings& target);
  static void check_values(const metadata::Field& field, const metadata::Object& object);

  const metadata::Model& model_;
  const Pack& pack_;
  std::map<std::string, std::string> type_names_;
  std::map<std::string, Declared> declared_;  // by the type's identifier in the target's language
};

}  // namespace kedge::codegen
