#include "base/text.h"
#include "migrate/postgres_emission.h"

namespace kedge::migrate {

void emit_postgres(Emission& e) {
  PostgresPlanParts parts;
  rank_postgres_routines(e);
  emit_postgres_types(e, parts);
  emit_postgres_tables(e, parts);
  emit_postgres_typed_tables(e);
  emit_postgres_users(e, parts);
  emit_postgres_rules(e, parts);
  const std::set<schema::Name> aside = emit_views(e, parts.touched);
  emit_postgres_objects(e, aside, parts);
  emit_postgres_helpers(e, parts);
  e.draft.edit(written_membership);
}

}  // namespace kedge::migrate
