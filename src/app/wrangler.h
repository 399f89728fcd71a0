// D1 through wrangler's configuration and program (spec/migrate.md 4, 12.6, 15.2).
#pragma once

#include <optional>
#include <string>

#include "app/context.h"

namespace kedge::app {

struct Wrangler {
  std::string binding;
  std::string config;  // absolute path; empty when there is none
  std::string migrations_folder = "migrations";
};

// The binding given, else the only one of wrangler.toml/.json/.jsonc. Throws ERR_D1_BINDING.
Wrangler find_wrangler(const Context& context, const std::string& configured,
                       const std::optional<std::string>& flag);

struct WranglerApply {
  std::string binding;
  std::string config;
  bool remote = false;
};
// `wrangler d1 migrations apply`: 0 or 1, as the exit code of kedge. `output` gets its words.
int apply_with_wrangler(const Context& context, const WranglerApply& request, std::string& output);

}  // namespace kedge::app
