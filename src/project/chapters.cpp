#include "project/chapters.h"

#include <limits>
#include <set>

#include "kedge/codes.h"

namespace kedge::project {
namespace {

using document::Node;

// "5s", or "off" for nothing.
void assign_timeout(BlockReader& reader, std::string_view key, std::optional<std::string>& target) {
  const Node* value = reader.node(key);
  if (value == nullptr) {
    return;
  }
  if (value->is_scalar() && value->text == "off") {
    target.reset();
  } else if (value->is_scalar() && base::parse_duration(value->text)) {
    target = value->text;
  } else {
    reader.problem(
        *value, "migrate: " + std::string(key) + ": needs a duration or off, not " + shown(*value),
        "for instance 5s");
  }
}

// A text, or null for nothing.
void assign_nullable(BlockReader& reader, const Node& block, std::string_view key,
                     std::optional<std::string>& target) {
  const Node* value = block.find(key);
  if (value != nullptr && value->kind == document::Kind::Null) {
    reader.entry(key);
    target.reset();
    return;
  }
  assign(target, reader.non_empty_text(key));
}

void read_ledger(const Report& report, const Node& block, LedgerSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "migrate: ledger");
  assign_nullable(reader, block, "schema", out.schema);
  assign(out.table, reader.non_empty_text("table"));
  assign_nullable(reader, block, "lock_name", out.lock_name);
  assign(out.lock_wait_ms, reader.duration("lock_wait"));
  reader.refuse_unknown();
}

void read_d1(const Report& report, const Node& block, D1Settings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "migrate: d1");
  assign(out.binding, reader.non_empty_text("binding"));
  assign(out.remote, reader.boolean("remote"));
  assign(out.wrangler_config, reader.non_empty_text("wrangler_config"));
  assign(out.auto_apply, reader.boolean("auto_apply"));
  assign(out.carry_sequence, reader.boolean("carry_sequence"));
  reader.refuse_unknown();
}

void read_scratch(const Report& report, const Node& block, ScratchSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "migrate: scratch");
  assign_nullable(reader, block, "url", out.url);
  assign_nullable(reader, block, "pg_bin", out.pg_bin);
  assign_nullable(reader, block, "user", out.user);
  assign(out.keep_on_failure, reader.boolean("keep_on_failure"));
  reader.refuse_unknown();
}

bool is_target_name(std::string_view name) {
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

GenTarget read_target(const Report& report, const Node& item, std::set<std::string>& names) {
  GenTarget target;
  target.where = report.place(item);
  BlockReader reader(report, item, codes::ERR_CONFIG, "gen: targets");
  for (const auto& [key, slot] : {std::pair<std::string_view, Text*>{"name", &target.name},
                                  {"pack", &target.pack},
                                  {"out", &target.out}}) {
    const std::optional<Text> value = reader.non_empty_text(key);
    if (value) {
      *slot = *value;
    } else if (item.find(key) == nullptr) {
      reader.problem(item, "gen: targets: " + std::string(key) + ": is missing");
    }
  }
  if (target.name.where && !is_target_name(target.name.text)) {
    reader.problem(*item.find("name"), "gen: targets: name: '" + target.name.text +
                                           "' must be lower-case letters, digits and '-'");
  } else if (target.name.where && !names.insert(target.name.text).second) {
    reader.problem(*item.find("name"), "gen: two targets are named '" + target.name.text + "'");
  }
  assign(target.include, reader.texts("include"));
  assign(target.exclude, reader.texts("exclude"));
  target.options.kind = document::Kind::Mapping;
  if (const Node* options = reader.block("options")) {
    target.options = *options;
  }
  if (const Node* block = reader.block("formatter")) {
    BlockReader formatter(report, *block, codes::ERR_CONFIG, "gen: targets: formatter");
    for (const Text& word : formatter.texts("command").value_or(std::vector<Text>{})) {
      target.formatter.push_back(word.text);
    }
    if (target.formatter.empty()) {
      formatter.problem(*block, "gen: targets: formatter: needs command: [PROGRAM, ...]");
    }
    formatter.refuse_unknown();
  }
  reader.refuse_unknown();
  return target;
}

void assign_choice(BlockReader& reader, std::string_view key, const std::vector<std::string>& words,
                   std::string& target) {
  assign(target, reader.choice(key, words));
}

}  // namespace

