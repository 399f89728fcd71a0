// Migration files on disk: the layouts of spec/migrate.md 11, their names, directives and
// checksums. Reading and writing only; what they hold is the plan's business.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_system.h"
#include "kedge/schema.h"

namespace kedge::migrate {

enum class Format { Default, Flat, Flyway, D1 };
std::string to_string(Format format);  // "default", "flat", "flyway"
std::optional<Format> find_format(std::string_view name);

// "-- kedge: ..." lines at the top of a file.
struct Directives {
  bool transaction = true;
  std::string lock_timeout;
  bool no_down = false;
};
Directives read_directives(std::string_view sql);

struct Migration {
  std::string name;  // "20270301101500-add-draught": the ledger's key
  std::string up_path;
  std::string down_path;
  std::string plan_path;  // default layout only; may not exist
  std::string up;
  std::optional<std::string> down;  // nothing when there is no file
  std::string checksum;             // of up, CRLF as LF
  std::string parent;               // snapshot hash of plan.json; empty when unknown
  std::string result;
  // Of each statement of down the statements of up (from 1) it is there for; none: always to run.
  std::vector<std::vector<std::size_t>> undoes;
};

// All migrations below a folder by name (code units). Both folder layouts are read whatever the
// format says; flyway and d1 files only for their formats. A missing folder is an empty chain.
std::vector<Migration> read_chain(const base::FileSystem& files, const std::string& folder,
                                  Format format);

std::string checksum(std::string_view sql);
bool has_statements(std::string_view sql, schema::Dialect dialect);

// Lower case, runs of other characters become `separator`, at most 60, never empty.
std::string make_slug(std::string_view text, char separator = '-');

// Prepare, Online, Finish.
inline constexpr std::array<std::string_view, 3> kPartSuffixes = {"-1-prepare", "-2-online",
                                                                  "-3-finish"};

struct NewMigration {
  std::string slug;
  std::string suffix;  // "-1-prepare" of --online; empty
  std::string up;
  std::string down;
  std::string plan;  // JSON; written in the default layout only
};

// The paths and the name a migration of this chain gets. `offset`: of the --online sequence.
Migration name_migration(const std::vector<Migration>& chain, const std::string& folder,
                         Format format, const NewMigration& content, std::int64_t now,
                         std::int64_t offset);

// The parts of --online that a migration of the chain belongs to, as places; both are `place` where
// it stands alone. They are undone together, by the down of the first.
struct Parts {
  std::size_t first = 0;
  std::size_t last = 0;
};
Parts parts_of(const std::vector<Migration>& chain, std::size_t place);

// Two migrations with one parent, as pairs of names; the parts of one migration are no fork.
std::vector<std::pair<std::string, std::string>> find_forks(const std::vector<Migration>& chain);

}  // namespace kedge::migrate
