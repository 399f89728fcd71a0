#include "app/impact.h"

#include <algorithm>

#include "app/connections.h"
#include "app/diff.h"
#include "app/impact_places.h"
#include "app/metadata_model.h"
#include "app/source.h"
#include "dialect/dialect.h"
#include "dialect/known_types.h"
#include "kedge/codes.h"
#include "kedge/diff.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

std::string only_database(const Context& context) {
  const project::ConnectionsLoad loaded = project::load_connections(
      context.files, context.environment, context.folder, project::UnsetOptions::Note);
  std::vector<std::string> databases;
  for (const project::Connection& connection : loaded.connections.connections) {
    if (connection.is_database()) {
      databases.push_back(connection.name);
    }
  }
  if (databases.size() == 1) {
    return databases.front();
  }
  throw Error(codes::ERR_USAGE, "which database does the change happen in?",
              "give --db, or set migrate.target in project.yml");
}

std::string connection_of(const Context& context, const ImpactRequest& request) {
  if (!request.connection.empty()) {
    return request.connection;
  }
  const MetadataModel loaded = load_metadata_model(context);
  const std::optional<project::Text>& target = loaded.project.migrate.target;
  return target ? target->text : only_database(context);
}

std::pair<std::string, std::string> split_assignment(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) {
    throw Error(codes::ERR_USAGE, "'" + text + "' has no value", "write table.column=value");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// No table has two columns of one name; one that a step before takes away leaves its name free.
void require_free(const schema::Schema& before, const schema::Name& table, const std::string& name,
                  const std::vector<Step>& steps) {
  const schema::Table* found = schema::find_table(before, table);
  const bool is_taken =
      found != nullptr && std::any_of(found->columns.begin(), found->columns.end(),
                                      [&](const auto& one) { return one.name.text() == name; });
  const bool is_left = std::any_of(steps.begin(), steps.end(), [&](const Step& step) {
    const auto* drop = std::get_if<DropColumn>(&step);
    const auto* rename = std::get_if<RenameColumn>(&step);
    return (drop != nullptr && drop->table == table && drop->column.text() == name) ||
           (rename != nullptr && rename->table == table && rename->from.text() == name);
  });
  if (is_taken && !is_left) {
    throw Error(codes::ERR_USAGE,
                "table '" + schema::to_string(table) + "' has a column '" + name + "' already");
  }
}

// What no database could be told cannot be judged.
void require_type(const schema::Schema& before, const std::string& type) {
  if (const std::optional<std::string> unknown = dialect::find_unknown_type(before, type)) {
    throw Error(codes::ERR_USAGE,
                (before.engine.product.empty() ? "the database" : before.engine.product) +
                    " has no type '" + *unknown + "'",
                "write the type as the database spells it");
  }
}

std::vector<Step> steps_of(const schema::Schema& before, const ImpactRequest& request) {
  std::vector<Step> steps;
  for (const std::string& text : request.drop_columns) {
    steps.emplace_back(parse_column(before, text));
  }
  for (const std::string& text : request.drop_tables) {
    steps.emplace_back(DropTable{parse_relation(before, text)});
  }
  for (const std::string& text : request.renames) {
    const auto [column, name] = split_assignment(text);
    const DropColumn parsed = parse_column(before, column);
    require_free(before, parsed.table, name, steps);
    steps.emplace_back(RenameColumn{parsed.table, parsed.column, Identifier(name)});
  }
  for (const std::string& text : request.retypes) {
    const auto [column, type] = split_assignment(text);
    const DropColumn parsed = parse_column(before, column);
    require_type(before, type);
    steps.emplace_back(RetypeColumn{parsed.table, parsed.column, type});
  }
  return steps;
}

// A declared timestamp is TEXT once sqlite holds it: readers see what the engine has.
schema::Schema as_held(schema::Schema shape, schema::Dialect id) {
  const dialect::Dialect& dialect = dialect::get_dialect(id);
  for (schema::Table& table : shape.tables) {
    for (schema::Column& column : table.columns) {
      column.type = dialect.parse_type(dialect.type_name(column.type));
    }
  }
  for (schema::View& view : shape.views) {
    for (schema::ViewColumn& column : view.columns) {
      if (column.type.kind != schema::TypeKind::Unknown) {
        column.type = dialect.parse_type(dialect.type_name(column.type));
      }
    }
  }
  return shape;
}

const schema::ViewColumn* find_column(const schema::View& view, const Identifier& name) {
  const auto found = std::find_if(view.columns.begin(), view.columns.end(),
                                  [&](const schema::ViewColumn& one) { return one.name == name; });
  return found == view.columns.end() ? nullptr : &*found;
}

// Whatever describes the wanted shape, it is the same database that comes to look so: a name
// without a schema means there what it meant before.
void stands_in(const schema::Schema& before, schema::Schema& after) {
  after.engine = before.engine;
  after.default_schema = before.default_schema;
}

// Views that the other side still has were made again there. A description says what their columns
// are to be; what an engine makes of a column that stays follows from the tables.
void settle_views(ShapeChange& change) {
  Simulation simulation = simulate(change.before, change.steps);
  for (schema::View& view : change.after.views) {
    const schema::View* before = schema::find_view(change.before, view.name);
    const schema::View* after = schema::find_view(simulation.after, view.name);
    for (schema::ViewColumn& column : view.columns) {
      const schema::ViewColumn* was = before ? find_column(*before, column.name) : nullptr;
      const schema::ViewColumn* now = after ? find_column(*after, column.name) : nullptr;
      if (now != nullptr || (was != nullptr && was->type.kind == schema::TypeKind::Unknown)) {
        column.type = now != nullptr ? now->type : was->type;
      }
    }
  }
  change.broken_views = std::move(simulation.broken);
  std::erase_if(change.broken_views, [&](const BrokenView& broken) {
    return schema::find_view(change.after, broken.view) != nullptr;
  });
}

// One question a time: steps, the other side, or what is pending.
void refuse_mixture(const ImpactRequest& request) {
  const bool steps = !request.drop_columns.empty() || !request.drop_tables.empty() ||
                     !request.renames.empty() || !request.retypes.empty();
  if (static_cast<int>(steps) + static_cast<int>(request.to.has_value()) +
          static_cast<int>(request.pending) >
      1) {
    throw Error(codes::ERR_USAGE,
                "a change is given as steps (--drop-column, --drop-table, --rename, --retype), as "
                "--to, or as --pending",
                "ask for one of them at a time");
  }
}

ShapeChange from_sources(Context& context, const ImpactRequest& request,
                         const std::string& connection, const std::string& to,
                         ImpactResult& result) {
  DiffRequest diff_request;
  diff_request.from = request.from.value_or(connection);
  diff_request.to = to;
  const ShapeDiff compared = compare_sources(context, diff_request);
  std::vector<Change> changes;
  for (const migrate::PlannedChange& planned : compared.plan.changes) {
    changes.push_back(planned.change);
    result.changes.push_back(describe(planned.change));
  }
  SourceOptions options;
  options.dialect = compared.dialect;
  ShapeChange change;
  change.connection = connection;
  change.before = load_source(context, diff_request.from, options).schema;
  change.steps = steps_between(change.before, changes);
  const Source after = load_source(context, to, options);
  change.after = keep_unchanged(
      change.before, after.is_declared ? as_held(after.schema, compared.dialect) : after.schema,
      changes);
  stands_in(change.before, change.after);
  settle_views(change);
  return change;
}

ShapeChange from_steps(Context& context, const ImpactRequest& request,
                       const std::string& connection, ImpactResult& result) {
  ShapeChange change;
  change.connection = connection;
  change.before = load_source(context, request.from.value_or(connection), {}).schema;
  change.steps = steps_of(change.before, request);
  if (change.steps.empty()) {
    throw Error(codes::ERR_USAGE, "there is no change to look at",
                "give --drop-column, --drop-table, --rename, --retype, --pending, or --to SRC");
  }
  for (const Step& step : change.steps) {
    result.changes.push_back(step_text(step));
  }
  Simulation simulation = simulate(change.before, change.steps);
  change.after = std::move(simulation.after);
  change.broken_views = std::move(simulation.broken);
  return change;
}

void views_impact(const ShapeChange& change, ImpactResult& result) {
  for (const BrokenView& broken : change.broken_views) {
    Impact impact;
    impact.part = "database";
    impact.message = "view '" + to_string(broken.view) + "' reads " + to_string(broken.because) +
                     (broken.column.empty() ? "" : "." + broken.column.text());
    impact.subject = {"view", change.connection, "", to_string(broken.view)};
    for (std::size_t i = 0; i < result.impacts.size(); ++i) {
      if (result.impacts[i].subject.name == to_string(broken.because)) {
        impact.cause = i;
      }
    }
    result.impacts.push_back(std::move(impact));
  }
}

}  // namespace

