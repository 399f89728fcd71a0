#include "pipeline/capture.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

#include "base/text.h"
#include "contracts/type_name.h"
#include "db/bulk.h"
#include "kedge/codes.h"
#include "pipeline/capture_table.h"
#include "pipeline/decoded_change.h"
#include "pipeline/render.h"
#include "pipeline/source.h"

namespace kedge::pipeline {
namespace {

constexpr std::size_t kKeysAtOnce = 5000;

std::string slot_name(const Engine& engine, const ReadSpec& read) {
  std::string name =
      "kedge_" +
      base::sha256_hex(engine.workspace().project.name + "\n" + read.label).substr(0, 10) + "_";
  for (const char c : base::to_lower(read.entity)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    name += plain ? c : '_';
  }
  return name.substr(0, 63);
}

struct Slot {
  std::string position;  // everything before it may be forgotten by the server
  bool lost = false;
};

class Capture {
 public:
  Capture(const Engine& engine, db::Connection& staging, const CaptureRequest& request)
      : engine_(engine),
        staging_(staging),
        request_(request),
        read_(request.read),
        source_(engine.open(read_.connection, Engine::Use::Write)),
        slot_(slot_name(engine, read_)),
        keys_("keys_" + read_.staging) {}

  Captured run() {
    if (const std::optional<Problem> problem = look_at_captured(*source_, read_, table_)) {
      throw Error(*problem);
    }
    Captured captured;
    captured.position = request_.stored ? land_changes(captured) : land_everything(captured);
    return captured;
  }

 private:
  std::optional<Slot> find_slot() {
    const db::ResultSet rows =
        ask(*source_,
            "SELECT confirmed_flush_lsn::text, coalesce(wal_status, '') "
            "FROM pg_catalog.pg_replication_slots "
            "WHERE slot_name = $1 AND database = pg_catalog.current_database()",
            {slot_});
    if (rows.rows.empty()) {
      return std::nullopt;
    }
    return Slot{db::to_text(rows.rows[0][0]), db::to_text(rows.rows[0][1]) == "lost"};
  }

  // The slot is made first: whatever is committed after its position comes again, as a change.
  std::string land_everything(Captured& captured) {
    std::string position;
    if (request_.use == SlotUse::Keep) {
      if (find_slot()) {
        ask(*source_, "SELECT pg_catalog.pg_drop_replication_slot($1)", {slot_});
      }
      position =
          db::to_text(ask(*source_,
                          "SELECT lsn::text FROM "
                          "pg_catalog.pg_create_logical_replication_slot($1, 'test_decoding')",
                          {slot_})
                          .rows.at(0)
                          .at(0));
      Problem note;
      note.message = "entity '" + read_.label + "': replication slot '" + slot_ +
                     "' made; the server keeps its log for it until it is read or dropped";
      engine_.warn(std::move(note), Severity::Note);
    }
    bool done = false;
    captured.source =
        land_selected(engine_, {*source_, staging_}, read_, [&]() -> std::optional<std::string> {
          if (done) {
            return std::nullopt;
          }
          done = true;
          return quote_entity(*source_, read_.entity);
        });
    add_deleted_column();
    mark_snapshot(staging_, read_.staging);
    return position;
  }

  std::string land_changes(Captured& captured) {
    require_position();
    // Only what is flushed is decoded.
    const std::string position =
        db::to_text(query_value(*source_, "SELECT pg_catalog.pg_current_wal_flush_lsn()::text"));
    make_key_table();
    collect_keys(position);
    read_rows(captured);
    add_deleted_column();
    add_deleted_rows();
    staging_.execute("DROP TABLE " + staging_table(keys_));
    return position;
  }

  // Has the server kept everything since the stored position?
  void require_position() {
    if (request_.stored->type != kCapturePosition) {
      throw Error(codes::PZ0505,
                  "entity '" + read_.label + "': the stored cursor is " + request_.stored->type +
                      ", change capture needs a position in the log",
                  "run with --full-refresh to start again");
    }
    const std::optional<Slot> slot = find_slot();
    const bool gone = !slot || slot->lost ||
                      db::to_boolean(ask(*source_, "SELECT $1::pg_lsn > $2::pg_lsn",
                                         {slot->position, request_.stored->value})
                                         .rows.at(0)
                                         .at(0));
    if (gone) {
      throw Error(
          capture_refusal(read_,
                          "the server no longer has the changes since the last run (replication "
                          "slot '" +
                              slot_ + "')",
                          "run with --full-refresh to read everything again"));
    }
  }

  void make_key_table() {
    std::string columns;
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      columns += (i == 0 ? "" : ", ") + key_name(i) + " VARCHAR";
    }
    staging_.execute("CREATE OR REPLACE TABLE " + staging_table(keys_) + " (" + columns + ")");
  }

