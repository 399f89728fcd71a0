// Feeds bytes to both readers, then removes and appends items: no input may crash, hang or give a
// result that does not read back.
#include <cstddef>
#include <cstdint>
#include <string>

#include "document/edit.h"
#include "document/json.h"
#include "document/node.h"

using namespace kedge::document;

namespace {

void edit(const Document& document, std::uint8_t choice) {
  if (!document.root.is_mapping() || document.root.entries.empty()) {
    return;
  }
  const Entry& entry = document.root.entries[choice % document.root.entries.size()];
  try {
    Editor editor(document);
    if (entry.value.is_sequence() && !entry.value.items.empty() && (choice & 1U) == 0) {
      editor.remove({entry.key.text, choice % entry.value.items.size()});
    } else if (entry.value.is_sequence()) {
      editor.append({entry.key.text}, Json("new: item"));
    } else if ((choice & 2U) == 0) {
      editor.remove({entry.key.text});
    } else {
      editor.set({}, entry.key.text, Json("x"));
    }
    static_cast<void>(editor.apply());
  } catch (const kedge::Error&) {
    // Refused: the text cannot be edited that way.
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  for (const Format format : {Format::Yaml, Format::Json}) {
    const Document document = read_document("fuzz", text, format);
    static_cast<void>(write_json(to_json(document.root)));
    if (document.usable && document.problems.empty()) {
      edit(document, data[0]);
    }
  }
  return 0;
}
