#include "kedge/change.h"

#include <algorithm>
#include <map>

#include "base/overloaded.h"
#include "schema/change_words.h"

namespace kedge {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace

template <class Object>
Change reverse_of(const Create<Object>& made) {
  return Drop<Object>{made.object};
}
template <class Object>
Change reverse_of(const Drop<Object>& dropped) {
  return Create<Object>{dropped.object};
}
template <class Object>
Change reverse_of(const Alter<Object>& altered) {
  return Alter<Object>{altered.after, altered.before};
}
template <class Part>
Change reverse_of(const Add<Part>& added) {
  return Remove<Part>{added.table, added.part};
}
template <class Part>
Change reverse_of(const Remove<Part>& removed) {
  return Add<Part>{removed.table, removed.part};
}
template <Attribute attribute>
Change reverse_of(const ChangeColumn<attribute>& changed) {
  return ChangeColumn<attribute>{changed.table, changed.after, changed.before};
}
Change reverse_of(const RenameTable& c) {
  return RenameTable{c.to, c.from};
}
Change reverse_of(const RenameColumn& c) {
  return RenameColumn{c.table, c.to, c.from};
}
Change reverse_of(const RenameIndex& c) {
  return RenameIndex{c.table, c.to, c.from};
}
Change reverse_of(const RenameConstraint& c) {
  return RenameConstraint{c.table, c.to, c.from};
}
Change reverse_of(const AlterEnum& c) {
  AlterEnum back{c.after, c.before, {}};
  for (const RenamedLabel& label : c.renamed) {
    back.renamed.push_back({label.to, label.from});
  }
  return back;
}
Change reverse_of(const ChangeColumnType& c) {
  return ChangeColumnType{c.table, c.after, c.before, Widening::No};
}
// A validated constraint cannot become NOT VALID again; the pair drop and add says what it costs.
Change reverse_of(const ValidateConstraint& c) {
  if (c.check) {
    return AddCheck{c.table, *c.check};
  }
  return AddForeignKey{c.table, *c.foreign_key};
}
Change reverse_of(const CreateView& c) {
  return DropView{c.view, DropReason::Removed};
}
Change reverse_of(const DropView& c) {
  return CreateView{c.view};
}
Change reverse_of(const ReplaceView& c) {
  return ReplaceView{c.after, c.before, c.adopt};
}
Change reverse_of(const ChangeComment& c) {
  return ChangeComment{c.target, c.to, c.from};
}
Change reverse_of(const ChangeTableOptions& c) {
  return ChangeTableOptions{c.after, c.before};
}
Change reverse_of(const ChangeRowSecurity& c) {
  return ChangeRowSecurity{c.table, c.enabled_after, c.forced_after, c.enabled_before,
                           c.forced_before};
}
Change reverse_of(const AttachPartition& c) {
  return DetachPartition{c.table, c.partition};
}
Change reverse_of(const DetachPartition& c) {
  return AttachPartition{c.table, c.partition};
}
Change reverse_of(const AddInheritance& c) {
  return DropInheritance{c.table, c.parent};
}
Change reverse_of(const DropInheritance& c) {
  return AddInheritance{c.table, c.parent};
}

}  // namespace

Change reverse(const Change& change) {
  return std::visit([](const auto& one) { return reverse_of(one); }, change);
}

std::vector<Change> reverse_all(const std::vector<Change>& changes) {
  std::vector<Change> back;
  back.reserve(changes.size());
  for (auto one = changes.rbegin(); one != changes.rend(); ++one) {
    const auto* validated = std::get_if<ValidateConstraint>(&*one);
    if (validated == nullptr) {
      back.push_back(reverse(*one));
    }
  }
  return back;
}

std::string kind_of(const Change& change) {
  return words_of(change).kind;
}
std::string noun_of(const Change& change) {
  return words_of(change).noun;
}
char sign_of(const Change& change) {
  return words_of(change).sign;
}

}  // namespace kedge
