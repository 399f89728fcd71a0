// In which order views and routines come where they need one another.
#include <algorithm>
#include <map>
#include <set>

#include "base/graph.h"
#include "base/text.h"
#include "migrate/postgres_emission.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using schema::DefinedObject;
using schema::Name;
using schema::View;

bool says(const std::set<std::string>& words, const Name& name) {
  return words.contains(base::to_lower(name.name.text()));
}
bool holds(const std::vector<Name>& names, const Name& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A routine that names a view in its head goes and comes with it.
void note_with_views(const Emission& e, std::vector<const DefinedObject*>& routines) {
  std::set<std::string> views;
  for (const Change& change : e.changes) {
    if (const auto* gone = std::get_if<change::DropView>(&change)) {
      views.insert(base::to_lower(gone->view.name.name.text()));
    }
  }
  if (views.empty()) {
    return;
  }
  for (const DefinedObject& object : e.to.objects) {
    if (!is_routine(object.kind) ||
        std::any_of(routines.begin(), routines.end(),
                    [&](const DefinedObject* one) { return one->name == object.name; })) {
      continue;
    }
    const std::set<std::string> head = postgres_words(head_of_routine(object.definition));
    if (std::any_of(views.begin(), views.end(),
                    [&](const std::string& view) { return head.contains(view); })) {
      routines.push_back(&object);
    }
  }
}

// Routines that come, go or are made again.
std::vector<const DefinedObject*> moved_routines(const Emission& e) {
  std::vector<const DefinedObject*> routines;
  const auto note = [&](const DefinedObject& object) {
    if (is_routine(object.kind)) {
      routines.push_back(&object);
    }
  };
  for (const Change& change : e.changes) {
    if (const auto* made = std::get_if<change::CreateObject>(&change)) {
      note(made->object);
    } else if (const auto* gone = std::get_if<change::DropObject>(&change)) {
      note(gone->object);
    } else if (const auto* swap = std::get_if<change::ReplaceObject>(&change)) {
      note(swap->after);
    }
  }
  note_with_views(e, routines);
  return routines;
}

void join_views(base::Graph& graph, const std::vector<const View*>& views) {
  std::map<Name, std::size_t> places;
  for (std::size_t i = 0; i < views.size(); ++i) {
    places[views[i]->name] = i;
  }
  for (std::size_t i = 0; i < views.size(); ++i) {
    for (const Name& before : views[i]->depends_on) {
      if (const auto place = places.find(before); place != places.end() && place->second != i) {
        graph.add_edge(place->second, i);
      }
    }
  }
}

void join_routines(base::Graph& graph, const std::vector<const View*>& views,
                   const std::vector<const DefinedObject*>& routines) {
  std::vector<std::set<std::string>> bodies;
  for (const View* view : views) {
    bodies.push_back(postgres_words(view->body));
  }
  for (std::size_t i = 0; i < routines.size(); ++i) {
    const DefinedObject& routine = *routines[i];
    const std::set<std::string> head = postgres_words(head_of_routine(routine.definition));
    for (std::size_t j = 0; j < views.size(); ++j) {
      const Name& view = views[j]->name;
      if (holds(routine.depends_on, view) || (view.name != routine.name.name && says(head, view))) {
        graph.add_edge(j, views.size() + i);
      } else if (says(bodies[j], routine.name)) {
        graph.add_edge(views.size() + i, j);
      }
    }
    for (std::size_t j = 0; j < routines.size(); ++j) {
      if (j != i && holds(routine.depends_on, routines[j]->name)) {
        graph.add_edge(views.size() + j, views.size() + i);
      }
    }
  }
}

}  // namespace

std::set<std::string> postgres_words(const std::string& text) {
  std::set<std::string> words;
  for (const sql::Token& token : sql::tokenize(text, schema::Dialect::Postgres)) {
    const bool quoted = token.kind == sql::TokenKind::QuotedIdentifier;
    if (quoted || token.kind == sql::TokenKind::Identifier) {
      const std::size_t inset = quoted ? 1 : 0;
      words.insert(
          base::to_lower(text.substr(token.begin + inset, token.end - token.begin - 2 * inset)));
    }
  }
  return words;
}

void rank_postgres_routines(Emission& e) {
  const std::vector<const DefinedObject*> routines = moved_routines(e);
  std::vector<const View*> views;
  for (const auto& [name, rank] : e.view_rank) {
    const View* view = find_view(e.to, name);
    views.push_back(view != nullptr ? view : find_view(e.from, name));
  }
  if (routines.empty()) {
    return;
  }
  base::Graph graph(views.size() + routines.size());
  join_views(graph, views);
  join_routines(graph, views, routines);
  std::size_t rank = 1;
  for (const std::size_t node : base::sort_topologically(graph).order) {
    if (node < views.size()) {
      e.view_rank[views[node]->name] = rank++;
    } else {
      e.object_rank[routines[node - views.size()]->name] = rank++;
    }
  }
}

}  // namespace kedge::migrate
