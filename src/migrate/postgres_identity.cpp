// Sequences, serial and identity columns on postgres.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dialect/dialect.h"
#include "migrate/postgres_statements.h"

namespace kedge::migrate {

using change::ChangeColumnIdentity;
using schema::Column;
using schema::Identity;
using schema::Name;

bool is_serial(const Column& column) {
  return column.identity && column.identity->kind == Identity::Kind::Serial;
}
bool is_identity(const Column& column) {
  return column.identity && (column.identity->kind == Identity::Kind::ByDefault ||
                             column.identity->kind == Identity::Kind::Always);
}

bool is_uuid(const Column& column) {
  return column.identity && column.identity->kind == Identity::Kind::Uuid;
}

namespace {

schema::Sequence counter_of(const Name& table, const Column& column) {
  const Identity& identity = *column.identity;
  schema::Sequence sequence;
  sequence.name = {
      table.schema,
      Identifier(identity.sequence.empty() ? table.name.text() + "_" + column.name.text() + "_seq"
                                           : identity.sequence)};
  sequence.type = dialect::get_dialect(schema::Dialect::Postgres)
                      .parse_type(column.type.kind == schema::TypeKind::Int16   ? "smallint"
                                  : column.type.kind == schema::TypeKind::Int64 ? "bigint"
                                                                                : "integer");
  sequence.increment = identity.increment.value_or(1);
  sequence.minimum = identity.minimum;
  sequence.maximum = identity.maximum;
  sequence.start = identity.start.value_or(sequence.increment > 0 ? identity.minimum.value_or(1)
                                                                  : identity.maximum.value_or(-1));
  sequence.cache = identity.cache.value_or(1);
  sequence.cycle = identity.cycle;
  sequence.owner_table = table;
  sequence.owner_column = column.name;
  return sequence;
}

const schema::Sequence* plain_sequence(const schema::Schema& schema, const Name& name) {
  const auto found = std::find_if(schema.sequences.begin(), schema.sequences.end(),
                                  [&](const auto& sequence) { return sequence.name == name; });
  return found == schema.sequences.end() ? nullptr : &*found;
}

}  // namespace

std::optional<schema::Sequence> serial_of(const schema::Schema& schema, const Name& sequence) {
  for (const schema::Table& table : schema.tables) {
    for (const Column& column : table.columns) {
      if (is_serial(column) && counter_of(table.name, column).name == sequence) {
        return counter_of(table.name, column);
      }
    }
  }
  return std::nullopt;
}

std::string sequence_options(const schema::Sequence& is, const schema::Sequence* was) {
  std::string sql;
  if ((was == nullptr || !(was->type == is.type)) && !is.type.native.empty()) {
    sql += " AS " + is.type.native;
  }
  const auto number = [&](const char* word, std::int64_t value, std::int64_t before,
                          std::int64_t usual) {
    if (was == nullptr ? value != usual : value != before) {
      sql += std::string(" ") + word + " " + std::to_string(value);
    }
  };
  number("INCREMENT BY", is.increment, was == nullptr ? 0 : was->increment, 1);
  const auto bound = [&](const char* word, const auto& value, const auto& before) {
    if (was == nullptr ? value.has_value() : value != before) {
      sql += value ? std::string(" ") + word + " " + std::to_string(*value)
                   : std::string(" NO ") + word;
    }
  };
  bound("MINVALUE", is.minimum, was == nullptr ? is.minimum : was->minimum);
  bound("MAXVALUE", is.maximum, was == nullptr ? is.maximum : was->maximum);
  number("START WITH", is.start, was == nullptr ? 0 : was->start, 1);
  number("CACHE", is.cache, was == nullptr ? 0 : was->cache, 1);
  if (was == nullptr ? is.cycle : is.cycle != was->cycle) {
    sql += is.cycle ? " CYCLE" : " NO CYCLE";
  }
  return sql;
}

// A sequence of that name which counted for nobody, or for somebody else, goes on counting.
bool PostgresIdentity::takes_over(const Name& table, const Column& column) const {
  return plain_sequence(s_.emission().from, counter_of(table, column).name) != nullptr;
}
void PostgresIdentity::make_sequence(const Name& table, const Column& column, int at) {
  const schema::Sequence wanted = counter_of(table, column);
  const schema::Sequence* was = plain_sequence(s_.emission().from, wanted.name);
  const std::string options = sequence_options(wanted, was);
  if (was == nullptr || !options.empty()) {
    s_.add(at, table,
           (was == nullptr ? "CREATE SEQUENCE " : "ALTER SEQUENCE ") + s_.ddl().name(wanted.name) +
               options);
  }
}
void PostgresIdentity::own_sequence(const Name& table, const Column& column, int at) {
  s_.add(at, table,
         "ALTER SEQUENCE " + sequence_name(s_.emission(), table, column) + " OWNED BY " +
             s_.ddl().name(table) + "." + s_.ddl().quote(column.name));
}
// The next value is one above the highest row.
void PostgresIdentity::set_next(const Name& table, const Column& column, int at) {
  const std::string quoted = s_.ddl().quote(column.name);
  s_.add(at, table,
         fmt::format("SELECT setval(pg_get_serial_sequence({}, {}), COALESCE((SELECT max({}) FROM "
                     "{}), 0) + 1, false)",
                     s_.ddl().literal(s_.ddl().name(table)), s_.ddl().literal(column.name.text()),
                     quoted, s_.ddl().name(table)));
}
void PostgresIdentity::leave(const ChangeColumnIdentity& c) {
  const std::string column = "ALTER COLUMN " + s_.ddl().quote(c.after.name) + " ";
  if (is_identity(c.before)) {
    s_.alter(stage::kColumn, c.table,
             column + (s_.emission().up() ? "DROP IDENTITY IF EXISTS" : "DROP IDENTITY"))
        .remakes = true;
  } else if (is_serial(c.before)) {
    s_.alter(stage::kColumn, c.table, column + "DROP DEFAULT");
    if (plain_sequence(s_.emission().to, counter_of(c.table, c.before).name) == nullptr) {
      s_.add(stage::kColumn, c.table,
             "DROP SEQUENCE IF EXISTS " + sequence_name(s_.emission(), c.table, c.before))
          .remakes = true;
    }
  } else if (c.before.default_value ||
             (is_uuid(c.before) && !c.after.identity && !c.after.default_value)) {
    s_.alter(stage::kColumn, c.table, column + "DROP DEFAULT");
  }
}
std::string PostgresIdentity::add_clause(const Column& column) const {
  Column only;
  only.name = Identifier("x");
  only.identity = column.identity;
  only.type.native = "x";
  return "ADD" + s_.ddl().column(only, schema::Table{}).substr(5);  // after "x" x
}
void PostgresIdentity::enter(const ChangeColumnIdentity& c) {
  const std::string column = "ALTER COLUMN " + s_.ddl().quote(c.after.name) + " ";
  if (is_identity(c.after)) {
    s_.alter(stage::kIdentity, c.table, column + add_clause(c.after));
    set_next(c.table, c.after, stage::kIdentity);
  } else if (is_serial(c.after)) {
    make_sequence(c.table, c.after, stage::kColumn);
    s_.alter(stage::kColumn, c.table,
             column + "SET DEFAULT nextval(" +
                 s_.ddl().literal(sequence_name(s_.emission(), c.table, c.after)) + "::regclass)");
    own_sequence(c.table, c.after, stage::kColumn);
    if (!takes_over(c.table, c.after)) {
      set_next(c.table, c.after, stage::kIdentity);
    }
  } else if (is_uuid(c.after)) {  // when it has its type
    s_.alter(stage::kIdentity, c.table, column + "SET DEFAULT gen_random_uuid()");
  } else if (c.after.default_value) {
    s_.alter(
        stage::kColumn, c.table,
        column + "SET DEFAULT " + s_.ddl().default_value(*c.after.default_value, c.after.type));
  }
}
void PostgresIdentity::options(const ChangeColumnIdentity& c) {
  const Identity& was = *c.before.identity;
  const Identity& is = *c.after.identity;
  std::string sql;
  if (was.kind != is.kind) {
    sql +=
        is.kind == Identity::Kind::Always ? " SET GENERATED ALWAYS" : " SET GENERATED BY DEFAULT";
  }
  const auto option = [&](const char* word, const auto& before, const auto& after,
                          const char* none) {
    if (before != after) {
      sql += std::string(" SET ") + word + (after ? " " + std::to_string(*after) : none);
    }
  };
  option("START WITH", was.start, is.start, " 1");
  option("INCREMENT BY", was.increment, is.increment, " 1");
  option("CACHE", was.cache, is.cache, " 1");
  const auto bound = [&](const char* word, const auto& before, const auto& after) {
    if (before != after) {
      sql += after ? std::string(" SET ") + word + " " + std::to_string(*after)
                   : std::string(" SET NO ") + word;
    }
  };
  bound("MINVALUE", was.minimum, is.minimum);
  bound("MAXVALUE", was.maximum, is.maximum);
  if (was.cycle != is.cycle) {
    sql += is.cycle ? " SET CYCLE" : " SET NO CYCLE";
  }
  if (!sql.empty()) {
    s_.alter(stage::kIdentity, c.table, "ALTER COLUMN " + s_.ddl().quote(c.after.name) + sql);
  }
}

void PostgresIdentity::change(const ChangeColumnIdentity& c) {
  if (is_identity(c.before) && is_identity(c.after)) {
    options(c);
    return;
  }
  leave(c);
  enter(c);
  if (c.before.identity && c.after.identity) {  // the one that comes has the name of the other
    grants_back(s_.emission(), counter_of(c.table, c.after).name, std::nullopt);
  }
}

std::string sequence_name(const Emission& e, const Name& table, const Column& column) {
  Column counting = column;
  if (!counting.identity) {
    counting.identity.emplace();
  }
  return e.ddl.name(counter_of(table, counting).name);
}

}  // namespace kedge::migrate
