#include "app/schema_files.h"
#include "cli/commands.h"

namespace kedge::cli {
namespace {

int run_schema_files(Invocation& invocation) {
  app::SchemaFilesRequest request;
  request.out = invocation.arguments.get("--out", request.out);
  const app::SchemaFilesResult result = app::write_schema_files(invocation.context, request);
  document::Json list = document::Json::array();
  std::string text;
  for (std::size_t i = 0; i < result.written.size(); ++i) {
    text += result.written[i] + "  for " + result.files[i].covers + "\n";
    document::Json item;
    item.set("path", result.written[i]);
    item.set("covers", result.files[i].covers);
    list.push(std::move(item));
  }
  document::Json json;
  json.set("written", std::move(list));
  invocation.terminal.out.write(invocation.json() ? document::write_json(json) + "\n" : text);
  return 0;
}

}  // namespace

std::vector<Command> schema_file_commands() {
  Command command;
  command.name = "schema-files";
  command.summary = "Write JSON Schemas of the project's files, for editors";
  command.flags = {{"--out", FlagKind::Value, "DIR", "Where to write them (.kedge/schemas)", {}}};
  command.run = run_schema_files;
  command.details =
      "A file names its schema in its first line, for instance:\n"
      "# yaml-language-server: $schema=.kedge/schemas/project.schema.json";
  return {command};
}

}  // namespace kedge::cli
