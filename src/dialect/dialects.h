// The dialect objects of this module, one class each; everybody else asks get_dialect().
#pragma once

#include "dialect/dialect.h"

namespace kedge::dialect {

#define KEDGE_DIALECT_CLASS(name, dialect)                                                       \
  class name final : public Dialect {                                                            \
   public:                                                                                       \
    schema::Dialect id() const override { return schema::Dialect::dialect; }                     \
    std::string quote(const Identifier& identifier) const override;                              \
    std::string literal(std::string_view text) const override;                                   \
    std::string fold(std::string_view unquoted) const override;                                  \
    bool same_name(std::string_view live, std::string_view written, bool quoted) const override; \
    schema::Type parse_type(std::string_view native) const override;                             \
    std::string type_name(const schema::Type& type) const override;                              \
    schema::Schema introspect(db::Connection& connection,                                        \
                              const IntrospectScope& scope) const override;                      \
  }

KEDGE_DIALECT_CLASS(SqliteDialect, Sqlite);
KEDGE_DIALECT_CLASS(PostgresDialect, Postgres);
KEDGE_DIALECT_CLASS(DuckdbDialect, Duckdb);
KEDGE_DIALECT_CLASS(MysqlDialect, Mysql);
KEDGE_DIALECT_CLASS(AnsiDialect, Ansi);
#undef KEDGE_DIALECT_CLASS

// "text" with every `mark` doubled, between two of them.
std::string between(std::string_view text, char mark);

// The server's own spelling, where this dialect reads it as exactly this type (so it is its own).
bool is_own_spelling(const Dialect& dialect, const schema::Type& type);

}  // namespace kedge::dialect
