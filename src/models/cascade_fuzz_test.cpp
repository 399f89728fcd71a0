// The cascade against a naive reference: random projects whose references are known as data, random
// changes of the database. The reference knows no SQL and no graph: it repeats the rules of
// models.md 9 over all items until nothing changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "models/apply.h"
#include "models/test_support.h"

namespace kedge::models {
namespace {

using test::Project;
using test::shown;

struct Reference {
  std::vector<std::string> hops;
  std::string leaf;
  enum class Leaf { Column, Measure, Physical, None } kind = Leaf::Column;
  std::string aggregation;  // custom
};

struct Item {
  std::string name;
  std::vector<Reference> references;
  std::string text;
};

struct RandomColumn {
  std::string name;
  std::string physical;  // empty: derived
  bool key = false;
  Item item;
};

struct RandomJoin {
  std::string hop;
  std::string target;
  std::string local;
  std::string remote;
};

struct RandomModel {
  std::string name;
  bool queries = false;
  std::string root;  // of the one stage
  std::vector<Item> stage;
  std::vector<RandomColumn> columns;
  std::vector<Item> measures;
  std::vector<Item> aggregations;
  std::vector<RandomJoin> joins;
  std::vector<Item> filters;
  std::set<std::string> live;
  bool table_gone = false;
  std::set<std::string> retyped;
};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::map<std::string, RandomModel> generate() {
    const int count = 2 + pick(7);
    for (int number = 0; number < count; ++number) {
      RandomModel model;
      model.name = "m" + std::to_string(number);
      model.queries = number > 0 && pick(5) == 0;
      names_.push_back(model.name);
      if (model.queries) {
        add_stage(model);
      } else {
        add_table(model, number);
      }
      models_[model.name] = model;
    }
    for (auto& [name, model] : models_) {
      damage(model);
    }
    return models_;
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

  void add_table(RandomModel& model, int number) {
    const int columns = 2 + pick(5);
    for (int column = 0; column < columns; ++column) {
      RandomColumn base;
      base.physical = "p" + std::to_string(column);
      base.name = pick(2) == 0 ? base.physical : "c" + std::to_string(column);
      base.key = pick(4) == 0;
      base.item.name = base.name;
      model.live.insert(base.physical);
      model.columns.push_back(base);
    }
    model.live.insert("undeclared");
    const int joins = number == 0 ? 0 : pick(3);
    for (int join = 0; join < joins; ++join) {
      add_join(model, join);
    }
    for (int derived = pick(4); derived > 0; --derived) {
      RandomColumn column;
      column.name = "d" + std::to_string(derived);
      column.key = pick(8) == 0;
      column.item = sql_item(model, column.name);
      model.columns.insert(model.columns.begin() + pick(2) * static_cast<int>(model.columns.size()),
                           column);
    }
    for (int aggregation = pick(3); aggregation > 0; --aggregation) {
      Item item = sql_item(model, "agg" + std::to_string(aggregation));
      item.text = "SUM({value}) + MAX(" + item.text + ")";
      model.aggregations.push_back(item);
    }
    for (int measure = pick(4); measure > 0; --measure) {
      model.measures.push_back(formula_item(model, "q" + std::to_string(measure)));
    }
    for (int filter = pick(3); filter > 0; --filter) {
      Item item = sql_item(model, "");
      item.text = item.text + " > " + std::to_string(filter);
      item.name = item.text;
      model.filters.push_back(item);
    }
  }

  // Joins lead to earlier models only, sometimes to none.
  void add_join(RandomModel& model, int number) {
    RandomJoin join;
    join.hop = "h" + std::to_string(number);
    join.target = pick(8) == 0
                      ? "nowhere"
                      : names_[static_cast<std::size_t>(pick(static_cast<int>(names_.size()) - 1))];
    join.local = pick(3) == 0 ? std::string("undeclared") : any_column(model);
    const auto target = models_.find(join.target);
    join.remote = "undeclared";
    if (target != models_.end() && target->second.queries) {
      join.remote = "o0";
    } else if (target != models_.end() && pick(3) != 0) {
      join.remote = any_column(target->second);
    }
    model.joins.push_back(join);
  }

  std::string any_column(const RandomModel& model) {
    return model.columns[static_cast<std::size_t>(pick(static_cast<int>(model.columns.size())))]
        .name;
  }

  const RandomModel* walk(const RandomModel& from, Reference& reference) {
    const RandomModel* at = &from;
    while (!at->joins.empty() && pick(2) == 0) {
      const RandomJoin& join =
          at->joins[static_cast<std::size_t>(pick(static_cast<int>(at->joins.size())))];
      reference.hops.push_back(join.hop);
      const auto target = models_.find(join.target);
      if (target == models_.end()) {
        return nullptr;
      }
      at = &target->second;
    }
    return at;
  }

  Reference column_reference(const RandomModel& model) {
    Reference reference;
    const RandomModel* end = walk(model, reference);
    if (!end || end->queries) {
      reference.leaf = end ? "o0" : "x";
      reference.kind = Reference::Leaf::None;
      return reference;
    }
    const RandomColumn& column =
        end->columns[static_cast<std::size_t>(pick(static_cast<int>(end->columns.size())))];
    reference.leaf = column.name;
    return reference;
  }

  Item sql_item(const RandomModel& model, const std::string& name) {
    Item item;
    item.name = name;
    for (int count = 1 + pick(2); count > 0; --count) {
      Reference reference = column_reference(model);
      if (reference.hops.empty() && pick(4) == 0) {
        for (const RandomColumn& column : model.columns) {
          if (column.name == reference.leaf && !column.physical.empty() &&
              column.physical != column.name) {
            reference.kind = Reference::Leaf::Physical;
            reference.leaf = column.physical;
          }
        }
      }
      std::string qualifier;
      for (const std::string& hop : reference.hops) {
        qualifier += (qualifier.empty() ? "" : "__") + hop;
      }
      item.text += (item.text.empty() ? "" : " + ") +
                   (qualifier.empty() ? reference.leaf : qualifier + "." + reference.leaf);
      item.references.push_back(reference);
    }
    item.text += " + 0";
    return item;
  }

  static std::string dotted(const Reference& reference) {
    std::string text;
    for (const std::string& hop : reference.hops) {
      text += hop + ".";
    }
    return text + reference.leaf;
  }

  Item formula_item(const RandomModel& model, const std::string& name) {
    Item item;
    item.name = name;
    for (int count = 1 + pick(2); count > 0; --count) {
      Reference reference = column_reference(model);
      std::string text;
      if (!model.measures.empty() && pick(3) == 0) {
        reference = {};
        reference.kind = Reference::Leaf::Measure;
        reference.leaf = model.measures.back().name;
        text = reference.leaf;
      } else {
        text = dotted(reference) + ":sum";
        if (reference.hops.empty() && !model.aggregations.empty() && pick(3) == 0) {
          reference.aggregation = model.aggregations.front().name;
          text = dotted(reference) + ":" + reference.aggregation;
        }
      }
      item.text += (item.text.empty() ? "" : " + ") + text;
      item.references.push_back(reference);
    }
    return item;
  }

  void add_stage(RandomModel& model) {
    model.root = names_[static_cast<std::size_t>(pick(static_cast<int>(names_.size()) - 1))];
    const RandomModel& root = models_[model.root];
    Item item;
    if (root.queries) {
      Reference reference;
      reference.kind = Reference::Leaf::None;
      item.text = "o0:sum";
    } else {
      item = formula_item(root, "o0");
    }
    item.name = "o0";
    model.stage.push_back(item);
  }

  void damage(RandomModel& model) {
    if (model.queries) {
      return;
    }
    model.table_gone = pick(8) == 0;
    for (const RandomColumn& column : model.columns) {
      if (!column.physical.empty() && pick(6) == 0) {
        if (pick(3) == 0) {
          model.retyped.insert(column.physical);
        } else {
          model.live.erase(column.physical);
        }
      }
    }
    if (pick(6) == 0) {
      model.live.erase("undeclared");
    }
  }

  std::mt19937 random_;
  std::vector<std::string> names_;
  std::map<std::string, RandomModel> models_;
};

// The rules as they are written, over and over.
class Naive {
 public:
  explicit Naive(const std::map<std::string, RandomModel>& models) : models_(models) {
    for (bool changed = true; changed;) {
      const std::size_t before = dead_.size();
      for (const auto& [name, model] : models_) {
        judge(model);
      }
      changed = dead_.size() != before;
    }
  }

