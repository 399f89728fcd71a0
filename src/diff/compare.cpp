#include "diff/passes.h"

namespace kedge::diff {

void Passes::comment(const char* kind, const schema::Name& name, const Identifier& part,
                     const std::string& from, const std::string& to, const std::string& signature) {
  if (from == to || options.comments == Comments::Ignore ||
      (options.comments == Comments::CompareDeclared && to.empty())) {
    return;
  }
  add(change::ChangeComment{{kind, name, part, signature}, from, to});
}

Result compare(const schema::Schema& actual, const schema::Schema& expected,
               const Options& options) {
  Passes passes(options);
  Visibility visibility(options, passes.result);
  if (options.objects == Objects::Compare) {
    compare_types(passes, visibility, actual, expected);
  }
  compare_tables(passes, visibility.visible(actual.tables, "table"),
                 visibility.visible(expected.tables, "table"));
  compare_views(passes, visibility.visible(actual.views, "view"),
                visibility.visible(expected.views, "view"));
  if (options.objects == Objects::Compare) {
    compare_objects(passes, visibility, actual, expected);
  }
  return std::move(passes.result);
}

}  // namespace kedge::diff
