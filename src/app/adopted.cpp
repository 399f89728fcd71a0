#include "app/adopted.h"

#include "document/json.h"
#include "document/node.h"
#include "kedge/change.h"
#include "kedge/codes.h"
#include "kedge/diff.h"

namespace kedge::app {
namespace {

constexpr const char* kFormat = "kedge-adopted/1";

std::set<std::string> objects_of(const schema::Schema& shape) {
  schema::Schema empty;
  empty.engine = shape.engine;
  std::set<std::string> names;
  for (const Change& change : diff::compare(empty, shape, {}).changes) {
    if (part_of(change).empty()) {
      names.insert(schema::to_string(subject_of(change)));
    }
  }
  return names;
}

}  // namespace

std::string adopted_path(const MigrateSetup& setup) {
  const std::size_t slash = setup.snapshot_path.rfind('/');
  return setup.snapshot_path.substr(0, slash + 1) + ".adopted." + schema::to_string(setup.dialect) +
         ".json";
}

std::set<std::string> read_adopted(const Context& context, const MigrateSetup& setup) {
  std::set<std::string> names;
  const std::string path = adopted_path(setup);
  const std::optional<std::string> text = context.files.read(path);
  if (!text) {
    return names;
  }
  const document::Document read =
      document::read_document(shown_path(context, path), *text, document::Format::Json);
  const document::Node* format = read.usable ? read.root.find("format") : nullptr;
  const document::Node* list = read.usable ? read.root.find("objects") : nullptr;
  if (!read.problems.empty() || format == nullptr || format->text != kFormat || list == nullptr ||
      !list->is_sequence()) {
    throw Error(codes::ERR_SNAPSHOT_CORRUPT,
                shown_path(context, path) + " is no list of adopted objects",
                "take it from the history, or baseline again with --force");
  }
  for (const document::Node& name : list->items) {
    names.insert(name.text);
  }
  return names;
}

void write_adopted(Context& context, const MigrateSetup& setup, const schema::Schema& shape,
                   const std::optional<schema::Schema>& earlier) {
  std::set<std::string> made;
  if (earlier) {
    made = objects_of(*earlier);
    for (const std::string& name : read_adopted(context, setup)) {
      made.erase(name);
    }
  }
  document::Json objects = document::Json::array();
  for (const std::string& name : objects_of(shape)) {
    if (!made.contains(name)) {
      objects.push(name);
    }
  }
  document::Json json = document::Json::object();
  json.set("format", kFormat);
  json.set("objects", std::move(objects));
  context.files.write(adopted_path(setup), document::write_json(json) + "\n");
}

}  // namespace kedge::app
