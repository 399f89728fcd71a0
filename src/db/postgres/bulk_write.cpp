#include <poll.h>

#include <cstdlib>

#include "db/failure.h"
#include "db/postgres/binary.h"
#include "db/postgres/bulk.h"
#include "kedge/codes.h"

namespace kedge::db::postgres {
namespace {

constexpr std::size_t kFlushSize = 256U << 10U;
constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);

class CopyWriter final : public ChunkWriter {
 public:
  CopyWriter(Session& session, const BulkTarget& target, std::vector<BulkColumn> columns)
      : session_(session), columns_(std::move(columns)) {
    statement_ = "COPY ";
    if (!target.table.schema.empty()) {
      statement_ += quoted(target.table.schema.text()) + ".";
    }
    statement_ += quoted(target.table.name.text()) + " (";
    for (std::size_t i = 0; i < target.columns.size(); ++i) {
      statement_ += (i == 0 ? "" : ", ") + quoted(target.columns[i]);
    }
    statement_ += ") FROM STDIN";
    for (const BulkColumn& column : columns_) {
      types_.push_back({column.oid, column.modifier, column.type.kind == schema::TypeKind::Enum});
    }
  }

  ~CopyWriter() override {
    if (running_) {
      session_.pq().PQputCopyEnd(session_.raw(), "given up");
      session_.drain();
    }
  }
  CopyWriter(const CopyWriter&) = delete;
  CopyWriter& operator=(const CopyWriter&) = delete;

  void write(const Chunk& chunk) override {
    if (!running_) {
      start(chunk);
    }
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      if (binary_) {
        add_binary(chunk, row);
      } else {
        add_text(chunk, row);
      }
      if (buffer_.size() >= kFlushSize) {
        send();
      }
    }
    rows_ += static_cast<std::int64_t>(chunk.rows);
  }

  std::int64_t finish() override {
    if (!running_) {
      return 0;
    }
    if (binary_) {
      put_16(buffer_, -1);
    }
    send();
    while (true) {
      const int done = session_.pq().PQputCopyEnd(session_.raw(), nullptr);
      if (done == 1) {
        break;
      }
      give_way(done);
    }
    session_.flush();
    running_ = false;
    std::int64_t written = 0;
    while (const Result result = session_.next_checked()) {
      written = std::atoll(session_.pq().PQcmdTuples(result.get()));
    }
    return written;
  }

 private:
  void start(const Chunk& chunk) {
    binary_ = true;
    for (std::size_t i = 0; i < types_.size(); ++i) {
      binary_ = binary_ && can_encode(chunk.columns.at(i).kind, types_[i]);
    }
    session_.start_clock(0);
    session_.send(statement_ + (binary_ ? " (FORMAT binary)" : ""));
    const Result result = session_.next_checked();
    if (result == nullptr || session_.pq().PQresultStatus(result.get()) != PGRES_COPY_IN) {
      session_.fail(result.get());
    }
    running_ = true;
    buffer_.reserve(kFlushSize * 2);
    if (binary_) {
      buffer_ += kSignature;
    }
  }

  void send() {
    if (buffer_.empty()) {
      return;
    }
    while (true) {
      const int done = session_.pq().PQputCopyData(session_.raw(), buffer_.data(),
                                                   static_cast<int>(buffer_.size()));
      if (done == 1) {
        break;
      }
      give_way(done);
    }
    buffer_.clear();
    session_.flush();
    session_.extend();
  }

  // 0: the socket is full. -1: the server has ended the COPY, and its error is waiting.
  void give_way(int done) {
    if (done == 0) {
      session_.wait(POLLIN | POLLOUT);
      if (session_.pq().PQconsumeInput(session_.raw()) == 0) {
        session_.fail(nullptr);
      }
      return;
    }
    running_ = false;
    while (session_.next_checked() != nullptr) {
    }
    session_.fail(nullptr);
  }

  [[noreturn]] void fail_value(std::size_t i, std::size_t row) {
    throw_failure(
        session_.settings(),
        {codes::ERR_STATEMENT,
         "row " + std::to_string(static_cast<std::size_t>(rows_) + row + 1) + ", column '" +
             columns_[i].name + "': the value does not fit " + columns_[i].type.native,
         "a value cannot be converted without loss",
         FailureClass::Data,
         "",
         "",
         {}});
  }

  void check(const ColumnChunk& column, std::size_t i, std::size_t row) {
    if (would_round(column, row, types_[i])) {
      fail_value(i, row);
    }
  }

  void add_binary(const Chunk& chunk, std::size_t row) {
    put_16(buffer_, static_cast<std::int16_t>(types_.size()));
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const ColumnChunk& column = chunk.columns[i];
      if (column.valid[row] == 0) {
        put_32(buffer_, -1);
        continue;
      }
      check(column, i, row);
      if (encode_field(column, row, types_[i], buffer_) == Encoded::DoesNotFit) {
        fail_value(i, row);
      }
    }
  }

  void add_text(const Chunk& chunk, std::size_t row) {
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const ColumnChunk& column = chunk.columns[i];
      buffer_ += i == 0 ? "" : "\t";
      if (column.valid[row] == 0) {
        buffer_ += "\\N";
        continue;
      }
      check(column, i, row);
      add_escaped(to_text(value_at(column, row)));
    }
    buffer_ += '\n';
  }

  void add_escaped(const std::string& text) {
    for (const char c : text) {
      switch (c) {
        case '\\':
          buffer_ += "\\\\";
          break;
        case '\n':
          buffer_ += "\\n";
          break;
        case '\r':
          buffer_ += "\\r";
          break;
        case '\t':
          buffer_ += "\\t";
          break;
        default:
          buffer_ += c;
      }
    }
  }

  Session& session_;
  std::vector<BulkColumn> columns_;
  std::vector<TargetType> types_;
  std::string statement_;
  std::string buffer_;
  bool binary_ = true;
  bool running_ = false;
  std::int64_t rows_ = 0;
};

}  // namespace

std::unique_ptr<ChunkWriter> write_bulk(Session& session, const BulkTarget& target,
                                        std::vector<BulkColumn> columns) {
  return std::make_unique<CopyWriter>(session, target, std::move(columns));
}

}  // namespace kedge::db::postgres
