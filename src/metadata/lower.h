// One document to tree nodes: both spellings (JSON with sigils, YAML without) become the same
// nodes, and everything that can be said of a node alone is checked (spec/metadata.md 1.2-1.4).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "metadata/diagnostics.h"
#include "metadata/tree.h"

namespace kedge::metadata {

// Top-level nodes are appended in file order. `families` collects the foreign families already
// reported.
void lower_document(const document::Document& document, const Settings& settings,
                    Diagnostics& diagnostics, std::set<std::string>& families,
                    std::vector<TreeNode>& out);

// A YAML 1.1 spelling of a boolean or a date that stands unquoted where a string is wanted.
bool is_ambiguous_text(const document::Node& node);
bool is_node_name(std::string_view name);
// "::X" and "..::X" of YAML are expanded against `package`; nullopt when not legal in this file.
std::optional<std::string> expand_reference(const std::string& text, const std::string& package,
                                            document::Format format);

}  // namespace kedge::metadata