  // "model kind:name" of everything that is dropped and would be listed.
  std::set<std::string> listed() const {
    std::set<std::string> list;
    for (const std::string& key : dead_) {
      const std::string model = key.substr(0, key.find(' '));
      const bool whole = dead_.contains(model + " model:" + model);
      const bool is_whole = key == model + " model:" + model;
      if (is_whole || (!whole && !models_.at(model).queries)) {
        list.insert(key);
      }
    }
    return list;
  }

 private:
  bool gone(const std::string& model) const { return dead_.contains(model + " model:" + model); }
  bool direct(const RandomModel& model, const RandomColumn& column) const {
    return !column.physical.empty() &&
           (!model.live.contains(column.physical) || model.retyped.contains(column.physical));
  }

  bool dead(const RandomModel& from, const Reference& reference) const {
    const RandomModel* at = &from;
    for (const std::string& hop : reference.hops) {
      const auto join = std::find_if(at->joins.begin(), at->joins.end(),
                                     [&](const RandomJoin& known) { return known.hop == hop; });
      if (dead_.contains(at->name + " join:" + hop)) {
        return true;
      }
      const auto target = models_.find(join->target);
      if (target == models_.end() || gone(join->target)) {
        return true;
      }
      at = &target->second;
    }
    if (!reference.aggregation.empty() &&
        dead_.contains(at->name + " aggregation:" + reference.aggregation)) {
      return true;
    }
    if (reference.kind == Reference::Leaf::Measure) {
      return dead_.contains(at->name + " measure:" + reference.leaf);
    }
    for (const RandomColumn& column : at->columns) {
      if (column.key) {
        continue;
      }
      if (reference.kind == Reference::Leaf::Column && column.name == reference.leaf &&
          dead_.contains(at->name + " column:" + column.name)) {
        return true;
      }
      if (reference.kind == Reference::Leaf::Physical && column.physical == reference.leaf &&
          direct(*at, column)) {
        return true;
      }
    }
    return false;
  }

