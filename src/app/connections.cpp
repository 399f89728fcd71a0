#include "app/connections.h"

#include "kedge/codes.h"

namespace kedge::app {
namespace {

// Relative files belong to the project, not to where the program was started.
void anchor_path(const Context& context, db::ConnectionSettings& settings) {
  for (const char* key : {"path", "root"}) {
    const auto found = settings.options.find(key);
    if (found != settings.options.end() && !found->second.empty() && found->second != ":memory:") {
      found->second = base::join_path(context.folder, found->second);
    }
  }
}

}  // namespace

db::ConnectionSettings settings_of(const Context& context, const std::string& name_or_url,
                                   db::AccessMode access) {
  auto settings = db::parse_url(name_or_url);
  if (!settings) {
    throw Error(codes::ERR_SOURCE,
                "'" + db::redact_url(name_or_url) + "' is neither a connection nor a URL");
  }
  settings->access = access;
  anchor_path(context, *settings);
  return *settings;
}

std::unique_ptr<db::Connection> connect(const Context& context, const std::string& name_or_url,
                                        db::AccessMode access) {
  return context.registry.connect(settings_of(context, name_or_url, access));
}

}  // namespace kedge::app
