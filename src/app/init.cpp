#include "app/init.h"

#include <algorithm>

#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"

namespace kedge::app {
namespace {

// A text that reads back as itself in YAML: JSON's double quotes are YAML's.
std::string quoted(const std::string& text) {
  return document::write_json(document::Json(text), -1);
}

std::string project_text(const std::string& name) {
  return "# yaml-language-server: $schema=.kedge/schemas/project.schema.json\nname: " +
         quoted(name) + "\nversion: \"0.1.0\"\n";
}

// The password is left to the environment: a secret has no place in a file that is committed.
std::string option_lines(const db::ConnectionSettings& settings) {
  std::string text;
  for (const auto& [key, value] : settings.options) {
    const bool secret = std::find(settings.secrets.begin(), settings.secrets.end(), value) !=
                        settings.secrets.end();
    const bool number = key == "port" || key.ends_with("_seconds");
    text += "  " + key + ": " +
            (secret   ? "${KEDGE_" + base::to_upper(key) + "}"
             : number ? value
                      : quoted(value)) +
            "\n";
  }
  return text;
}

std::string connections_text(const std::string& url) {
  static constexpr std::string_view kHead =
      "# yaml-language-server: $schema=.kedge/schemas/connections.schema.json\n";
  if (url.empty()) {
    return std::string(kHead) +
           "# One block a database. Secrets come from the environment: ${NAME}.\n"
           "#\n"
           "# main:\n"
           "#   connector: postgres\n"
           "#   host: localhost\n"
           "#   database: app\n"
           "#   user: app\n"
           "#   password: ${APP_PASSWORD}\n";
  }
  const std::optional<db::ConnectionSettings> settings = db::parse_url(url);
  if (!settings) {
    throw Error(codes::ERR_SOURCE, "'" + db::redact_url(url) + "' is no URL of a database",
                "for instance postgres://user@host/database or sqlite:file.db");
  }
  return std::string(kHead) + "main:\n  connector: " + settings->connector + "\n" +
         option_lines(*settings);
}

class Writer {
 public:
  explicit Writer(const Context& context) : context_(context) {}

  void write_new(const std::string& name, const std::string& text) {
    if (context_.files.kind(path(name))) {
      result_.kept.push_back(name);
    } else {
      context_.files.write(path(name), text);
      result_.written.push_back(name);
    }
  }

  void ignore_state() {
    const std::string old = context_.files.read(path(".gitignore")).value_or("");
    for (const std::string& line : base::split(old, '\n')) {
      const std::string_view entry = base::trim(line);
      if (entry == ".kedge/" || entry == "/.kedge/" || entry == ".kedge" || entry == "/.kedge") {
        result_.kept.push_back(".gitignore");
        return;
      }
    }
    const bool open_line = !old.empty() && !old.ends_with('\n');
    context_.files.write(path(".gitignore"), old + (open_line ? "\n" : "") + ".kedge/\n");
    result_.written.push_back(".gitignore");
  }

  InitResult take() {
    std::sort(result_.written.begin(), result_.written.end());
    std::sort(result_.kept.begin(), result_.kept.end());
    return std::move(result_);
  }

 private:
  std::string path(const std::string& name) const { return base::join_path(context_.folder, name); }

  const Context& context_;
  InitResult result_;
};

}  // namespace

InitResult init_project(const Context& context, const InitRequest& request) {
  const std::string connections = connections_text(request.connection);
  std::string name = request.name.empty() ? base::file_name(context.folder) : request.name;
  if (name.empty()) {
    name = "project";
  }
  Writer writer(context);
  writer.write_new("project.yml", project_text(name));
  writer.write_new("connections.yml", connections);
  writer.ignore_state();
  return writer.take();
}

}  // namespace kedge::app
