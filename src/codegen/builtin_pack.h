// The files of the built-in packs, put into the binary when it is built.
#pragma once

#include <span>
#include <string_view>

namespace kedge::codegen {

struct EmbeddedFile {
  std::string_view path;  // "cpp/pack.yml"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_pack_files();  // by path

}  // namespace kedge::codegen
