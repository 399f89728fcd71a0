#include "db/sqlite/writer.h"

#include <sqlite3.h>

#include "base/text.h"

namespace kedge::db::sqlite {
namespace {

using schema::TypeKind;

std::string quoted(const std::string& name) {
  return "\"" + base::replace_all(name, "\"", "\"\"") + "\"";
}

class Writer final : public ChunkWriter {
 public:
  Writer(sqlite3* database, const BulkTarget& target, std::function<void()> fail)
      : database_(database), fail_(std::move(fail)) {
    own_transaction_ = sqlite3_get_autocommit(database_) != 0;
    if (own_transaction_) {
      run("BEGIN IMMEDIATE");
    }
    std::string sql = "INSERT INTO ";
    if (!target.table.schema.empty()) {
      sql += quoted(target.table.schema.text()) + ".";
    }
    sql += quoted(target.table.name.text()) + " (";
    std::string places;
    for (std::size_t i = 0; i < target.columns.size(); ++i) {
      sql += (i == 0 ? "" : ", ") + quoted(target.columns[i]);
      places += i == 0 ? "?" : ", ?";
    }
    sql += ") VALUES (" + places + ")";
    if (sqlite3_prepare_v2(database_, sql.c_str(), static_cast<int>(sql.size()), &statement_,
                           nullptr) != SQLITE_OK) {
      give_up();
    }
  }

  ~Writer() override {
    sqlite3_finalize(statement_);
    if (own_transaction_) {
      sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(const Chunk& chunk) override {
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      for (std::size_t i = 0; i < chunk.columns.size(); ++i) {
        bind(static_cast<int>(i + 1), chunk.columns[i], row);
      }
      if (sqlite3_step(statement_) != SQLITE_DONE) {
        fail_();
      }
      sqlite3_reset(statement_);
      ++rows_;
    }
  }

  std::int64_t finish() override {
    if (own_transaction_) {
      run("COMMIT");
      own_transaction_ = false;
    }
    return rows_;
  }

 private:
  void run(const char* sql) {
    if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) != SQLITE_OK) {
      fail_();
    }
  }

  // The destructor does not run for a constructor that throws.
  void give_up() {
    try {
      fail_();
    } catch (const Error&) {
      if (own_transaction_) {
        sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
      }
      throw;
    }
  }

  void bind(int place, const ColumnChunk& column, std::size_t row) {
    if (column.valid[row] == 0) {
      sqlite3_bind_null(statement_, place);
      return;
    }
    const bool temporal = column.kind == TypeKind::Date || column.kind == TypeKind::Time ||
                          column.kind == TypeKind::Timestamp ||
                          column.kind == TypeKind::TimestampTz;
    if (temporal) {
      const std::string text = to_text(value_at(column, row));
      sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_TRANSIENT,
                          SQLITE_UTF8);
      return;
    }
    switch (storage_of(column.kind)) {
      case Storage::Integers:
        sqlite3_bind_int64(statement_, place, column.integers[row]);
        return;
      case Storage::Reals:
        sqlite3_bind_double(statement_, place, column.reals[row]);
        return;
      case Storage::Raw: {
        // The chunk outlives the step.
        const std::string_view text = column.text(row);
        if (column.kind == TypeKind::Blob) {
          sqlite3_bind_blob64(statement_, place, text.empty() ? "" : text.data(), text.size(),
                              SQLITE_STATIC);
        } else {
          sqlite3_bind_text64(statement_, place, text.data(), text.size(), SQLITE_STATIC,
                              SQLITE_UTF8);
        }
        return;
      }
    }
  }

  sqlite3* database_;
  std::function<void()> fail_;
  sqlite3_stmt* statement_ = nullptr;
  bool own_transaction_ = false;
  std::int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ChunkWriter> make_writer(sqlite3* database, const BulkTarget& target,
                                         std::function<void()> fail) {
  return std::make_unique<Writer>(database, target, std::move(fail));
}

}  // namespace kedge::db::sqlite
