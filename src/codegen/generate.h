// From a model and a target to the texts of its files, all in memory (spec/codegen.md 3, 4, 6.1).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "codegen/data.h"
#include "codegen/pack.h"
#include "templates/render.h"

namespace kedge::codegen {

struct GeneratedFile {
  std::string path;  // below the project, with '/'
  std::string text;  // with its header, LF, exactly one newline at the end
  std::string target;
  std::string pack;
  std::string pack_version;
  std::string template_name;
  std::string from;  // qualified name, package or "model"
  bool exact = false;
  std::vector<std::string> fields;  // of the object: to find the successor of a renamed one
};

// Text of a file on its way through the formatter of the target.
using Formatter = std::function<std::string(const std::string& path, const std::string& text)>;

// Every finding of the pack's own templates against the published shape.
std::vector<templates::TemplateFinding> check_pack(const Pack& pack);
// Throws the codes of spec/codegen.md 12.
std::vector<GeneratedFile> generate(const metadata::Model& model, const Pack& pack,
                                    const TargetSettings& target, const Formatter& formatter);
// Over all targets: equal paths with equal texts become one, else ERR_GEN_PATH_COLLISION.
std::vector<GeneratedFile> merge_targets(std::vector<GeneratedFile> files);

// --- headers
struct HeaderSum {
  std::string sum;      // as the header says
  bool agrees = false;  // with the body
};
std::string with_header(const Pack& pack, const std::string& from, const std::string& body);
// Of a text with LF line ends; nothing when it has no header of kedge.
std::optional<HeaderSum> read_header(const std::string& text);
// The text without its header line (JSON: with an empty sum): what two versions are compared by.
std::string without_header(const std::string& text);
// The text under the header (JSON: with the sum) of another generation of it.
std::string with_header_of(const std::string& text, const std::string& other);
std::string normal_line_ends(std::string text);  // CRLF to LF

}  // namespace kedge::codegen
