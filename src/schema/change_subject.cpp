// Which object a change is about, and the one line that people read.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "base/text.h"
#include "kedge/change.h"

namespace kedge {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Name;

struct SubjectOf {
  Name operator()(const CreateNamespace& c) const { return {{}, c.object.name}; }
  Name operator()(const DropNamespace& c) const { return {{}, c.object.name}; }
  template <class Object>
  Name operator()(const Create<Object>& c) const {
    return c.object.name;
  }
  template <class Object>
  Name operator()(const Drop<Object>& c) const {
    return c.object.name;
  }
  template <class Object>
  Name operator()(const Alter<Object>& c) const {
    return c.after.name;
  }
  Name operator()(const AlterEnum& c) const { return c.after.name; }
  Name operator()(const RenameTable& c) const { return c.to; }
  Name operator()(const CreateView& c) const { return c.view.name; }
  Name operator()(const DropView& c) const { return c.view.name; }
  Name operator()(const ReplaceView& c) const { return c.after.name; }
  Name operator()(const ChangeComment& c) const { return c.target.name; }
  Name operator()(const ChangeTableOptions& c) const { return c.after.name; }
  template <class OfTable>
  Name operator()(const OfTable& c) const {
    return c.table;
  }
};

struct Part {
  std::string operator()(const AddPrimaryKey& c) const { return c.part.name.text(); }
  std::string operator()(const DropPrimaryKey& c) const { return c.part.name.text(); }
  template <class Object>
  std::string operator()(const Add<Object>& c) const {
    return c.part.name.text();
  }
  template <class Object>
  std::string operator()(const Remove<Object>& c) const {
    return c.part.name.text();
  }
  std::string operator()(const ChangeColumnType& c) const { return c.after.name.text(); }
  template <Attribute attribute>
  std::string operator()(const ChangeColumn<attribute>& c) const {
    return c.after.name.text();
  }
  std::string operator()(const RenameColumn& c) const { return c.to.text(); }
  std::string operator()(const RenameIndex& c) const { return c.to.text(); }
  std::string operator()(const RenameConstraint& c) const { return c.to.text(); }
  std::string operator()(const ValidateConstraint& c) const {
    return c.check ? c.check->name.text() : c.foreign_key->name.text();
  }
  std::string operator()(const ChangeComment& c) const { return c.target.part.text(); }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

std::string type_text(const schema::Type& type) {
  return type.native.empty() ? to_string(type) : type.native;
}
std::string names(const std::vector<Identifier>& columns) {
  std::vector<std::string> texts;
  for (const Identifier& column : columns) {
    texts.push_back(column.text());
  }
  return "(" + base::join(texts, ", ") + ")";
}
// " word" when so.
std::string flag(bool is, std::string_view word) {
  return is ? " " + std::string(word) : "";
}
std::string part_text(const schema::IndexPart& part) {
  std::string text = part.column.empty() ? "(" + part.expression + ")" : part.column.text();
  text += part.prefix ? "(" + std::to_string(*part.prefix) + ")" : "";
  text += flag(!part.collation.empty(), "collate " + part.collation);
  text += flag(!part.operator_class.empty(), part.operator_class);
  text += flag(part.descending, "desc");
  text += flag(part.nulls == schema::NullsOrder::First, "nulls first");
  return text + flag(part.nulls == schema::NullsOrder::Last, "nulls last");
}
std::string deferrable(bool deferrable, bool initially_deferred) {
  return flag(deferrable, "deferrable") + flag(initially_deferred, "initially deferred");
}
std::string options_text(const std::map<std::string, std::string>& options) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : options) {
    texts.push_back(value.empty() ? key : key + "=" + value);
  }
  return texts.empty() ? "none" : base::join(texts, " ");
}
// Everything in which two indexes can differ: one may be gone and come back with one word changed.
std::string describe(const schema::Index& index) {
  if (!index.exclusion.empty()) {
    return index.exclusion;
  }
  std::vector<std::string> texts;
  for (const schema::IndexPart& part : index.parts) {
    texts.push_back(part_text(part));
  }
  return "(" + base::join(texts, ", ") + ")" + flag(index.unique, "unique") +
         flag(index.constraint != schema::Index::Constraint::None, "constraint") +
         flag(!index.method.empty(), "using " + index.method) +
         flag(!index.include.empty(), "include " + names(index.include)) +
         flag(index.nulls_not_distinct, "nulls not distinct") +
         deferrable(index.deferrable, index.initially_deferred) +
         flag(!index.options.empty(), "with " + options_text(index.options)) +
         flag(!index.where.empty(), "where " + index.where) + flag(!index.valid, "invalid");
}
std::string describe(const schema::PrimaryKey& key) {
  return names(key.columns) + flag(!key.include.empty(), "include " + names(key.include)) +
         deferrable(key.deferrable, key.initially_deferred);
}
std::string action_text(std::string_view when, schema::ReferentialAction action) {
  return flag(action != schema::ReferentialAction::NoAction,
              std::string(when) + " " + base::replace_all(to_string(action), "-", " "));
}
std::string describe(const schema::ForeignKey& key) {
  return names(key.columns) + " -> " + to_string(key.referenced_table) +
         names(key.referenced_columns) + flag(key.match_full, "match full") +
         action_text("on delete", key.on_delete) +
         flag(!key.set_columns.empty(), names(key.set_columns)) +
         action_text("on update", key.on_update) +
         deferrable(key.deferrable, key.initially_deferred) + flag(!key.validated, "not valid");
}
std::string describe(const schema::Check& check) {
  return check.expression + flag(check.no_inherit, "no inherit") +
         flag(!check.validated, "not valid") + flag(!check.enforced, "not enforced");
}
std::string default_text(const std::optional<schema::Default>& value) {
  if (!value) {
    return "none";
  }
  return value->kind == schema::Default::Kind::Literal ? "'" + value->value + "'" : value->value;
}
std::string identity_text(const std::optional<schema::Identity>& identity) {
  if (!identity) {
    return "none";
  }
  switch (identity->kind) {
    case schema::Identity::Kind::ByDefault:
      return "by default";
    case schema::Identity::Kind::Always:
      return "always";
    case schema::Identity::Kind::Serial:
      return "serial";
    case schema::Identity::Kind::Uuid:
      return "uuid";
  }
  return "";
}
std::string arrow(const std::string& from, const std::string& to) {
  return from + " -> " + to;
}
const char* null_text(const schema::Column& column) {
  return column.nullable ? "null" : "not null";
}
struct Detail {
  std::string operator()(const AddColumn& c) const {
    return type_text(c.part.type) + (c.part.nullable ? "" : " not null");
  }
  std::string operator()(const ChangeColumnType& c) const {
    return arrow(type_text(c.before.type), type_text(c.after.type));
  }
  std::string operator()(const ChangeColumnNullable& c) const {
    return arrow(null_text(c.before), null_text(c.after));
  }
  std::string operator()(const ChangeColumnDefault& c) const {
    return "default " +
           arrow(default_text(c.before.default_value), default_text(c.after.default_value));
  }
  std::string operator()(const ChangeColumnIdentity& c) const {
    return "identity " + arrow(identity_text(c.before.identity), identity_text(c.after.identity));
  }
  std::string operator()(const ChangeColumnGenerated& c) const {
    const bool kept = c.before.generated && c.after.generated &&
                      c.before.generated->stored != c.after.generated->stored;
    const auto text = [&](const std::optional<schema::Generated>& generated) {
      const char* kind = !kept ? "" : generated->stored ? " stored" : " virtual";
      return generated ? generated->expression + kind : std::string("none");
    };
    return "generated " + arrow(text(c.before.generated), text(c.after.generated));
  }
  std::string operator()(const ChangeColumnCollation& c) const {
    return "collation " + arrow(c.before.collation.empty() ? "default" : c.before.collation,
                                c.after.collation.empty() ? "default" : c.after.collation);
  }
  std::string operator()(const ChangeColumnOptions& c) const {
    return arrow(options_text(c.before.options), options_text(c.after.options));
  }
  std::string operator()(const AddPrimaryKey& c) const { return describe(c.part); }
  std::string operator()(const DropPrimaryKey& c) const { return describe(c.part); }
  std::string operator()(const AddIndex& c) const { return describe(c.part); }
  std::string operator()(const DropIndex& c) const { return describe(c.part); }
  std::string operator()(const AddForeignKey& c) const { return describe(c.part); }
  std::string operator()(const DropForeignKey& c) const { return describe(c.part); }
  std::string operator()(const AddCheck& c) const { return describe(c.part); }
  std::string operator()(const DropCheck& c) const { return describe(c.part); }
  std::string operator()(const RenameTable& c) const { return "was " + to_string(c.from); }
  std::string operator()(const RenameColumn& c) const { return "was " + c.from.text(); }
  std::string operator()(const RenameIndex& c) const { return "was " + c.from.text(); }
  std::string operator()(const RenameConstraint& c) const { return "was " + c.from.text(); }
  std::string operator()(const AlterEnum& c) const {
    return arrow("(" + base::join(c.before.labels, ", ") + ")",
                 "(" + base::join(c.after.labels, ", ") + ")");
  }
  std::string operator()(const ChangeTableOptions& c) const {
    const auto text = [](const schema::Table& table) {
      const std::string by = table.partition ? table.partition->by : std::string();
      const std::string plain = options_text(table.options) + (table.unlogged ? " unlogged" : "");
      return by.empty() ? plain : (plain == "none" ? "" : plain + " ") + "partition by " + by;
    };
    return arrow(text(c.before), text(c.after));
  }
  std::string operator()(const ChangeComment& c) const {
    return c.target.kind + ": " + arrow("'" + c.from + "'", "'" + c.to + "'");
  }
  std::string operator()(const CreateObject& c) const { return c.object.signature; }
  std::string operator()(const DropObject& c) const { return c.object.signature; }
  std::string operator()(const ReplaceObject& c) const { return c.after.signature; }
  std::string operator()(const AttachPartition& c) const {
    return "of " + to_string(c.partition.parent.value_or(Name{})) + " " + c.partition.bound;
  }
  std::string operator()(const DetachPartition& c) const {
    return "of " + to_string(c.partition.parent.value_or(Name{}));
  }
  std::string operator()(const AddInheritance& c) const { return "of " + to_string(c.parent); }
  std::string operator()(const DropInheritance& c) const { return "of " + to_string(c.parent); }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

}  // namespace

schema::Name subject_of(const Change& change) {
  return std::visit(SubjectOf{}, change);
}
std::string part_of(const Change& change) {
  return std::visit(Part{}, change);
}

std::string describe(const Change& change) {
  const std::string part = part_of(change);
  std::string line =
      fmt::format("{} {} {}", sign_of(change), noun_of(change), to_string(subject_of(change)));
  if (!part.empty()) {
    line += "." + part;
  }
  std::string detail = std::visit(Detail{}, change);
  std::replace(detail.begin(), detail.end(), '\n', ' ');
  return detail.empty() ? line : line + " " + detail;
}

}  // namespace kedge