  bool any_dead(const RandomModel& model, const Item& item) const {
    return std::any_of(item.references.begin(), item.references.end(),
                       [&](const Reference& reference) { return dead(model, reference); });
  }

  bool key_dead(const RandomModel& model, const std::string& key) const {
    if (model.queries) {
      return false;
    }
    const bool declared =
        std::any_of(model.columns.begin(), model.columns.end(),
                    [&](const RandomColumn& column) { return column.name == key; });
    return declared ? dead_.contains(model.name + " column:" + key)
                    : !model.table_gone && !model.live.contains(key);
  }

  void judge(const RandomModel& model) {
    if (model.table_gone) {
      dead_.insert(model.name + " model:" + model.name);
    }
    for (const Item& item : model.stage) {
      if (gone(model.root) || any_dead(models_.at(model.root), item)) {
        dead_.insert(model.name + " model:" + model.name);
      }
    }
    for (const RandomColumn& column : model.columns) {
      if ((!model.table_gone && direct(model, column)) || any_dead(model, column.item)) {
        dead_.insert(model.name + " column:" + column.name);
      }
    }
    judge_items(model, model.measures, "measure");
    judge_items(model, model.aggregations, "aggregation");
    judge_items(model, model.filters, "filter");
    for (const RandomJoin& join : model.joins) {
      const auto target = models_.find(join.target);
      if (key_dead(model, join.local) || target == models_.end() || gone(join.target) ||
          key_dead(target->second, join.remote)) {
        dead_.insert(model.name + " join:" + join.hop);
      }
    }
  }

  void judge_items(const RandomModel& model, const std::vector<Item>& items,
                   const std::string& kind) {
    for (const Item& item : items) {
      if (any_dead(model, item)) {
        dead_.insert(model.name + " " + kind + ":" + item.name);
      }
    }
  }

