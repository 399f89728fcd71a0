#include "migrate/files.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "base/environment.h"
#include "base/listing.h"
#include "base/text.h"
#include "document/node.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

bool ends_with(std::string_view text, std::string_view tail) {
  return text.size() >= tail.size() && text.substr(text.size() - tail.size()) == tail;
}

bool all_digits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string string_member(const document::Node& root, std::string_view key) {
  const document::Node* node = root.find(key);
  return node != nullptr && node->is_string() ? node->text : std::string();
}

void read_undoes(const document::Node& root, Migration& migration) {
  const document::Node* all = root.find("undoes");
  for (const document::Node& one : all == nullptr ? std::vector<document::Node>{} : all->items) {
    std::vector<std::size_t>& ups = migration.undoes.emplace_back();
    for (const document::Node& number : one.items) {
      ups.push_back(static_cast<std::size_t>(number.as_integer().value_or(0)));
    }
  }
}

void read_plan(const base::FileSystem& files, Migration& migration) {
  const auto text = files.read(migration.plan_path);
  if (!text) {
    return;
  }
  const document::Document document =
      document::read_document(migration.plan_path, *text, document::Format::Json);
  if (document.usable && document.root.is_mapping()) {
    migration.parent = string_member(document.root, "parent");
    migration.result = string_member(document.root, "result");
    read_undoes(document.root, migration);
  }
}

std::optional<Migration> read_folder(const base::FileSystem& files, const std::string& folder,
                                     const std::string& name) {
  Migration migration;
  migration.name = name;
  const std::string path = base::join_path(folder, name);
  migration.up_path = base::join_path(path, "up.sql");
  migration.down_path = base::join_path(path, "down.sql");
  migration.plan_path = base::join_path(path, "plan.json");
  const auto up = files.read(migration.up_path);
  if (!up) {
    return std::nullopt;
  }
  migration.up = *up;
  migration.down = files.read(migration.down_path);
  read_plan(files, migration);
  return migration;
}

bool is_flat_name(std::string_view name) {
  const std::size_t at = name.find("__");
  return at != std::string_view::npos && all_digits(name.substr(0, at)) &&
         ends_with(name, ".sql") && !ends_with(name, ".down.sql");
}

bool is_d1_name(std::string_view name) {
  const std::size_t at = name.find('_');
  return at != std::string_view::npos && all_digits(name.substr(0, at)) && ends_with(name, ".sql");
}

bool is_flyway_name(std::string_view name) {
  return name.size() > 1 && name.front() == 'V' && name.find("__") != std::string_view::npos &&
         ends_with(name, ".sql");
}

std::string down_path_of(const std::string& folder, const std::string& file, Format format) {
  const std::string stem = file.substr(0, file.size() - 4);
  if (format == Format::Flyway) {
    return base::join_path(folder, "U" + file.substr(1));
  }
  if (format == Format::D1) {
    return base::join_path(folder, ".down/" + file);
  }
  return base::join_path(folder, stem + ".down.sql");
}

Migration read_file(const base::FileSystem& files, const std::string& folder,
                    const std::string& file, Format format) {
  Migration migration;
  migration.name = file.substr(0, file.size() - 4);
  migration.up_path = base::join_path(folder, file);
  migration.down_path = down_path_of(folder, file, format);
  migration.up = base::read_listed(files, migration.up_path);
  migration.down = files.read(migration.down_path);
  return migration;
}

// "V12__a", "V1.2__a", "V1_2__a": the leading integer.
std::int64_t leading_number(std::string_view name) {
  std::int64_t number = 0;
  for (const char c : name) {
    if (c < '0' || c > '9' || number > 1'000'000'000'000'000) {
      break;
    }
    number = number * 10 + (c - '0');
  }
  return number;
}

std::string stamp(std::int64_t milliseconds) {
  const std::string compact = base::format_utc_compact(milliseconds);  // 20270314T081502117Z
  return compact.substr(0, 8) + compact.substr(9, 6);
}

// Seconds since 1970 of a 14-digit stamp; 0 when it is none.
std::int64_t seconds_of(std::string_view text) {
  if (text.size() < 14 || !all_digits(text.substr(0, 14))) {
    return 0;
  }
  const auto number = [&](std::size_t at, std::size_t size) {
    return leading_number(text.substr(at, size));
  };
  const std::int64_t year = number(0, 4);
  const std::int64_t month = number(4, 2);
  const std::int64_t shifted = month <= 2 ? year - 1 : year;
  const std::int64_t era = shifted / 400;
  const std::int64_t of_era = shifted - era * 400;
  const std::int64_t day_of_year =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + number(6, 2) - 1;
  const std::int64_t days =
      era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day_of_year - 719468;
  return days * 86400 + number(8, 2) * 3600 + number(10, 2) * 60 + number(12, 2);
}

std::string numbered_name(const std::vector<Migration>& chain, Format format,
                          const NewMigration& content, std::int64_t offset) {
  std::int64_t highest = 0;
  for (const Migration& migration : chain) {
    const std::string_view name = migration.name;
    highest = std::max(highest, leading_number(format == Format::Flyway ? name.substr(1) : name));
  }
  const std::string slug = make_slug(content.slug + content.suffix, '_');
  std::string number = std::to_string(highest + 1 + offset);
  if (format == Format::Flyway) {
    return "V" + number + "__" + slug;
  }
  number.insert(0, number.size() < 4 ? 4 - number.size() : 0, '0');
  return number + "_" + slug;
}

}  // namespace

std::string to_string(Format format) {
  switch (format) {
    case Format::Default:
      return "default";
    case Format::Flat:
      return "flat";
    case Format::Flyway:
      return "flyway";
    case Format::D1:
      return "d1";
  }
  return "default";
}

