// One difference between two shapes as a value: the closed set of kinds of spec/migrate.md 5.1 and
// the object kinds of postgres. A change carries the whole object before and after, so DDL, text,
// JSON and the reverse can be made from it alone. Names of tables and columns are the new ones
// (after the renames of the same list). Nothing here knows SQL.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kedge/schema.h"

namespace kedge::change {

using schema::Name;

template <class Object>
struct Create {
  Object object;
  bool operator==(const Create&) const = default;
};
template <class Object>
struct Drop {
  Object object;
  bool operator==(const Drop&) const = default;
};
template <class Object>
struct Alter {
  Object before;
  Object after;
  bool operator==(const Alter&) const = default;
};
// A part of a table (index: also of a materialized view).
template <class Part>
struct Add {
  Name table;
  Part part;
  bool operator==(const Add&) const = default;
};
template <class Part>
struct Remove {
  Name table;
  Part part;
  bool operator==(const Remove&) const = default;
};

using CreateNamespace = Create<schema::Namespace>;
using DropNamespace = Drop<schema::Namespace>;
using CreateTable = Create<schema::Table>;
using DropTable = Drop<schema::Table>;
using CreateSequence = Create<schema::Sequence>;
using DropSequence = Drop<schema::Sequence>;
using AlterSequence = Alter<schema::Sequence>;
using CreateDomain = Create<schema::DomainType>;
using DropDomain = Drop<schema::DomainType>;
using AlterDomain = Alter<schema::DomainType>;
using CreateComposite = Create<schema::CompositeType>;
using DropComposite = Drop<schema::CompositeType>;
using AlterComposite = Alter<schema::CompositeType>;
using CreateEnum = Create<schema::EnumType>;
using DropEnum = Drop<schema::EnumType>;
// Functions, procedures, triggers, policies, rules, extensions, privileges, events, macros.
using CreateObject = Create<schema::DefinedObject>;
using DropObject = Drop<schema::DefinedObject>;
using ReplaceObject = Alter<schema::DefinedObject>;
using AddColumn = Add<schema::Column>;
using DropColumn = Remove<schema::Column>;
using AddPrimaryKey = Add<schema::PrimaryKey>;
using DropPrimaryKey = Remove<schema::PrimaryKey>;
using AddIndex = Add<schema::Index>;
using DropIndex = Remove<schema::Index>;
using AddForeignKey = Add<schema::ForeignKey>;
using DropForeignKey = Remove<schema::ForeignKey>;
using AddCheck = Add<schema::Check>;
using DropCheck = Remove<schema::Check>;

struct RenameTable {
  Name from;
  Name to;
  bool operator==(const RenameTable&) const = default;
};
struct RenameColumn {
  Name table;
  Identifier from;
  Identifier to;
  bool operator==(const RenameColumn&) const = default;
};
struct RenameIndex {
  Name table;
  Identifier from;
  Identifier to;
  bool operator==(const RenameIndex&) const = default;
};
struct RenameConstraint {
  Name table;
  Identifier from;
  Identifier to;
  bool operator==(const RenameConstraint&) const = default;
};
// A label that changed its name keeps its rows; only declared renames are known to be such.
struct RenamedLabel {
  std::string from;
  std::string to;
  bool operator==(const RenamedLabel&) const = default;
};
struct AlterEnum {
  schema::EnumType before;
  schema::EnumType after;
  std::vector<RenamedLabel> renamed;
  bool operator==(const AlterEnum&) const = default;
};

enum class Widening { No, Yes };  // spec/migrate.md 5.4

// `before` and `after` are whole columns; the kind says which attribute the change is about. A type
// change carries the column's default and generated expression with it.
struct ChangeColumnType {
  Name table;
  schema::Column before;
  schema::Column after;
  Widening widening = Widening::No;
  bool operator==(const ChangeColumnType&) const = default;
};
enum class Attribute { Nullable, Default, Identity, Generated, Collation, Options };
template <Attribute attribute>
struct ChangeColumn {
  Name table;
  schema::Column before;
  schema::Column after;
  bool operator==(const ChangeColumn&) const = default;
};
using ChangeColumnNullable = ChangeColumn<Attribute::Nullable>;
using ChangeColumnDefault = ChangeColumn<Attribute::Default>;
using ChangeColumnIdentity = ChangeColumn<Attribute::Identity>;
using ChangeColumnGenerated = ChangeColumn<Attribute::Generated>;
using ChangeColumnCollation = ChangeColumn<Attribute::Collation>;
using ChangeColumnOptions = ChangeColumn<Attribute::Options>;

// NOT VALID before, valid after. Exactly one of the two is set.
struct ValidateConstraint {
  Name table;
  std::optional<schema::ForeignKey> foreign_key;
  std::optional<schema::Check> check;
  bool operator==(const ValidateConstraint&) const = default;
};

struct CreateView {
  schema::View view;
  bool operator==(const CreateView&) const = default;
};
enum class DropReason { Removed, Shape, Rebuild, Adopt };
struct DropView {
  schema::View view;
  DropReason reason = DropReason::Removed;
  bool operator==(const DropView&) const = default;
};
enum class Adopt { No, Yes };
struct ReplaceView {
  schema::View before;
  schema::View after;
  Adopt adopt = Adopt::No;
  bool operator==(const ReplaceView&) const = default;
};

// What a comment hangs on. `kind`: schema, table, column, view, materialized view, index,
// constraint, sequence, type, domain, function, ... `part`: column, index or constraint;
// `signature`: of a function.
struct CommentTarget {
  std::string kind;
  Name name;
  Identifier part;
  std::string signature;
  bool operator==(const CommentTarget&) const = default;
};
struct ChangeComment {
  CommentTarget target;
  std::string from;
  std::string to;
  bool operator==(const ChangeComment&) const = default;
};

// Storage options, engine, charset, logged or not: the tables before and after.
struct ChangeTableOptions {
  schema::Table before;
  schema::Table after;
  bool operator==(const ChangeTableOptions&) const = default;
};
struct ChangeRowSecurity {
  Name table;
  bool enabled_before = false;
  bool forced_before = false;
  bool enabled_after = false;
  bool forced_after = false;
  bool operator==(const ChangeRowSecurity&) const = default;
};
// parent and bound as in `partition`.
struct AttachPartition {
  Name table;
  schema::Partition partition;
  bool operator==(const AttachPartition&) const = default;
};
struct DetachPartition {
  Name table;
  schema::Partition partition;
  bool operator==(const DetachPartition&) const = default;
};
struct AddInheritance {
  Name table;
  Name parent;
  bool operator==(const AddInheritance&) const = default;
};
struct DropInheritance {
  Name table;
  Name parent;
  bool operator==(const DropInheritance&) const = default;
};

}  // namespace kedge::change