  const std::map<std::string, RandomModel>& models_;
  std::set<std::string> dead_;
};

std::string yaml_of(const RandomModel& model) {
  if (model.queries) {
    return "source_queries:\n  - source_model: " + model.root +
           "\n    measures:\n      - {name: o0, formula: \"" + model.stage.front().text + "\"}\n";
  }
  std::string text = "sql_table: " + model.name + "\ncolumns:\n";
  for (const RandomColumn& column : model.columns) {
    text += "  - {name: " + column.name + ", type: INT";
    if (column.physical.empty()) {
      text += ", sql: \"" + column.item.text + "\"";
    } else if (column.physical != column.name) {
      text += ", sql: " + column.physical;
    }
    text += std::string(column.key ? ", primary_key: true" : "") + "}\n";
  }
  const auto list = [&](const std::string& key, const std::vector<Item>& items) {
    text += items.empty() ? "" : key + ":\n";
    for (const Item& item : items) {
      text += key == "filters" ? "  - \"" + item.text + "\"\n"
                               : "  - {name: " + item.name + ", formula: \"" + item.text + "\"}\n";
    }
  };
  list("measures", model.measures);
  list("aggregations", model.aggregations);
  list("filters", model.filters);
  text += model.joins.empty() ? "" : "joins:\n";
  for (const RandomJoin& join : model.joins) {
    text += "  - {target_model: " + join.target + ", name: " + join.hop + ", join_pairs: [[" +
            join.local + ", " + join.remote + "]]}\n";
  }
  return text;
}

Project project_of(const std::map<std::string, RandomModel>& models) {
  Project project;
  for (const auto& [name, model] : models) {
    project.model(name, yaml_of(model));
    if (model.queries) {
      continue;
    }
    if (model.table_gone) {
      project.missing(name);
      continue;
    }
    std::string columns;
    for (const std::string& column : model.live) {
      columns += column + (model.retyped.contains(column) ? ":string " : ":number ");
    }
    project.table(name, columns);
  }
  return project;
}

std::set<std::string> listed(const std::vector<ToDeleteEntry>& entries) {
  std::set<std::string> list;
  for (const ToDeleteEntry& entry : entries) {
    for (const DeleteReason& reason : reasons(entry)) {
      list.insert(model_name(entry) + " " + reason.target);
    }
  }
  return list;
}

// Applies entries to the texts of a project.
void apply_drops(Project& project, const std::vector<ToDeleteEntry>& entries) {
  for (const ToDeleteEntry& entry : entries) {
    const ModelId id{data_source(entry), model_name(entry)};
    if (const auto* edit = std::get_if<EditModelDelete>(&entry)) {
      project.texts[id] = edit_model_text("models/main/" + id.second + ".yml", project.texts[id],
                                          *edit, project.dialect);
    } else {
      project.texts.erase(id);
      project.live["main"].models.erase(id.second);
    }
  }
}

// KEDGE_CASCADE_ROUNDS asks for the long form.
unsigned rounds() {
  const char* wanted = std::getenv("KEDGE_CASCADE_ROUNDS");
  return wanted == nullptr ? 600U : static_cast<unsigned>(std::strtoul(wanted, nullptr, 10));
}

TEST(CascadeFuzz, EqualsTheNaiveReference) {
  for (unsigned seed = 1; seed <= rounds(); ++seed) {
    const auto models = Generator(seed).generate();
    const Project project = project_of(models);

    const std::vector<ToDeleteEntry> entries = project.drops();

    ASSERT_EQ(listed(entries), Naive(models).listed()) << "seed " << seed << "\n" << shown(entries);
  }
}

TEST(CascadeFuzz, LeavesNothingAfterApply) {
  for (unsigned seed = 1; seed <= rounds(); ++seed) {
    Project project = project_of(Generator(seed).generate());

    apply_drops(project, project.drops());

    ASSERT_EQ(shown(project.drops()), "") << "seed " << seed;
  }
}

TEST(CascadeFuzz, DoesNotDependOnTheOrderOfModels) {
  for (unsigned seed = 1; seed <= rounds() / 5; ++seed) {
    const Project project = project_of(Generator(seed).generate());
    ModelSet set = project.load();
    const std::string expected = shown(compute_drops(set, project.live));

    std::shuffle(set.models.begin(), set.models.end(), std::mt19937(seed));

    ASSERT_EQ(shown(compute_drops(set, project.live)), expected) << "seed " << seed;
  }
}

TEST(CascadeFuzz, DoesNotDependOnTheOrderOfItems) {
  for (unsigned seed = 1; seed <= rounds() / 5; ++seed) {
    auto models = Generator(seed).generate();
    const auto expected = listed(project_of(models).drops());
    std::mt19937 random(seed);
    for (auto& [name, model] : models) {
      std::shuffle(model.columns.begin(), model.columns.end(), random);
      std::shuffle(model.measures.begin(), model.measures.end(), random);
      std::shuffle(model.joins.begin(), model.joins.end(), random);
      std::shuffle(model.filters.begin(), model.filters.end(), random);
    }

    ASSERT_EQ(listed(project_of(models).drops()), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace kedge::models
