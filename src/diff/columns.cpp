#include <algorithm>
#include <unordered_map>

#include "diff/passes.h"

namespace kedge::diff {
namespace {

using schema::Column;
using schema::Identity;
using schema::Table;

bool is_serial(const Column& column) {
  return column.identity && column.identity->kind == Identity::Kind::Serial;
}

// A declaration asks for a way to make values; which of the ways the database uses is its own.
// Its sequence may be unnamed on a side that was declared, as the snapshot of a migration is.
bool same_identity(Passes& passes, const Column& actual, const Column& expected) {
  if (passes.meaning.exact()) {
    std::optional<Identity> was = actual.identity;
    if (was && expected.identity &&
        (was->sequence.empty() || expected.identity->sequence.empty())) {
      was->sequence = expected.identity->sequence;
    }
    return was == expected.identity;
  }
  const auto is_uuid = [](const Column& column) {
    return column.identity && column.identity->kind == Identity::Kind::Uuid;
  };
  if (is_uuid(expected) || is_uuid(actual)) {
    return true;
  }
  // A table that was renamed goes on counting by the sequence of its old name.
  const bool counts = actual.default_value &&
                      actual.default_value->kind == schema::Default::Kind::Expression &&
                      actual.default_value->value.starts_with("nextval(");
  return actual.identity.has_value() == expected.identity.has_value() ||
         (counts && expected.identity);
}

bool same_default(Passes& passes, const Column& actual, const Column& expected) {
  const auto generates = [&](const Column& column) {
    return column.identity && (!passes.meaning.exact() || is_serial(column));
  };
  if (generates(expected) || generates(actual)) {
    return true;
  }
  return passes.meaning.same_default(actual, expected);
}

bool same_generated(Passes& passes, const Column& actual, const Column& expected) {
  if (!passes.meaning.exact() && !expected.generated) {
    return true;
  }
  if (actual.generated.has_value() != expected.generated.has_value()) {
    return false;
  }
  return !actual.generated || (actual.generated->stored == expected.generated->stored &&
                               passes.meaning.same_expression(actual.generated->expression,
                                                              expected.generated->expression));
}

// Whether a column is inherited says the table's inheritance.
bool same_options(std::map<std::string, std::string> was, std::map<std::string, std::string> is) {
  was.erase("inherited");
  is.erase("inherited");
  return was == is;
}

// What a declaration can say of a column is as it says, and what it cannot say stays as it was.
void keep_undeclared_options(const Column& was, Column& is) {
  for (const auto& [name, value] : was.options) {
    if (name != "on_update") {
      is.options.emplace(name, value);
    }
  }
}

void compare_attributes(Passes& passes, const schema::Name& table, const Column& was, Column is) {
  const bool exact = passes.meaning.exact();
  const bool follows = was.options.contains("inherited") && is.options.contains("inherited");
  if (!exact) {
    keep_undeclared_options(was, is);
  }
  const bool retyped = !follows && !passes.meaning.same_type(was.type, is.type);
  if (retyped) {
    passes.add(change::ChangeColumnType{
        table, was, is,
        is_widening(was.type, is.type) ? change::Widening::Yes : change::Widening::No});
  }
  if (!same_generated(passes, was, is)) {
    passes.add(change::ChangeColumnGenerated{table, was, is});
  } else if (!retyped && !was.generated && !same_default(passes, was, is)) {
    passes.add(change::ChangeColumnDefault{table, was, is});
  }
  if (!same_identity(passes, was, is)) {
    passes.add(change::ChangeColumnIdentity{table, was, is});
  }
  if (was.nullable != is.nullable) {
    passes.add(change::ChangeColumnNullable{table, was, is});
  }
  if (was.collation != is.collation && !retyped && (exact || !is.collation.empty())) {
    passes.add(change::ChangeColumnCollation{table, was, is});
  }
  if (!same_options(was.options, is.options)) {
    passes.add(change::ChangeColumnOptions{table, was, is});
  }
  passes.comment("column", table, is.name, was.comment, is.comment);
}

// Do all parents of one stand above the other as well?
bool keeps_parents(const Table& one, const Table& other) {
  return std::all_of(one.inherits.begin(), one.inherits.end(), [&](const schema::Name& parent) {
    return std::find(other.inherits.begin(), other.inherits.end(), parent) != other.inherits.end();
  });
}

// Comes from the parent table and follows it.
bool is_inherited(const Column& column) {
  return column.options.contains("inherited");
}

// Finds a column by name; asks the same place first, since most tables keep their order.
class ColumnsByName {
 public:
  explicit ColumnsByName(const std::vector<Column>& columns) : columns_(columns) {}
  const Column* find(const Identifier& name, std::size_t likely) {
    if (likely < columns_.size() && columns_[likely].name == name) {
      return &columns_[likely];
    }
    if (index_.empty()) {
      for (const Column& column : columns_) {
        index_.emplace(column.name, &column);
      }
    }
    const auto found = index_.find(name);
    return found == index_.end() ? nullptr : found->second;
  }

 private:
  const std::vector<Column>& columns_;
  std::unordered_map<Identifier, const Column*> index_;
};

}  // namespace

void compare_columns(Passes& passes, const Table& actual, const Table& expected) {
  const bool partition = actual.partition && actual.partition->parent && expected.partition &&
                         actual.partition->parent == expected.partition->parent;
  if (partition) {
    return;  // its columns follow the partitioned table's
  }
  ColumnsByName live(actual.columns);
  ColumnsByName wanted(expected.columns);
  for (std::size_t i = 0; i < expected.columns.size(); ++i) {
    const Column& is = expected.columns[i];
    const Column* was = live.find(is.name, i);
    if (was == nullptr) {
      if (!is_inherited(is) || !keeps_parents(expected, actual)) {  // a new parent needs it there
        passes.add(change::AddColumn{expected.name, is});
      }
    } else if (!(*was == is)) {
      compare_attributes(passes, expected.name, *was, is);
    }
  }
  for (std::size_t i = 0; i < actual.columns.size(); ++i) {
    const bool follows = is_inherited(actual.columns[i]) && keeps_parents(actual, expected);
    if (wanted.find(actual.columns[i].name, i) == nullptr && !follows) {
      passes.add(change::DropColumn{expected.name, actual.columns[i]});
    }
  }
}

}  // namespace kedge::diff