namespace kedge {

using Change = std::variant<
    change::CreateNamespace, change::DropNamespace, change::CreateEnum, change::DropEnum,
    change::AlterEnum, change::CreateDomain, change::DropDomain, change::AlterDomain,
    change::CreateComposite, change::DropComposite, change::AlterComposite, change::CreateSequence,
    change::DropSequence, change::AlterSequence, change::CreateTable, change::DropTable,
    change::RenameTable, change::AddColumn, change::DropColumn, change::RenameColumn,
    change::ChangeColumnType, change::ChangeColumnNullable, change::ChangeColumnDefault,
    change::ChangeColumnIdentity, change::ChangeColumnGenerated, change::ChangeColumnCollation,
    change::ChangeColumnOptions, change::AddPrimaryKey, change::DropPrimaryKey, change::AddIndex,
    change::DropIndex, change::RenameIndex, change::AddForeignKey, change::DropForeignKey,
    change::AddCheck, change::DropCheck, change::RenameConstraint, change::ValidateConstraint,
    change::ChangeTableOptions, change::ChangeRowSecurity, change::AttachPartition,
    change::DetachPartition, change::AddInheritance, change::DropInheritance, change::CreateView,
    change::DropView, change::ReplaceView, change::CreateObject, change::DropObject,
    change::ReplaceObject, change::ChangeComment>;

// The change that undoes it. Total: swaps before and after, turns Create into Drop. Names of a
// table or column that the list renames are not translated: reverse a whole list with
// reverse_all().
Change reverse(const Change& change);
// The list that leads back: names before the renames, in an order of its own.
std::vector<Change> reverse_all(const std::vector<Change>& changes);

std::string kind_of(const Change& change);      // "add-column": stable, spec/migrate.md 5.1
schema::Name subject_of(const Change& change);  // the table, view or object it is about
std::string part_of(const Change& change);      // column, index, constraint; empty for the whole
std::string noun_of(const Change& change);      // "table", "column", "foreign key", ...
// '+' made, '-' taken away, '~' altered.
char sign_of(const Change& change);
// One line for people: "+ column vessels.draught numeric(5,2)".
std::string describe(const Change& change);

}  // namespace kedge