std::string to_string(Effect effect) {
  switch (effect) {
    case Effect::Breaks:
      return "breaks";
    case Effect::Changes:
      return "changes";
    case Effect::Safe:
      return "safe";
  }
  return "breaks";
}

bool ImpactResult::breaks() const {
  return std::any_of(impacts.begin(), impacts.end(),
                     [](const Impact& impact) { return impact.effect == Effect::Breaks; });
}

std::vector<Step> steps_between(const schema::Schema& before, const std::vector<Change>& changes) {
  std::vector<Step> steps;
  for (const Change& change : changes) {
    if (const auto* column = std::get_if<change::DropColumn>(&change)) {
      steps.emplace_back(DropColumn{column->table, column->part.name});
    } else if (const auto* table = std::get_if<change::DropTable>(&change)) {
      steps.emplace_back(DropTable{table->object.name});
    } else if (const auto* view = std::get_if<change::DropView>(&change)) {
      steps.emplace_back(DropTable{view->view.name});
    } else if (const auto* rename = std::get_if<change::RenameColumn>(&change)) {
      steps.emplace_back(RenameColumn{rename->table, rename->from, rename->to});
    } else if (const auto* type = std::get_if<change::ChangeColumnType>(&change)) {
      const schema::Type& after = type->after.type;
      steps.emplace_back(RetypeColumn{type->table, type->before.name,
                                      after.native.empty() ? to_string(after) : after.native});
    }
  }
  std::erase_if(steps, [&](const Step& step) {
    const auto* drop = std::get_if<DropTable>(&step);
    return drop != nullptr && schema::find_table(before, drop->table) == nullptr &&
           schema::find_view(before, drop->table) == nullptr;
  });
  return steps;
}

