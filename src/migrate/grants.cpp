#include "migrate/grants.h"

#include <algorithm>

#include "dialect/dialect.h"
#include "migrate/emission.h"
#include "sql/analysis.h"

namespace kedge::migrate {

namespace {

// DROP and this word, as words of the statement itself: a name or a text may hold them too.
bool drops(const std::string& sql, std::string_view what) {
  std::string_view last;
  for (const sql::Token& token : sql::tokenize(sql, schema::Dialect::Postgres)) {
    const std::string_view word =
        std::string_view(sql).substr(token.begin, token.end - token.begin);
    if (token.kind == sql::TokenKind::Comment) {
      continue;
    }
    if (last == "DROP" && word == what) {
      return true;
    }
    last = word;
  }
  return false;
}

// A column that is made anew goes beside the other changes of columns, at the latest; one that goes
// for good has its own stage.
bool drops_for_remaking(const PlanStatement& one) {
  const bool remaking = one.stage == stage::kColumn - 1 || one.stage == stage::kColumn;
  return one.stage == stage::kDropView || one.stage == stage::kDropFunctionEarly ||
         (one.stage == stage::kType && drops(one.sql, "TYPE")) ||
         (remaking &&
          (drops(one.sql, "COLUMN") || drops(one.sql, "IDENTITY") || drops(one.sql, "SEQUENCE")));
}

}  // namespace

bool drops_what_may_be_granted(const Plan& plan) {
  return plan.dialect == schema::Dialect::Postgres &&
         std::any_of(plan.up.begin(), plan.up.end(), drops_for_remaking);
}

schema::Schema with_grants(db::Connection& connection, schema::Schema shape) {
  dialect::IntrospectScope scope;
  scope.privileges = true;
  schema::Schema again = dialect::get_dialect(connection.dialect()).introspect(connection, scope);
  for (schema::DefinedObject& object : again.objects) {
    if (object.kind == schema::ObjectKind::Privilege) {
      shape.objects.push_back(std::move(object));
    }
  }
  schema::normalise(shape);
  return shape;
}

}  // namespace kedge::migrate
