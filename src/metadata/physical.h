// Names and literals as a dialect writes them, and names that fit its limit (spec/metadata.md 2.5).
#pragma once

#include <string>
#include <string_view>

#include "kedge/metadata.h"
#include "kedge/schema.h"

namespace kedge::metadata {

class Writer {
 public:
  explicit Writer(schema::Dialect dialect) : dialect_(dialect) {}
  schema::Dialect dialect() const { return dialect_; }
  bool is_sqlite() const { return schema::is_sqlite(dialect_); }
  bool is_mysql() const { return dialect_ == schema::Dialect::Mysql; }
  bool is_postgres() const { return dialect_ == schema::Dialect::Postgres; }
  bool is_duckdb() const { return dialect_ == schema::Dialect::Duckdb; }
  std::string quote(std::string_view name) const;
  std::string quote(const schema::Name& name) const;
  std::string text(std::string_view text) const;  // a string literal
  std::string boolean(bool value) const;
  // A value compared with a field: members of int-backed enums become their number.
  std::string value(const Field& field, const Scalar& value) const;
  // A generated name cut to the dialect's limit, with a hash of the whole.
  std::string fit(const std::string& name) const;
  bool is_too_long(std::string_view name) const;
  std::string limit_words() const;  // "63 bytes"

 private:
  schema::Dialect dialect_;
};

}  // namespace kedge::metadata
