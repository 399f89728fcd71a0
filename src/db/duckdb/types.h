// DuckDB's logical types: their spelling, their canonical type, and reading a vector's cells.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "db/duckdb/api.h"

namespace kedge::db::duckdb {

// What is needed to read a column of one type, taken from the logical type once.
struct TypeShape {
  duckdb_type id = DUCKDB_TYPE_INVALID;
  duckdb_type internal = DUCKDB_TYPE_INVALID;  // decimals and enums: how they are stored
  int width = 0;
  int scale = 0;
  std::size_t array_size = 0;
  std::vector<std::string> labels;  // enum labels, struct and union member names
  std::vector<TypeShape> children;  // list, array: 1; map: key, value; struct, union: members
  std::string alias;                // "JSON"
};

TypeShape shape_of(const Api& api, duckdb_logical_type type);  // does not take the type
schema::Type type_of(const TypeShape& shape);
std::string name_of(const TypeShape& shape);  // as DuckDB spells it

// A view of one vector of a chunk; valid as long as the chunk.
class VectorReader {
 public:
  VectorReader(const Api& api, const TypeShape& shape, duckdb_vector vector);
  bool is_null(std::size_t row) const;
  bool has_nulls() const { return validity_ != nullptr; }  // it may have some
  Value value(std::size_t row) const;
  std::string text(std::size_t row) const;  // as CAST(.. AS VARCHAR) gives it; not null
  const TypeShape& shape() const { return shape_; }
  template <class T>
  const T& at(std::size_t row) const {
    return static_cast<const T*>(data_)[row];
  }
  std::string_view bytes(std::size_t row) const;  // VARCHAR, BLOB, BIT
  duckdb_hugeint decimal(std::size_t row) const;  // the unscaled number
  std::size_t enum_index(std::size_t row) const;

 private:
  std::string list_text(std::size_t begin, std::size_t size) const;
  std::string map_text(std::size_t row) const;
  std::string struct_text(std::size_t row) const;
  const Api& api_;
  const TypeShape& shape_;
  void* data_;
  std::uint64_t* validity_;
  std::vector<VectorReader> children_;
};

// Texts of DuckDB's internal values.
std::string date_text(std::int32_t days);
std::string time_text(std::int64_t microseconds);
std::string timestamp_text(std::int64_t microseconds);
std::string decimal_text(duckdb_hugeint value, int scale);

}  // namespace kedge::db::duckdb
