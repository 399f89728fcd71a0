// Surgical edits of a YAML or JSON text: everything outside the edited items stays byte for byte
// (comments, order, quoting, blank lines, line ends). Edits are collected against one Document and
// applied together; they must not overlap.
//
// A path names a place from the root: keys of mappings and indexes of lists.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "document/json.h"
#include "document/node.h"

namespace kedge::document {

using Step = std::variant<std::string, std::size_t>;
using Path = std::vector<Step>;

// The node at a path, or null.
const Node* find_node(const Node& root, const Path& path);

enum class WhenEmptied {
  KeepEmpty,  // a list or mapping that loses its last item is written as [] or {}
  RemoveKey   // it is removed with its key; the root is never removed
};

struct EditPlan;

class Editor {
 public:
  explicit Editor(const Document& document);  // the document must outlive the editor
  ~Editor();
  Editor(const Editor&) = delete;
  Editor& operator=(const Editor&) = delete;

  // Removes a list item or a mapping entry, with the lines and the comment at the end of its line
  // that belong to it. Items that do not exist throw ERR_INTERNAL.
  void remove(const Path& path, WhenEmptied when = WhenEmptied::RemoveKey);
  // Appends to the list at `path`, in its style and indentation. A missing key (its parent must be
  // a mapping) is added with the list; a null or an empty list is replaced.
  void append(const Path& list, Json item);
  // Adds or replaces the value of a key in the mapping at `mapping`.
  void set(const Path& mapping, std::string_view key, Json value);
  // Replaces the value at a path. A scalar keeps its quoting style where it can.
  void replace(const Path& path, Json value);

  bool empty() const;
  // The new text. Throws ERR_DOCUMENT when an edit reaches into an alias or when the result would
  // not read as intended (it is read again and compared), for instance because a removed item
  // holds an anchor that is used elsewhere.
  std::string apply() const;

 private:
  const Document& document_;
  std::unique_ptr<EditPlan> plan_;
};

// A value as a block of YAML text: `indent` spaces before every line, ends with a line end. Strings
// are plain where the core schema reads them back as the same string, else double-quoted.
std::string write_yaml(const Json& value, std::size_t indent = 0);

}  // namespace kedge::document