void read_metadata_block(const Report& report, const Node& block, MetadataSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "metadata");
  if (const Node* sources = reader.node("sources")) {
    if (!sources->is_sequence()) {
      reader.problem(*sources,
                     "metadata: sources: needs a list of {path: PLACE}, not " + shown(*sources));
    }
    for (const Node& item : sources->items) {
      if (item.is_string()) {
        out.sources.push_back({item.text, report.place(item)});
        continue;
      }
      BlockReader source(report, item, codes::ERR_CONFIG, "metadata: sources");
      if (const std::optional<Text> path = source.non_empty_text("path")) {
        out.sources.push_back(*path);
      } else if (item.find("path") == nullptr) {
        source.problem(item, "metadata: sources: each needs path:, not " + shown(item));
      }
      source.refuse_unknown();
    }
  }
  assign_choice(reader, "column_naming", {"literal", "snake_case", "kebab-case"},
                out.column_naming);
  assign(out.strict, reader.boolean("strict"));
  assign(out.strict_nodes, reader.boolean("strict_nodes"));
  assign(out.tph_required_checks, reader.boolean("tph_required_checks"));
  assign_choice(reader, "sqlite_uuid", {"rfc4122", "hex"}, out.sqlite_uuid);
  assign(out.array_enum_checks, reader.boolean("array_enum_checks"));
  reader.refuse_unknown();
}

void read_migrate_block(const Report& report, const Node& block, MigrateSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "migrate");
  out.target = reader.non_empty_text("target");
  out.dialect = reader.choice("dialect", {"postgres", "sqlite", "duckdb", "mysql", "d1"});
  assign(out.dir, reader.non_empty_text("dir"));
  assign_choice(reader, "format", {"default", "flat", "flyway"}, out.format);
  assign(out.allow, reader.texts("allow"));
  assign(out.on_ambiguous, reader.non_empty_text("on_ambiguous"));
  assign(out.scope, reader.texts("scope"));
  assign(out.schemas, reader.texts("schemas"));
  assign(out.check, reader.texts("check"));
  assign(out.ignore_tables, reader.texts("ignore_tables"));
  assign_timeout(reader, "lock_timeout", out.lock_timeout);
  assign_timeout(reader, "statement_timeout", out.statement_timeout);
  assign(out.online, reader.boolean("online"));
  assign(out.manage_comments, reader.boolean("manage_comments"));
  if (const Node* ledger = reader.block("ledger")) {
    read_ledger(report, *ledger, out.ledger);
  }
  if (const Node* d1 = reader.block("d1")) {
    read_d1(report, *d1, out.d1);
  }
  if (const Node* scratch = reader.block("scratch")) {
    read_scratch(report, *scratch, out.scratch);
  }
  reader.refuse_unknown();
}

void read_gen_block(const Report& report, const Node& block, GenSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "gen");
  if (const Node* targets = reader.node("targets")) {
    if (!targets->is_sequence()) {
      reader.problem(*targets, "gen: targets: needs a list, not " + shown(*targets));
    }
    std::set<std::string> names;
    for (const Node& item : targets->items) {
      if (!item.is_mapping()) {
        reader.problem(item, "gen: targets: each needs name:, pack: and out:, not " + shown(item));
        continue;
      }
      out.targets.push_back(read_target(report, item, names));
    }
  }
  assign(out.state, reader.non_empty_text("state"));
  assign_choice(reader, "eol", {"lf", "crlf"}, out.eol);
  assign_choice(reader, "bases", {"committed", "local"}, out.bases);
  assign_choice(reader, "orphans", {"remove", "keep"}, out.orphans);
  reader.refuse_unknown();
}

void read_docs_block(const Report& report, const Node& block, DocsSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "docs");
  assign(out.out, reader.non_empty_text("out"));
  reader.refuse_unknown();
}

void read_templates_block(const Report& report, const Node& block, TemplateSettings& out) {
  BlockReader reader(report, block, codes::ERR_CONFIG, "templates");
  assign(out.root, reader.non_empty_text("root"));
  assign(out.report_unused, reader.boolean("report_unused"));
  if (const Node* limits = reader.block("limits")) {
    TemplateLimits& values = out.limits;
    BlockReader inner(report, *limits, codes::ERR_CONFIG, "templates: limits");
    assign(values.text_bytes, inner.integer("text_bytes", 1, kUnbounded));
    assign(values.section_depth, inner.integer("section_depth", 1, 1'000));
    assign(values.partial_depth, inner.integer("partial_depth", 1, 1'000));
    assign(values.output_bytes, inner.integer("output_bytes", 1, kUnbounded));
    assign(values.steps, inner.integer("steps", 1, kUnbounded));
    assign(values.payload_depth, inner.integer("payload_depth", 1, 1'000));
    inner.refuse_unknown();
  }
  reader.refuse_unknown();
}

}  // namespace kedge::project