std::optional<Format> find_format(std::string_view name) {
  for (const Format format : {Format::Default, Format::Flat, Format::Flyway}) {
    if (to_string(format) == name) {
      return format;
    }
  }
  return std::nullopt;
}

std::string checksum(std::string_view sql) {
  return base::sha256_hex(base::replace_all(std::string(sql), "\r\n", "\n"));
}

Directives read_directives(std::string_view sql) {
  Directives directives;
  for (const std::string& raw : base::split(sql, '\n')) {
    const std::string_view line = base::trim(raw);
    if (line.empty()) {
      continue;
    }
    if (line.substr(0, 2) != "--") {
      break;
    }
    const std::string_view text = base::trim(line.substr(2));
    if (text.substr(0, 6) != "kedge:") {
      continue;
    }
    const std::string_view word = base::trim(text.substr(6));
    if (word == "transaction off") {
      directives.transaction = false;
    } else if (word == "no-down") {
      directives.no_down = true;
    } else if (word.substr(0, 13) == "lock_timeout ") {
      directives.lock_timeout = std::string(base::trim(word.substr(13)));
    }
  }
  return directives;
}

bool has_statements(std::string_view sql, schema::Dialect dialect) {
  return !sql::split_statements(sql, dialect).empty();
}

std::vector<Migration> read_chain(const base::FileSystem& files, const std::string& folder,
                                  Format format) {
  std::vector<Migration> chain;
  for (const base::FolderEntry& entry : files.list(folder)) {
    const std::string& name = entry.name;
    if (entry.kind == base::EntryKind::Folder) {
      if (format != Format::Flyway && format != Format::D1 && name.front() != '.') {
        if (auto migration = read_folder(files, folder, name)) {
          chain.push_back(std::move(*migration));
        }
      }
      continue;
    }
    const bool ours = format == Format::Flyway ? is_flyway_name(name)
                      : format == Format::D1   ? is_d1_name(name)
                                               : is_flat_name(name);
    if (base::is_declaration(entry) && ours) {
      chain.push_back(read_file(files, folder, name, format));
    }
  }
  for (Migration& migration : chain) {
    migration.checksum = checksum(migration.up);
  }
  std::sort(chain.begin(), chain.end(),
            [](const Migration& a, const Migration& b) { return a.name < b.name; });
  return chain;
}

std::string make_slug(std::string_view text, char separator) {
  std::string slug;
  for (const char c : base::to_lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      slug += c;
    } else if (!slug.empty() && slug.back() != separator) {
      slug += separator;
    }
  }
  slug = slug.substr(0, 60);
  while (!slug.empty() && slug.back() == separator) {
    slug.pop_back();
  }
  return slug.empty() ? "migration" : slug;
}

Migration name_migration(const std::vector<Migration>& chain, const std::string& folder,
                         Format format, const NewMigration& content, std::int64_t now,
                         std::int64_t offset) {
  Migration migration;
  if (format == Format::Flyway || format == Format::D1) {
    migration.name = numbered_name(chain, format, content, offset);
    migration.up_path = base::join_path(folder, migration.name + ".sql");
    migration.down_path = down_path_of(folder, migration.name + ".sql", format);
  } else {
    std::int64_t seconds = now / 1000;
    for (const Migration& each : chain) {
      seconds = std::max(seconds, seconds_of(each.name) + 1);
    }
    const std::string time = stamp((seconds + offset) * 1000);
    const std::string slug = make_slug(content.slug) + content.suffix;
    migration.name = time + (format == Format::Flat ? "__" : "-") + slug;
    const std::string base_path = base::join_path(folder, migration.name);
    if (format == Format::Flat) {
      migration.up_path = base_path + ".sql";
      migration.down_path = base_path + ".down.sql";
    } else {
      migration.up_path = base_path + "/up.sql";
      migration.down_path = base_path + "/down.sql";
      migration.plan_path = base_path + "/plan.json";
    }
  }
  migration.up = content.up;
  migration.down = content.down;
  migration.checksum = checksum(migration.up);
  return migration;
}

namespace {

struct OnlinePart {
  int number = 0;  // 0: it is none
  std::string_view slug;
};

OnlinePart online_part(std::string_view name) {
  int number = 0;
  for (const std::string_view suffix : kPartSuffixes) {
    ++number;
    if (ends_with(name, suffix) && name.size() > 14 + suffix.size() &&
        all_digits(name.substr(0, 14))) {
      return {number, name.substr(14, name.size() - 14 - suffix.size())};
    }
  }
  return {};
}

bool goes_on(const Migration& before, const Migration& after) {
  const OnlinePart first = online_part(before.name);
  const OnlinePart second = online_part(after.name);
  return first.number > 0 && first.number < second.number && first.slug == second.slug;
}

}  // namespace

Parts parts_of(const std::vector<Migration>& chain, std::size_t place) {
  Parts parts{place, place};
  while (parts.first > 0 && goes_on(chain[parts.first - 1], chain[parts.first])) {
    --parts.first;
  }
  while (parts.last + 1 < chain.size() && goes_on(chain[parts.last], chain[parts.last + 1])) {
    ++parts.last;
  }
  return parts;
}

std::vector<std::pair<std::string, std::string>> find_forks(const std::vector<Migration>& chain) {
  std::map<std::string, std::string> parents;
  std::vector<std::pair<std::string, std::string>> forks;
  for (std::size_t i = 0; i < chain.size(); ++i) {
    const Migration& migration = chain[i];
    if (migration.parent.empty() || parts_of(chain, i).first != i) {
      continue;
    }
    const auto [first, fresh] = parents.emplace(migration.parent, migration.name);
    if (!fresh) {
      forks.emplace_back(first->second, migration.name);
    }
  }
  return forks;
}

}  // namespace kedge::migrate
