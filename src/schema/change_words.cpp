#include "schema/change_words.h"

#include "base/overloaded.h"

namespace kedge {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace

ChangeWords object_words(const char* verb, const schema::DefinedObject& object, char sign) {
  const std::string kind = to_string(object.kind);
  std::string dashed = kind;
  for (char& c : dashed) {
    c = c == ' ' ? '-' : c;
  }
  return {std::string(verb) + dashed, kind, sign};
}
const char* view_noun(const schema::View& view) {
  return view.materialized ? "materialized view" : "view";
}

struct Words {
  ChangeWords operator()(const CreateNamespace&) const { return {"create-schema", "schema", '+'}; }
  ChangeWords operator()(const DropNamespace&) const { return {"drop-schema", "schema", '-'}; }
  ChangeWords operator()(const CreateEnum&) const { return {"create-enum", "enum", '+'}; }
  ChangeWords operator()(const DropEnum&) const { return {"drop-enum", "enum", '-'}; }
  ChangeWords operator()(const AlterEnum&) const { return {"change-enum", "enum", '~'}; }
  ChangeWords operator()(const CreateDomain&) const { return {"create-domain", "domain", '+'}; }
  ChangeWords operator()(const DropDomain&) const { return {"drop-domain", "domain", '-'}; }
  ChangeWords operator()(const AlterDomain&) const { return {"change-domain", "domain", '~'}; }
  ChangeWords operator()(const CreateComposite&) const { return {"create-type", "type", '+'}; }
  ChangeWords operator()(const DropComposite&) const { return {"drop-type", "type", '-'}; }
  ChangeWords operator()(const AlterComposite&) const { return {"change-type", "type", '~'}; }
  ChangeWords operator()(const CreateSequence&) const {
    return {"create-sequence", "sequence", '+'};
  }
  ChangeWords operator()(const DropSequence&) const { return {"drop-sequence", "sequence", '-'}; }
  ChangeWords operator()(const AlterSequence&) const {
    return {"change-sequence", "sequence", '~'};
  }
  ChangeWords operator()(const CreateTable&) const { return {"create-table", "table", '+'}; }
  ChangeWords operator()(const DropTable&) const { return {"drop-table", "table", '-'}; }
  ChangeWords operator()(const RenameTable&) const { return {"rename-table", "table", '~'}; }
  ChangeWords operator()(const AddColumn&) const { return {"add-column", "column", '+'}; }
  ChangeWords operator()(const DropColumn&) const { return {"drop-column", "column", '-'}; }
  ChangeWords operator()(const RenameColumn&) const { return {"rename-column", "column", '~'}; }
  ChangeWords operator()(const ChangeColumnType&) const {
    return {"change-column-type", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnNullable&) const {
    return {"change-column-nullable", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnDefault&) const {
    return {"change-column-default", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnIdentity&) const {
    return {"change-column-identity", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnGenerated&) const {
    return {"change-column-generated", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnCollation&) const {
    return {"change-column-collation", "column", '~'};
  }
  ChangeWords operator()(const ChangeColumnOptions&) const {
    return {"change-column-options", "column", '~'};
  }
  ChangeWords operator()(const AddPrimaryKey&) const {
    return {"add-primary-key", "primary key", '+'};
  }
  ChangeWords operator()(const DropPrimaryKey&) const {
    return {"drop-primary-key", "primary key", '-'};
  }
  ChangeWords operator()(const AddIndex&) const { return {"add-index", "index", '+'}; }
  ChangeWords operator()(const DropIndex&) const { return {"drop-index", "index", '-'}; }
  ChangeWords operator()(const RenameIndex&) const { return {"rename-index", "index", '~'}; }
  ChangeWords operator()(const AddForeignKey&) const { return {"add-fk", "foreign key", '+'}; }
  ChangeWords operator()(const DropForeignKey&) const { return {"drop-fk", "foreign key", '-'}; }
  ChangeWords operator()(const AddCheck&) const { return {"add-check", "check", '+'}; }
  ChangeWords operator()(const DropCheck&) const { return {"drop-check", "check", '-'}; }
  ChangeWords operator()(const RenameConstraint&) const {
    return {"rename-constraint", "constraint", '~'};
  }
  ChangeWords operator()(const ValidateConstraint&) const {
    return {"validate-constraint", "constraint", '~'};
  }
  ChangeWords operator()(const ChangeTableOptions&) const {
    return {"change-table-options", "table", '~'};
  }
  ChangeWords operator()(const ChangeRowSecurity&) const {
    return {"change-row-security", "table", '~'};
  }
  ChangeWords operator()(const AttachPartition&) const {
    return {"attach-partition", "partition", '+'};
  }
  ChangeWords operator()(const DetachPartition&) const {
    return {"detach-partition", "partition", '-'};
  }
  ChangeWords operator()(const AddInheritance&) const {
    return {"add-inheritance", "inheritance", '+'};
  }
  ChangeWords operator()(const DropInheritance&) const {
    return {"drop-inheritance", "inheritance", '-'};
  }
  ChangeWords operator()(const CreateView& c) const {
    return {"create-view", view_noun(c.view), '+'};
  }
  ChangeWords operator()(const DropView& c) const { return {"drop-view", view_noun(c.view), '-'}; }
  ChangeWords operator()(const ReplaceView& c) const {
    return {"replace-view", view_noun(c.after), '~'};
  }
  ChangeWords operator()(const CreateObject& c) const {
    return object_words("create-", c.object, '+');
  }
  ChangeWords operator()(const DropObject& c) const { return object_words("drop-", c.object, '-'); }
  ChangeWords operator()(const ReplaceObject& c) const {
    return object_words("replace-", c.after, '~');
  }
  ChangeWords operator()(const ChangeComment&) const { return {"change-comment", "comment", '~'}; }
};

}  // namespace

ChangeWords words_of(const Change& change) {
  return std::visit(Words{}, change);
}

}  // namespace kedge