  static std::string key_name(std::size_t i) { return "kedge_key_" + std::to_string(i); }

  // Lines of other tables stay on the server; BEGIN tells whose changes these are.
  std::string peek_sql(const std::string& position) const {
    std::string wanted = "data LIKE 'BEGIN %' OR data LIKE 'table %: TRUNCATE: %'";
    for (const std::string& name : table_.names) {
      wanted += " OR pg_catalog.starts_with(data, " + quote_literal("table " + name + ": ") + ")";
    }
    return "SELECT data FROM pg_catalog.pg_logical_slot_peek_changes(" + quote_literal(slot_) +
           ", " + quote_literal(position) + "::pg_lsn, NULL, 'skip-empty-xacts', 'on') WHERE " +
           wanted;
  }

  void collect_keys(const std::string& position) {
    db::BulkTarget target{{Identifier("staging"), Identifier(keys_)}, {}};
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      target.columns.push_back(key_name(i));
    }
    const auto writer = db::open_writer(staging_, target);
    restart_chunk();
    std::string transaction;
    source_->stream(peek_sql(position), [&](const db::Row& row) {
      const std::string line = db::to_text(row.at(0));
      if (const auto begin = parse_decoded_begin(line)) {
        transaction = *begin;
      } else if (add_change(line)) {
        transactions_.insert(transaction);
      }
      if (chunk_.rows >= kKeysAtOnce) {
        writer->write(chunk_);
        restart_chunk();
      }
      return true;
    });
    if (chunk_.rows > 0) {
      writer->write(chunk_);
    }
    writer->finish();
  }

  void restart_chunk() {
    chunk_.rows = 0;
    chunk_.columns.resize(table_.keys.size());
    for (db::ColumnChunk& column : chunk_.columns) {
      column.start(schema::TypeKind::Text);
    }
  }

  bool is_ours(const DecodedChange& change) const {
    return std::any_of(change.tables.begin(), change.tables.end(), [&](const std::string& name) {
      return std::find(table_.names.begin(), table_.names.end(), name) != table_.names.end();
    });
  }

  bool add_change(const std::string& line) {
    const std::optional<DecodedChange> change = parse_decoded_change(line);
    if (change && !is_ours(*change)) {
      return false;
    }
    if (change && change->kind == DecodedChange::Kind::Truncate) {
      throw Error(capture_refusal(read_, "the table was truncated, which names no rows",
                                  "run with --full-refresh to read everything again"));
    }
    const bool understood = change && (change->old_key.empty() || add_key(change->old_key)) &&
                            (change->row.empty() || add_key(change->row));
    if (!understood) {
      throw Error(
          capture_refusal(read_, "a change came without its key", "give the table a primary key"));
    }
    return true;
  }

