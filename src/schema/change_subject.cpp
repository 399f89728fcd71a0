// Which object a change is about, and the one line that people read.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "base/text.h"
#include "kedge/change.h"

namespace kedge {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Name;

struct Subject {
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
std::string parts(const schema::Index& index) {
  std::vector<std::string> texts;
  for (const schema::IndexPart& part : index.parts) {
    texts.push_back((part.column.empty() ? part.expression : part.column.text()) +
                    (part.descending ? " desc" : ""));
  }
  return "(" + base::join(texts, ", ") + ")" + (index.unique ? " unique" : "") +
         (index.where.empty() ? "" : " where " + index.where);
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
std::string options_text(const std::map<std::string, std::string>& options) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : options) {
    texts.push_back(value.empty() ? key : key + "=" + value);
  }
  return texts.empty() ? "none" : base::join(texts, " ");
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
    return "generated " + arrow(c.before.generated ? c.before.generated->expression : "none",
                                c.after.generated ? c.after.generated->expression : "none");
  }
  std::string operator()(const ChangeColumnCollation& c) const {
    return "collation " + arrow(c.before.collation.empty() ? "default" : c.before.collation,
                                c.after.collation.empty() ? "default" : c.after.collation);
  }
  std::string operator()(const ChangeColumnOptions& c) const {
    return arrow(options_text(c.before.options), options_text(c.after.options));
  }
  std::string operator()(const AddPrimaryKey& c) const { return names(c.part.columns); }
  std::string operator()(const DropPrimaryKey& c) const { return names(c.part.columns); }
  std::string operator()(const AddIndex& c) const { return parts(c.part); }
  std::string operator()(const DropIndex& c) const { return parts(c.part); }
  std::string operator()(const AddForeignKey& c) const {
    return names(c.part.columns) + " -> " + to_string(c.part.referenced_table) +
           names(c.part.referenced_columns);
  }
  std::string operator()(const DropForeignKey& c) const {
    return (*this)(AddForeignKey{c.table, c.part});
  }
  std::string operator()(const AddCheck& c) const { return c.part.expression; }
  std::string operator()(const DropCheck& c) const { return c.part.expression; }
  std::string operator()(const RenameTable& c) const { return "was " + to_string(c.from); }
  std::string operator()(const RenameColumn& c) const { return "was " + c.from.text(); }
  std::string operator()(const RenameIndex& c) const { return "was " + c.from.text(); }
  std::string operator()(const RenameConstraint& c) const { return "was " + c.from.text(); }
  std::string operator()(const AlterEnum& c) const {
    return arrow("(" + base::join(c.before.labels, ", ") + ")",
                 "(" + base::join(c.after.labels, ", ") + ")");
  }
  std::string operator()(const ChangeTableOptions& c) const {
    return arrow(options_text(c.before.options) + (c.before.unlogged ? " unlogged" : ""),
                 options_text(c.after.options) + (c.after.unlogged ? " unlogged" : ""));
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
  return std::visit(Subject{}, change);
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
