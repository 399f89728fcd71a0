#include "codegen/builtin_pack.h"

#include <set>

#include "codegen/pack.h"

namespace kedge::codegen {
namespace {

constexpr std::string_view kCommon = "common/";

}  // namespace

std::map<std::string, std::string> builtin_pack_files(const std::string& name) {
  std::map<std::string, std::string> files;
  for (const base::EmbeddedFile& file : embedded_pack_files()) {
    if (!name.empty() && file.path.starts_with(name + "/")) {
      files.emplace(file.path.substr(name.size() + 1), file.text);
    }
  }
  if (files.contains("startup.mustache")) {  // the catalog queries are the same in every language
    for (const base::EmbeddedFile& file : embedded_pack_files()) {
      if (file.path.starts_with(kCommon)) {
        files.emplace(file.path.substr(kCommon.size()), file.text);
      }
    }
  }
  return files;
}

std::vector<std::string> builtin_pack_names() {
  std::set<std::string> names;
  for (const base::EmbeddedFile& file : embedded_pack_files()) {
    names.emplace(file.path.substr(0, file.path.find('/')));
  }
  names.erase("markdown");  // through kedge docs only
  names.erase("common");    // no pack, but texts that several include
  return {names.begin(), names.end()};
}

}  // namespace kedge::codegen
