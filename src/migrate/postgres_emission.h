// The postgres emitter in parts: tables and their parts, types, objects by definition.
#pragma once

#include "migrate/emission.h"

namespace kedge::migrate {

// What a change of one column takes with it and must be put back: views read it, indexes and
// checks mention it, a dropped and added column loses its constraints.
struct PostgresPlanParts {
  using Parts = std::set<std::pair<schema::Name, Identifier>>;
  std::vector<Touched> touched;    // tables and columns whose views step aside
  std::set<schema::Name> helpers;  // functions that conversions call while the plan runs
  std::set<schema::Name> remade_types;
  // What has its statement that puts it back: two reasons to step aside are one return.
  Parts indexes_back;
  Parts constraints_back;
};
// "USING ..." of a type change, with a leading blank; empty where an assignment cast does it.
std::string using_clause(const Emission& emission, PostgresPlanParts& parts,
                         const change::ChangeColumnType& change);
// The helpers stand in the schema of the table, not in pg_temp: hardened servers refuse that.
void emit_postgres_helpers(Emission& emission, const PostgresPlanParts& parts);
void emit_postgres_tables(Emission& emission, PostgresPlanParts& parts);
// CREATE TABLE ... OF type: such a table follows its type and takes no change of its own.
void emit_postgres_typed_tables(Emission& emission);
void emit_postgres_types(Emission& emission, PostgresPlanParts& parts);
bool is_routine(schema::ObjectKind kind);
// Whether a routine cannot be replaced in place and is dropped and made again.
bool is_remade(const schema::DefinedObject& before, const schema::DefinedObject& after);
// What uses a routine that is remade steps aside: views, defaults, checks, indexes.
void emit_postgres_users(Emission& emission, PostgresPlanParts& parts);
// Views and the routines that speak of tables and views, in one order: fills view_rank and
// object_rank. A routine may return rows of a view, a view may read from a routine.
void rank_postgres_routines(Emission& emission);
// The names in a text, in lower case, quoted or plain.
std::set<std::string> postgres_words(const std::string& text);
// Everything before LANGUAGE: name, arguments, result. Another head cannot be replaced in place.
std::string head_of_routine(const std::string& definition);
// Does it go while a routine of the same name, with other parameters, is there afterwards? What
// calls it by that name then calls the other one.
bool has_successor(const Emission& emission, const schema::DefinedObject& routine);
// Takes or gives values of a type that is made anew: it hangs on the old one until it is dropped.
bool is_of_remade_type(const schema::DefinedObject& routine, const PostgresPlanParts& parts);
void emit_postgres_objects(Emission& emission, const std::set<schema::Name>& views_aside,
                           const PostgresPlanParts& parts);
// Checks and indexes with expressions over columns that change their types step aside; after the
// tables, which put back what a column that is made anew took along.
void emit_postgres_rules(Emission& emission, PostgresPlanParts& parts);
// `(x)::text = ANY ((ARRAY[...])::text[])` written again as `x IN (...)`: the server makes another
// expression of its own text, and would show it differently for ever.
std::string written_membership(const std::string& sql);
// What was granted on a routine or type that is made anew, given again. Overloads of one name share
// it: giving twice is giving once.
void grants_back(Emission& emission, const schema::Name& name, std::optional<std::size_t> change);
std::string comment_sql(const Emission& emission, const change::CommentTarget& target,
                        const std::string& text);
// The options of a sequence that is made, or those that change.
std::string sequence_options(const schema::Sequence& is, const schema::Sequence* was);
// The sequence of that name as a serial column owns it.
std::optional<schema::Sequence> serial_of(const schema::Schema& schema,
                                          const schema::Name& sequence);
// A column's own sequence, quoted: in the schema of its table.
std::string sequence_name(const Emission& emission, const schema::Name& table,
                          const schema::Column& column);

}  // namespace kedge::migrate
