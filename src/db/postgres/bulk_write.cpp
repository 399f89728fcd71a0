#include <poll.h>

#include <cstdlib>

#include "db/failure.h"
#include "db/postgres/bulk.h"
#include "db/postgres/row_encoder.h"
#include "kedge/codes.h"

namespace kedge::db::postgres {
namespace {

constexpr std::size_t kFlushSize = 256U << 10U;
constexpr std::string_view kSignature("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
constexpr std::string_view kTrailer("\377\377", 2);

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

  DecimalForm decimals() const override { return DecimalForm::Scaled; }

  void write(const Chunk& chunk) override {
    if (!running_) {
      start(chunk);
    }
    encoder_->start(chunk);
    for (std::size_t row = 0; row < chunk.rows; ++row) {
      if (binary_) {
        if (const auto bad = encoder_->add(chunk, row, buffer_)) {
          fail_value(*bad, row);
        }
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
      buffer_.add(kTrailer);
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
    encoder_.emplace(types_);
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
    if (binary_) {
      buffer_.add(kSignature);
    }
  }

  void send() {
    if (buffer_.size() == 0) {
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

  void add_text(const Chunk& chunk, std::size_t row) {
    line_.clear();
    for (std::size_t i = 0; i < types_.size(); ++i) {
      const ColumnChunk& column = chunk.columns[i];
      line_ += i == 0 ? "" : "\t";
      if (column.valid[row] == 0) {
        line_ += "\\N";
        continue;
      }
      if (would_round(column, row, types_[i])) {
        fail_value(i, row);
      }
      add_escaped(to_text(value_at(column, row)));
    }
    line_ += '\n';
    buffer_.add(line_);
  }

  void add_escaped(const std::string& text) {
    for (const char c : text) {
      switch (c) {
        case '\\':
          line_ += "\\\\";
          break;
        case '\n':
          line_ += "\\n";
          break;
        case '\r':
          line_ += "\\r";
          break;
        case '\t':
          line_ += "\\t";
          break;
        default:
          line_ += c;
      }
    }
  }

  Session& session_;
  std::vector<BulkColumn> columns_;
  std::vector<TargetType> types_;
  std::string statement_;
  std::optional<RowEncoder> encoder_;
  SendBuffer buffer_;
  std::string line_;
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
