#include "migrate/grants.h"

#include <algorithm>

#include "dialect/dialect.h"
#include "migrate/emission.h"

namespace kedge::migrate {

bool drops_what_may_be_granted(const Plan& plan) {
  return plan.dialect == schema::Dialect::Postgres &&
         std::any_of(plan.up.begin(), plan.up.end(), [](const PlanStatement& one) {
           return one.remakes || one.stage == stage::kDropView ||
                  one.stage == stage::kDropFunctionEarly;
         });
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
