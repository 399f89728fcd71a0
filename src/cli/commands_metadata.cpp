#include "app/metadata.h"
#include "app/metadata_import.h"
#include "cli/commands.h"
#include "document/json.h"

namespace kedge::cli {
namespace {

int model(Invocation& invocation) {
  const app::ModelResult result =
      app::write_model(invocation.context, invocation.arguments.get("--out", ""),
                       invocation.arguments.get("--target", ""));
  if (result.written.empty()) {
    invocation.terminal.out.write(result.text);
  } else {
    invocation.terminal.err.write("wrote " + result.written + "\n");
  }
  return 0;
}

document::Json import_json(const app::MetadataImportResult& result) {
  document::Json json = document::Json::object();
  json.set("command", "metadata import");
  json.set("entities", result.entities);
  json.set("views", result.views);
  document::Json left = document::Json::array();
  for (const app::LeftAlonePart& each : result.left_alone) {
    document::Json one = document::Json::object();
    one.set("name", each.name);
    one.set("why", each.why);
    left.push(std::move(one));
  }
  json.set("left_alone", std::move(left));
  document::Json written = document::Json::array();
  for (const std::string& path : result.written) {
    written.push(path);
  }
  json.set("written", std::move(written));
  json.set("exit_code", 0);
  return json;
}

std::string import_text(const app::MetadataImportResult& result) {
  std::string text = "wrote " + std::to_string(result.entities) + " entities and " +
                     std::to_string(result.views) + " views\n";
  for (const app::LeftAlonePart& each : result.left_alone) {
    text += "left alone: " + each.name + ": " + each.why + "\n";
  }
  return text;
}

int import(Invocation& invocation) {
  const app::MetadataImportResult result = app::import_metadata(
      invocation.context,
      {invocation.arguments.get("--db", ""), invocation.arguments.get("--out", "metadata")});
  invocation.terminal.out.write(invocation.json() ? document::write_json(import_json(result)) + "\n"
                                                  : import_text(result));
  return 0;
}

}  // namespace

std::vector<Command> metadata_commands() {
  return {{"model",
           "Print the loaded metadata as one document",
           {{"--out", FlagKind::Value, "FILE", "Write it there instead", {}},
            {"--target",
             FlagKind::Value,
             "NAME",
             "Of the tables only those that this target of gen takes",
             {}}},
           {},
           model,
           "Generated code checks itself against this file when an application starts.",
           {"json"}},
          {"metadata import",
           "Write metadata files from a live database",
           {{"--db", FlagKind::Value, "NAME|URL", "The database; default migrate.target", {}},
            {"--out", FlagKind::Value, "DIR", "Folder of the files; default metadata", {}}},
           {},
           import,
           "migrate against that database then proposes nothing. What the language cannot say is "
           "listed\nand left alone.",
           {"text", "json"}}};
}

}  // namespace kedge::cli
