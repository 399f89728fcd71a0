// Routines, triggers, events and grants. The definition is put together from the catalog: SHOW
// CREATE would take a statement an object, and it names the definer, who is no part of the shape.
#include "base/text.h"
#include "dialect/mysql/catalog.h"

namespace kedge::dialect::mysql {
namespace {

using schema::ObjectKind;

const Dialect& mysql() {
  return get_dialect(schema::Dialect::Mysql);
}

std::string quote(const std::string& name) {
  return mysql().quote(Identifier(name));
}

using Parameters = std::unordered_map<std::string, std::string>;  // by key(): "(...)"

std::string parameter_text(const RowView& row) {
  const std::string& mode = row.text(3);
  const std::string prefix = row.text(6) == "PROCEDURE" ? mode + " " : "";
  return prefix + quote(row.text(4)) + " " + row.text(5);
}

Parameters read_parameters(db::Connection& connection, const Catalog& catalog) {
  Parameters parameters;
  read_rows(connection,
            "SELECT SPECIFIC_SCHEMA, SPECIFIC_NAME, ORDINAL_POSITION, PARAMETER_MODE, "
            "PARAMETER_NAME, DTD_IDENTIFIER, ROUTINE_TYPE FROM information_schema.PARAMETERS WHERE "
            "ORDINAL_POSITION > 0 AND SPECIFIC_SCHEMA IN (" +
                catalog.schemas +
                ") ORDER BY SPECIFIC_SCHEMA, SPECIFIC_NAME, ROUTINE_TYPE, ORDINAL_POSITION",
            [&](const RowView& row) {
              std::string& text = parameters[Catalog::key(row.text(0), row.text(1) + row.text(6))];
              text += (text.empty() ? "" : ", ") + parameter_text(row);
            });
  return parameters;
}

std::string comment_clause(const std::string& comment) {
  return comment.empty() ? "" : " COMMENT " + mysql().literal(comment);
}

schema::DefinedObject& add(Catalog& catalog, ObjectKind kind, const std::string& space,
                           const std::string& name) {
  schema::DefinedObject& object = catalog.schema.objects.emplace_back();
  object.kind = kind;
  object.name = catalog.name_of(space, name);
  return object;
}

void add_trigger(Catalog& catalog, const RowView& row) {
  schema::DefinedObject& trigger = add(catalog, ObjectKind::Trigger, row.text(1), row.text(2));
  trigger.table = catalog.name_of(row.text(1), row.text(3));
  trigger.definition = "CREATE TRIGGER " + quote(row.text(2)) + " " + row.text(4) + " " +
                       row.text(5) + " ON " + quote(row.text(3)) + " FOR EACH ROW " + row.text(6);
}

void add_event(Catalog& catalog, const RowView& row) {
  schema::DefinedObject& event = add(catalog, ObjectKind::Event, row.text(1), row.text(2));
  std::string schedule = row.text(3).empty() ? "EVERY " + row.text(4) + " " + row.text(5)
                                             : "AT " + mysql().literal(row.text(3));
  const std::vector<std::string> bounds = split_list(row.text(7));
  for (const std::string& bound : bounds) {
    const auto [word, time] = split_option(bound);
    schedule += " " + word + " " + mysql().literal(time);
  }
  const std::vector<std::string> facts = base::split(row.text(8), kListSeparator);
  const std::string status = facts.at(0) == "ENABLED" ? "ENABLE" : "DISABLE";
  event.definition = "CREATE EVENT " + quote(row.text(2)) + " ON SCHEDULE " + schedule +
                     " ON COMPLETION " + facts.at(1) + " " + status + comment_clause(facts.at(2)) +
                     " DO " + row.text(6);
}

}  // namespace

void read_routines(db::Connection& connection, Catalog& catalog) {
  const Parameters parameters = read_parameters(connection, catalog);
  read_rows(
      connection,
      "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, DTD_IDENTIFIER, ROUTINE_DEFINITION, "
      "IS_DETERMINISTIC, SQL_DATA_ACCESS, SECURITY_TYPE, ROUTINE_COMMENT FROM "
      "information_schema.ROUTINES WHERE ROUTINE_SCHEMA IN (" +
          catalog.schemas + ")",
      [&](const RowView& row) {
        const bool is_function = row.text(2) == "FUNCTION";
        if (!is_function && row.text(2) != "PROCEDURE") {
          catalog.schema.unmodelled.push_back(
              {base::to_lower(row.text(2)), catalog.name_of(row.text(0), row.text(1))});
          return;
        }
        schema::DefinedObject& routine =
            add(catalog, is_function ? ObjectKind::Function : ObjectKind::Procedure, row.text(0),
                row.text(1));
        const auto found = parameters.find(Catalog::key(row.text(0), row.text(1) + row.text(2)));
        routine.signature = "(" + (found == parameters.end() ? "" : found->second) + ")";
        routine.definition = "CREATE " + row.text(2) + " " + quote(row.text(1)) +
                             routine.signature + (is_function ? " RETURNS " + row.text(3) : "") +
                             (row.text(5) == "YES" ? " DETERMINISTIC" : "") +
                             (row.text(6) == "CONTAINS SQL" ? "" : " " + row.text(6)) +
                             (row.text(7) == "INVOKER" ? " SQL SECURITY INVOKER" : "") +
                             comment_clause(row.text(8)) + " " + row.text(4);
      });
}

void read_triggers_and_events(db::Connection& connection, Catalog& catalog) {
  const std::string list = catalog.schemas;
  read_rows(connection,
            "SELECT 'trigger', TRIGGER_SCHEMA, TRIGGER_NAME, EVENT_OBJECT_TABLE, ACTION_TIMING, "
            "EVENT_MANIPULATION, ACTION_STATEMENT, NULL, NULL FROM information_schema.TRIGGERS "
            "WHERE TRIGGER_SCHEMA IN (" +
                list +
                ") UNION ALL SELECT 'event', EVENT_SCHEMA, EVENT_NAME, CAST(EXECUTE_AT AS CHAR), "
                "CAST(INTERVAL_VALUE AS CHAR), INTERVAL_FIELD, EVENT_DEFINITION, CONCAT_WS(CHAR(31 "
                "USING utf8mb4), CONCAT('STARTS=', STARTS), CONCAT('ENDS=', ENDS)), "
                "CONCAT_WS(CHAR(31 USING utf8mb4), STATUS, ON_COMPLETION, EVENT_COMMENT) FROM "
                "information_schema.EVENTS WHERE EVENT_SCHEMA IN (" +
                list + ")",
            [&](const RowView& row) {
              if (row.text(0) == "event") {
                add_event(catalog, row);
              } else if (catalog.find(row.text(1), row.text(3)) != nullptr) {
                add_trigger(catalog, row);
              }
            });
}

void read_privileges(db::Connection& connection, Catalog& catalog) {
  read_rows(connection,
            "SELECT TABLE_SCHEMA, TABLE_NAME, GRANTEE, IS_GRANTABLE, GROUP_CONCAT(PRIVILEGE_TYPE "
            "ORDER BY PRIVILEGE_TYPE SEPARATOR ', ') FROM information_schema.TABLE_PRIVILEGES "
            "WHERE TABLE_SCHEMA IN (" +
                catalog.schemas + ") GROUP BY TABLE_SCHEMA, TABLE_NAME, GRANTEE, IS_GRANTABLE",
            [&](const RowView& row) {
              schema::DefinedObject& grant =
                  add(catalog, ObjectKind::Privilege, row.text(0), row.text(1));
              grant.table = grant.name;
              grant.signature = row.text(2);
              grant.definition = "GRANT " + row.text(4) + " ON TABLE " +
                                 quote_name(mysql(), grant.name) + " TO " + row.text(2) +
                                 (row.text(3) == "YES" ? " WITH GRANT OPTION" : "");
            });
}

}  // namespace kedge::dialect::mysql
