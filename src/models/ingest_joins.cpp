#include "models/ingest_joins.h"

#include <algorithm>
#include <set>

#include "base/text.h"

namespace kedge::models {
namespace {

using Pairs = std::set<std::pair<std::string, std::string>>;

// One relation's foreign keys against the joins that its model has.
class JoinFinder {
 public:
  JoinFinder(const JoinContext& context, const IngestRelation& relation, const Model* model)
      : context_(context), relation_(relation), model_(model) {
    if (model_) {
      for (const Join& join : model_->joins) {
        hops_.insert(join.hop());
        targets_.insert(join.target_model);
        known_.emplace(join.target_model, keys_of(join));
      }
    }
  }

  std::vector<NewJoin> find() {
    std::vector<const schema::ForeignKey*> keys;
    for (const schema::ForeignKey& key : relation_.foreign_keys) {
      if (!key.columns.empty()) {
        keys.push_back(&key);
      }
    }
    std::stable_sort(keys.begin(), keys.end(),
                     [&](const schema::ForeignKey* a, const schema::ForeignKey* b) {
                       return std::tuple(position(*a), a->columns, a->referenced_table) <
                              std::tuple(position(*b), b->columns, b->referenced_table);
                     });
    for (const schema::ForeignKey* key : keys) {
      add(*key);
    }
    return std::move(joins_);
  }

 private:
  std::size_t position(const schema::ForeignKey& key) const {
    const std::string& first = key.columns.front().text();
    const auto found =
        std::find_if(relation_.columns.begin(), relation_.columns.end(),
                     [&](const IngestColumn& column) { return same(column.name, first); });
    return static_cast<std::size_t>(found - relation_.columns.begin());
  }

  bool same(const std::string& a, const std::string& b) const {
    return live_key(context_.input.dialect, a) == live_key(context_.input.dialect, b);
  }

  const IngestRelation* find_relation(const schema::Name& name) const {
    const auto found = context_.relations.find(relation_keys(context_.input).of(name));
    return found == context_.relations.end() ? nullptr : found->second;
  }

  // The model over a relation that is in scope; empty when there is none.
  std::string target_model(const IngestRelation& target) const {
    if (!target.model.empty()) {
      return target.model;
    }
    const auto found = context_.table_models.find(relation_keys(context_.input).of(target.name));
    return found == context_.table_models.end() ? "" : found->second->model.name;
  }

  const Model* find_model(const std::string& name) const {
    const auto found = context_.readable.find(name);
    return found == context_.readable.end() ? nullptr : &found->second->model;
  }

  // How a model calls a live column: by a declared column over it, else by the live name.
  std::string name_in(const Model* model, const std::string& live) const {
    const SqlDialect dialect = context_.input.dialect;
    if (!model) {
      return column_name_of(live);
    }
    for (const Column& column : model->columns) {
      if (column.physical && !column.filter &&
          written_key(dialect, column.physical->text, column.physical->quoted || !column.sql) ==
              live_key(dialect, live)) {
        return column.name;
      }
    }
    return column_name_of(live);
  }

  // The live column that a part of a pair stands for, as a key.
  std::string key_in(const Model* model, const std::string& part) const {
    const SqlDialect dialect = context_.input.dialect;
    const Column* column = model ? find_column(*model, part) : nullptr;
    if (column && column->physical) {
      return written_key(dialect, column->physical->text, column->physical->quoted || !column->sql);
    }
    return live_key(dialect, part);
  }

  Pairs keys_of(const Join& join) const {
    Pairs pairs;
    const Model* target = find_model(join.target_model);
    for (const auto& [local, other] : join.join_pairs) {
      pairs.emplace(key_in(model_, local), key_in(target, other));
    }
    return pairs;
  }

  void add(const schema::ForeignKey& key) {
    const IngestRelation* target = find_relation(key.referenced_table);
    if (!target || target->name == relation_.name) {
      return;
    }
    NewJoin join;
    join.target_model = target_model(*target);
    std::vector<std::string> referenced;
    for (const Identifier& column : key.referenced_columns) {
      referenced.push_back(column.text());
    }
    if (referenced.empty()) {
      referenced = target->primary_key;
    }
    if (join.target_model.empty() || referenced.size() != key.columns.size()) {
      return;
    }
    const Model* other = find_model(join.target_model);
    Pairs pairs;
    for (std::size_t number = 0; number < key.columns.size(); ++number) {
      const std::string& local = key.columns[number].text();
      join.pairs.emplace_back(name_in(model_, local), name_in(other, referenced[number]));
      pairs.emplace(live_key(context_.input.dialect, local),
                    live_key(context_.input.dialect, referenced[number]));
    }
    if (!known_.emplace(join.target_model, std::move(pairs)).second) {
      return;
    }
    if (!targets_.insert(join.target_model).second || hops_.contains(join.target_model)) {
      join.name = free_hop(key.columns.front().text());
    }
    hops_.insert(join.hop());
    joins_.push_back(std::move(join));
  }

  std::string free_hop(const std::string& column) const {
    std::string stem = model_name_of(column);
    for (const std::string_view end : {"_id", "_fk", "_key"}) {
      if (stem.size() > end.size() && base::to_lower(stem).ends_with(end)) {
        stem.erase(stem.size() - end.size());
        break;
      }
    }
    std::string hop = stem;
    for (int number = 2; hops_.contains(hop); ++number) {
      hop = stem + (stem.back() == '_' ? "" : "_") + std::to_string(number);
    }
    return hop;
  }

  const JoinContext& context_;
  const IngestRelation& relation_;
  const Model* model_;
  std::set<std::string> hops_;
  std::set<std::string> targets_;
  std::set<std::pair<std::string, Pairs>> known_;
  std::vector<NewJoin> joins_;
};

}  // namespace

std::vector<NewJoin> find_new_joins(const JoinContext& context, const IngestRelation& relation,
                                    const Model* model) {
  return JoinFinder(context, relation, model).find();
}

}  // namespace kedge::models