namespace {

std::string name_of_target(const Context& context, const std::string& target) {
  const std::vector<std::string> names = names_of_target(context, target);
  return names.empty() ? db::redact_url(target) : names.front();
}

void judge_parts(Context& context, const ShapeChange& change, const std::string& target,
                 ImpactResult& result) {
  views_impact(change, result);
  const auto judge = [&](const auto& part, const ShapeChange& seen) {
    try {
      part(context, seen, result);
    } catch (const Error& error) {
      result.failures.push_back(error.problem());
    }
  };
  std::vector<std::string> names = names_of_target(context, target);
  if (names.empty()) {
    names.push_back(change.connection);
  }
  const std::optional<std::string> described = metadata_name(context, target, names);
  for (const std::string& name : names) {
    const ShapeChange seen = seen_through(context, target, change, name);
    judge(models_impact, seen);
    judge(contracts_impact, seen);
    if (name == described) {
      judge(metadata_impact, seen);
    }
  }
  std::vector<Problem> once;
  for (Problem& failure : result.failures) {
    const bool said = std::any_of(once.begin(), once.end(), [&](const Problem& problem) {
      return problem.code == failure.code && problem.message == failure.message &&
             problem.where == failure.where;
    });
    if (!said) {
      once.push_back(std::move(failure));
    }
  }
  result.failures = std::move(once);
}

}  // namespace

ImpactResult find_planned_impact(Context& context, const PlannedImpact& planned) {
  ImpactResult result;
  result.connection = name_of_target(context, planned.target);
  ShapeChange change;
  change.connection = result.connection;
  change.before = planned.before;
  change.after = keep_unchanged(
      change.before, as_held(planned.after, planned.before.engine.dialect), planned.changes);
  stands_in(change.before, change.after);
  change.offline = planned.offline;
  for (const Change& each : planned.changes) {
    result.changes.push_back(describe(each));
  }
  change.steps = steps_between(change.before, planned.changes);
  settle_views(change);
  judge_parts(context, change, planned.target, result);
  try {
    stale_code_impact(context, result);
  } catch (const Error& error) {
    result.failures.push_back(error.problem());
  }
  return result;
}

ImpactResult find_impact(Context& asked, const ImpactRequest& request) {
  dialect::Catalogs catalogs(dialect::Detail::Definitions);
  Context context = asked;
  context.catalogs = &catalogs;
  refuse_mixture(request);
  ImpactResult result;
  const std::string target = connection_of(context, request);
  ShapeChange change =
      request.pending || request.to
          ? from_sources(context, request, target, request.to.value_or("metadata:"), result)
          : from_steps(context, request, target, result);
  result.connection = name_of_target(context, target);
  change.connection = result.connection;
  judge_parts(context, change, target, result);
  return result;
}

}  // namespace kedge::app
