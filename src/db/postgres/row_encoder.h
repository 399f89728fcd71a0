// Rows of a chunk in PostgreSQL's binary format of COPY, written into one growing buffer. What a
// column needs is decided once a chunk, so that the common types cost a few instructions a value;
// everything else goes through encode_field().
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "db/postgres/binary.h"

namespace kedge::db::postgres {

// Bytes to send. `room` gives a place for that many more; `take` says how many were written.
class SendBuffer {
 public:
  char* room(std::size_t bytes) {
    if (used_ + bytes > bytes_.size()) {
      bytes_.resize((used_ + bytes) * 2);
    }
    return bytes_.data() + used_;
  }
  void take(std::size_t bytes) { used_ += bytes; }
  void add(std::string_view text) {
    text.copy(room(text.size()), text.size());
    take(text.size());
  }
  void clear() { used_ = 0; }
  std::size_t size() const { return used_; }
  const char* data() const { return bytes_.data(); }

 private:
  std::vector<char> bytes_;
  std::size_t used_ = 0;
};

class RowEncoder {
 public:
  explicit RowEncoder(std::vector<TargetType> types) : types_(std::move(types)) {}

  void start(const Chunk& chunk);
  // Appends a row; the place of the first column whose value does not fit its type, if any.
  std::optional<std::size_t> add(const Chunk& chunk, std::size_t row, SendBuffer& out);

 private:
  enum class Way { Bool, Int2, Int4, Int8, Date, Stamp, Real4, Real8, Bytes, Decimal, Other };
  struct Plan {
    Way way = Way::Other;
    std::int64_t unit = 1;     // times: a multiple of it, or the value would be rounded
    std::int64_t divisor = 1;  // decimals: likewise, from the chunk's scale to the type's
    bool checked = false;      // would_round() has to be asked
  };

  Plan plan_for(const ColumnChunk& column, const TargetType& type) const;
  bool add_field(const ColumnChunk& column, std::size_t row, std::size_t i, SendBuffer& out);
  bool add_other(const ColumnChunk& column, std::size_t row, std::size_t i, SendBuffer& out);

  std::vector<TargetType> types_;
  std::vector<Plan> plans_;
  std::string scratch_;
};

}  // namespace kedge::db::postgres
