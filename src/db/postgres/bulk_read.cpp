#include <poll.h>

#include <cstring>

#include "base/text.h"
#include "db/failure.h"
#include "db/postgres/binary.h"
#include "db/postgres/binary_constants.h"
#include "db/postgres/bulk.h"
#include "kedge/codes.h"

namespace kedge::db::postgres {
namespace {

using schema::TypeKind;

constexpr std::size_t kHeaderSize = 19;  // signature, flags, length of an extension

struct FreeRow {
  const Api* api = nullptr;
  void operator()(char* row) const { api->PQfreemem(row); }
};

class Reader {
 public:
  Reader(Session& session, std::span<const BulkColumn> columns, const ChunkHandler& handler,
         const ReadOptions& options)
      : session_(session), columns_(columns), handler_(handler), options_(options) {
    chunk_.columns.resize(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto binary = find_binary_kind(columns[i].oid);
      const TypeKind own = binary.value_or(
          columns[i].type.kind == TypeKind::Unknown ? TypeKind::Text : columns[i].type.kind);
      kinds_.push_back(i < options.kinds.size() ? options.kinds[i] : own);
      direct_.push_back(binary && kinds_[i] == *binary);
      scales_.push_back(direct_[i] ? scale_of(columns[i]) : -1);
    }
    restart();
  }

  // Types without a known binary form, and those that are to be converted, are sent as text.
  std::string statement(std::string_view sql) const {
    std::string names;
    std::string list;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::string name = "c" + std::to_string(i);
      names += (i == 0 ? "" : ", ") + name;
      list += (i == 0 ? "" : ", ") + name + (direct_[i] ? "" : "::text");
    }
    return "COPY (SELECT " + list + " FROM (" + std::string(sql) + "\n) AS q(" + names +
           ")) TO STDOUT (FORMAT binary)";
  }

  void read() {
    while (true) {
      char* raw = nullptr;
      const int size = session_.pq().PQgetCopyData(session_.raw(), &raw, 1);
      if (size == 0) {
        session_.wait(POLLIN);
        if (session_.pq().PQconsumeInput(session_.raw()) == 0) {
          session_.fail(nullptr);
        }
        session_.extend();
        continue;
      }
      if (size < 0) {
        break;
      }
      const std::unique_ptr<char, FreeRow> owner(raw, FreeRow{&session_.pq()});
      if (!add(std::string_view(raw, static_cast<std::size_t>(size)))) {
        return;
      }
    }
    while (session_.next_checked() != nullptr) {
    }
    if (chunk_.rows > 0) {
      handler_(chunk_);
    }
  }

 private:
  bool add(std::string_view data) {
    if (!header_seen_) {
      header_seen_ = true;
      data.remove_prefix(kHeaderSize);
    }
    if (data.size() < 2 || (data[0] == '\xff' && data[1] == '\xff')) {
      return true;  // the header alone, or the end
    }
    data.remove_prefix(2);
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      std::uint32_t size = 0;
      std::memcpy(&size, data.data(), 4);
      size = __builtin_bswap32(size);
      data.remove_prefix(4);
      if (size == UINT32_MAX) {
        chunk_.columns[i].add_null();
        continue;
      }
      add_field(i, data.substr(0, size));
      data.remove_prefix(size);
    }
    return ++chunk_.rows < options_.rows || deliver();
  }

  void add_field(std::size_t i, std::string_view field) {
    if (scales_[i] >= 0) {
      if (!decode_scaled_numeric(field, chunk_.columns[i])) {
        fail_value(i, "no " + columns_[i].type.native);
      }
    } else if (direct_[i]) {
      if (!decode_field(columns_[i].oid, field, chunk_.columns[i])) {
        fail_value(i, "out of range");
      }
    } else if (storage_of(kinds_[i]) == Storage::Raw) {
      chunk_.columns[i].add_bytes(field);
    } else if (!add_value(chunk_.columns[i], Value(std::string(field)))) {
      schema::Type wanted;
      wanted.kind = kinds_[i];
      fail_value(i, "no " + schema::to_string(wanted));
    }
  }

  [[noreturn]] void fail_value(std::size_t i, const std::string& what) {
    throw_failure(session_.settings(),
                  {codes::ERR_STATEMENT,
                   "row " + std::to_string(delivered_ + chunk_.rows + 1) + ", column '" +
                       columns_[i].name + "': the value is " + what,
                   "a value cannot be converted without loss",
                   FailureClass::Data,
                   "",
                   "",
                   {}});
  }

  // Decimals of up to 18 digits as integers, where they are taken so; -1: as text.
  int scale_of(const BulkColumn& column) const {
    constexpr int kHeader = 4;
    if (options_.decimals != DecimalForm::Scaled || column.oid != wire::kNumeric ||
        column.modifier < kHeader) {
      return -1;
    }
    const int precision = ((column.modifier - kHeader) >> 16) & 0xffff;
    const int scale = (((column.modifier - kHeader) & 0x7ff) ^ 1024) - 1024;
    return precision <= 18 && scale >= 0 && scale <= precision ? scale : -1;
  }

  bool deliver() {
    const bool go_on = handler_(chunk_);
    delivered_ += chunk_.rows;
    restart();
    return go_on;
  }

  void restart() {
    chunk_.rows = 0;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      chunk_.columns[i].start(kinds_[i], scales_[i]);
    }
  }

  Session& session_;
  std::span<const BulkColumn> columns_;
  const ChunkHandler& handler_;
  const ReadOptions& options_;
  std::vector<TypeKind> kinds_;
  std::vector<int> scales_;
  std::vector<bool> direct_;  // decoded from its own binary form
  Chunk chunk_;
  bool header_seen_ = false;
  std::size_t delivered_ = 0;
};

std::string_view without_end(std::string_view sql) {
  sql = base::trim(sql);
  while (sql.ends_with(';')) {
    sql.remove_suffix(1);
    sql = base::trim(sql);
  }
  return sql;
}

}  // namespace

std::string quoted(std::string_view name) {
  return "\"" + base::replace_all(std::string(name), "\"", "\"\"") + "\"";
}

void read_bulk(Session& session, std::string_view sql, std::span<const BulkColumn> columns,
               const ChunkHandler& handler, const ReadOptions& options) {
  Reader reader(session, columns, handler, options);
  session.send(reader.statement(without_end(sql)));
  struct AtEnd {
    Session& session;
    ~AtEnd() { session.drain(); }
  } const at_end{session};
  const Result started = session.next_checked();
  if (started != nullptr && session.pq().PQresultStatus(started.get()) == PGRES_COPY_OUT) {
    reader.read();
  }
}

}  // namespace kedge::db::postgres