  bool add_key(const DecodedRow& row) {
    for (const KeyColumn& key : table_.keys) {
      const auto found = row.find(key.name);
      if (found == row.end() || !found->second) {
        return false;
      }
    }
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      chunk_.columns[i].add_bytes(*row.at(table_.keys[i].name));
    }
    ++chunk_.rows;
    return true;
  }

  // A transaction is in the log a moment before others see its rows (longer where a standby has to
  // confirm it). All rows are read in one snapshot that sees every transaction that was decoded.
  void begin_snapshot() {
    for (int attempt = 0;; ++attempt) {
      source_->execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      bool seen = true;
      for (const db::Row& row :
           source_
               ->query("SELECT (x::text::numeric % 4294967296)::text FROM "
                       "pg_catalog.pg_snapshot_xip(pg_catalog.pg_current_snapshot()) AS x")
               .rows) {
        seen = seen && !transactions_.contains(db::to_text(row[0]));
      }
      if (seen) {
        return;
      }
      source_->execute("ROLLBACK");
      if (attempt == 200 || engine_.interrupted()) {
        throw db::DatabaseError(
            {codes::PZ0330,
             "entity '" + read_.label + "': a transaction in the log is still not visible",
             std::nullopt,
             "",
             {}},
            db::FailureClass::Timeout, "");
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
  }

  void read_rows(Captured& captured) {
    begin_snapshot();
    std::size_t done = 0;
    captured.source =
        land_selected(engine_, {*source_, staging_}, read_, [&]() -> std::optional<std::string> {
          std::string list;
          for (std::size_t i = 0; i < table_.keys.size(); ++i) {
            list += (i == 0 ? "" : ", ") + key_name(i);
          }
          const db::ResultSet keys = staging_.query(
              "SELECT DISTINCT " + list + " FROM " + staging_table(keys_) + " ORDER BY " + list +
              " LIMIT " + std::to_string(kKeysAtOnce) + " OFFSET " + std::to_string(done));
          done += keys.rows.size();
          return keys.rows.empty() ? std::nullopt : std::optional(rows_of(keys));
        });
    source_->execute("COMMIT");
  }

  // The table's rows with these keys.
  std::string rows_of(const db::ResultSet& keys) const {
    std::string arrays;
    std::string names;
    std::string condition;
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      std::string list;
      for (const db::Row& row : keys.rows) {
        list += (list.empty() ? "" : ",") + quote_literal(db::to_text(row[i]));
      }
      arrays += (i == 0 ? "" : ", ") + ("ARRAY[" + list + "]::text[]");
      names += (i == 0 ? "" : ", ") + key_name(i);
      condition += (i == 0 ? "" : " AND ") + ("kedge_table." + quote_name(table_.keys[i].name)) +
                   " = kedge_keys." + key_name(i) + "::" + table_.keys[i].type;
    }
    return quote_entity(*source_, read_.entity) + " AS kedge_table JOIN unnest(" + arrays +
           ") AS kedge_keys(" + names + ") ON " + condition;
  }

  void add_deleted_column() {
    staging_.execute("ALTER TABLE " + staging_table(read_.staging) + " ADD COLUMN " +
                     quote_name(kDeletedColumn) + " BOOLEAN DEFAULT false");
  }

  std::string landed_name(const KeyColumn& key) const {
    for (const contracts::ContractColumn& column : read_.contract.columns) {
      if (column.source == key.name) {
        return column.name;
      }
    }
    return key.name;
  }

  // Keys whose row is no longer there.
  void add_deleted_rows() {
    std::string names;
    std::string values;
    std::string condition;
    const std::vector<contracts::ShapeColumn> landed = describe_staged(staging_, read_.staging);
    for (std::size_t i = 0; i < table_.keys.size(); ++i) {
      const std::string name = landed_name(table_.keys[i]);
      std::string type = "VARCHAR";
      for (const contracts::ShapeColumn& column : landed) {
        type = column.name == name ? column.type : type;
      }
      const std::string value = type == "BLOB"
                                    ? "unhex(substring(k." + key_name(i) + ", 3))"  // \x0102
                                    : "CAST(k." + key_name(i) + " AS " + type + ")";
      names += (i == 0 ? "" : ", ") + quote_name(name);
      values += (i == 0 ? "" : ", ") + value;
      condition += (i == 0 ? "" : " AND ") + ("t." + quote_name(name)) + " = " + value;
    }
    const std::string table = staging_table(read_.staging);
    staging_.execute("INSERT INTO " + table + " (" + names + ", " + quote_name(kDeletedColumn) +
                     ") SELECT DISTINCT " + values + ", true FROM " + staging_table(keys_) +
                     " AS k WHERE NOT EXISTS (SELECT 1 FROM " + table + " AS t WHERE " + condition +
                     ")");
  }

  const Engine& engine_;
  db::Connection& staging_;
  const CaptureRequest& request_;
  const ReadSpec& read_;
  Engine::Held source_;
  std::string slot_;
  std::string keys_;  // staging table of the changed keys, as texts
  CapturedTable table_;
  std::set<std::string> transactions_;
  db::Chunk chunk_;
};

}  // namespace

Captured land_captured(const Engine& engine, db::Connection& staging,
                       const CaptureRequest& request) {
  return Capture(engine, staging, request).run();
}

bool is_snapshot(db::Connection& staging, const std::string& table, const std::string& database) {
  return db::to_text(query_value(
             staging,
             "SELECT coalesce(comment, '') FROM duckdb_tables() WHERE schema_name = 'staging' AND "
             "database_name = " +
                 (database.empty() ? "current_database()" : quote_literal(database)) +
                 " AND table_name = " + quote_literal(table))) == "snapshot";
}

void mark_snapshot(db::Connection& staging, const std::string& table) {
  staging.execute("COMMENT ON TABLE " + staging_table(table) + " IS 'snapshot'");
}

void release_changes(const Engine& engine, const ReadSpec& read, const std::string& position) {
  const Engine::Held source = engine.open(read.connection, Engine::Use::Write);
  ask(*source,
      "SELECT pg_catalog.pg_replication_slot_advance(slot_name, $2::pg_lsn) "
      "FROM pg_catalog.pg_replication_slots "
      "WHERE slot_name = $1 AND confirmed_flush_lsn < $2::pg_lsn",
      {slot_name(engine, read), position});
}

std::optional<Problem> refuse_capture(db::Connection& source, const ReadSpec& read) {
  CapturedTable table;
  return look_at_captured(source, read, table);
}

}  // namespace kedge::pipeline
