// The pieces of DDL in one dialect: names, types, column definitions, CREATE statements. Text only;
// which statements a difference needs, and in which order, is the plan's business (src/migrate).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kedge/schema.h"

namespace kedge::dialect {

enum class KeyPlace { Inside, Outside };  // are foreign keys part of CREATE TABLE?

class Ddl {
 public:
  virtual ~Ddl() = default;
  virtual schema::Dialect id() const = 0;
  virtual std::string quote(std::string_view identifier) const;
  virtual std::string literal(std::string_view text) const;
  virtual std::string default_value(const schema::Default& value, const schema::Type& type) const;
  // Name, type and every clause. `table` decides whether the key stands in the column.
  virtual std::string column(const schema::Column& column, const schema::Table& table) const = 0;
  virtual std::string index(const schema::Index& index, const schema::Name& table) const = 0;
  virtual std::string table_options(const schema::Table& table) const = 0;
  virtual KeyPlace key_place() const = 0;
  virtual std::string drop_index(const schema::Index& index, const schema::Name& table,
                                 std::string_view if_exists) const = 0;

  std::string quote(const Identifier& identifier) const { return quote(identifier.text()); }
  std::string name(const schema::Name& name) const;
  std::string columns(std::span<const Identifier> columns) const;  // ("a", "b")
  std::string type(const schema::Type& type) const;  // the native spelling, else the canonical one
  virtual std::string primary_key(const schema::PrimaryKey& key, const schema::Name& table) const;
  virtual std::string unique(const schema::Index& index) const;
  std::string foreign_key(const schema::ForeignKey& key) const;  // CONSTRAINT ... FOREIGN KEY ...
  std::string check(const schema::Check& check) const;           // CONSTRAINT ... CHECK (...)
  // Without ;. Foreign keys only where key_place() is Inside.
  std::string create_table(const schema::Table& table) const;
  virtual std::string create_view(const schema::View& view, std::string_view verb) const;
  // "ALTER TABLE <name> "
  std::string alter(const schema::Name& table) const { return "ALTER TABLE " + name(table) + " "; }

 protected:
  virtual std::string foreign_key_tail(const schema::ForeignKey& key) const;
  virtual std::string check_tail(const schema::Check& check) const;
  virtual bool key_in_column(const schema::Table& table) const;
  virtual bool is_inline(const schema::Index& index, const schema::Table& table) const;
  virtual std::string table_key(const schema::Table& table) const;  // of a table that has one
  virtual std::string period(const schema::Table& table) const;  // mysql; empty where there is none
  std::string index_parts(const schema::Index& index) const;
  virtual std::string index_part(const schema::IndexPart& part) const;
};

const Ddl& get_ddl(schema::Dialect id);  // D1 gives sqlite's; Ansi gives postgres's

// One of: '...' and nothing else, a number, TRUE, FALSE, NULL, CURRENT_*, x'..': what may follow
// DEFAULT without parentheses everywhere.
bool is_plain_default(std::string_view sql);
bool is_numeric_type(const schema::Type& type);
const char* action_text(schema::ReferentialAction action);  // "SET NULL"

}  // namespace kedge::dialect
