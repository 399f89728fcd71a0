#include "query/joins.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "query/words.h"

namespace kedge::query {
namespace {

// Derived columns that use each other twice double in every step: one column, all of a statement.
constexpr std::size_t kLongestColumn = std::size_t{1} << 20U;
constexpr std::size_t kMostWritten = std::size_t{16} << 20U;
// What the columns below those of a statement come to while they are put together.
constexpr std::size_t kMostExpanded = std::size_t{256} << 20U;
constexpr std::size_t kDeepest = 1000;  // derived columns over each other

std::vector<std::string> hop_names(const models::Model& model) {
  std::vector<std::string> names;
  for (const models::Join& join : model.joins) {
    names.push_back(join.hop());
  }
  return names;
}

// "a__b" is two hops where no hop has that very name.
Hops split_hops(const models::Model& model, const std::string& qualifier) {
  if (find_hop(model, qualifier) != nullptr) {
    return {qualifier};
  }
  Hops hops;
  std::size_t from = 0;
  for (std::size_t at = 0; (at = qualifier.find("__", from)) != std::string::npos; from = at + 2) {
    hops.push_back(qualifier.substr(from, at - from));
  }
  hops.push_back(qualifier.substr(from));
  return hops;
}

bool is_inner_alias(const sql::ColumnReference& reference) {
  const std::string first = base::to_lower(reference.parts[0].text);
  for (const auto& scope : reference.scopes) {
    for (const std::string& alias : scope.aliases) {
      if (base::to_lower(alias) == first) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

const models::Join* find_hop(const models::Model& model, std::string_view hop) {
  return models::find_join(model, hop);
}

RelationPointer follow(const FindRelation& find, const RelationPointer& from, const Hops& hops) {
  RelationPointer here = from;
  for (const std::string& hop : hops) {
    const models::Join* join = find_hop(here->model, hop);
    if (join == nullptr) {
      throw Error(codes::unknown_path, "model '" + here->name + "' has no join '" + hop + "'" +
                                           base::did_you_mean(hop, hop_names(here->model)));
    }
    RelationPointer next = find(join->target_model);
    if (!next) {
      throw Error(codes::unknown_path, "join '" + hop + "' of model '" + here->name +
                                           "' leads to model '" + join->target_model +
                                           "', which does not exist in this data source");
    }
    here = std::move(next);
  }
  return here;
}

Joins::Joins(models::SqlDialect dialect, const FindRelation& find, RelationPointer root,
             std::set<std::string>& touched)
    : dialect_(dialect), find_(find), root_relation_(std::move(root)), touched_(touched) {
  Place place{name(dialect_, root_relation_->name), root_relation_, {}};
  touched_.insert(root_relation_->models.begin(), root_relation_->models.end());
  aliases_.insert(base::to_lower(root_relation_->name));
  places_.emplace(Hops{}, std::move(place));
}

const Place& Joins::at(const Hops& hops) {
  const auto found = places_.find(hops);
  if (found != places_.end()) {
    return found->second;
  }
  add_join(hops);
  return places_.at(hops);
}

void Joins::add_join(const Hops& hops) {
  const Hops before(hops.begin(), hops.end() - 1);
  const Place parent = at(before);
  const RelationPointer target = follow(find_, parent.relation, {hops.back()});
  const models::Join& join = *find_hop(parent.relation->model, hops.back());
  if (std::find(joining_.begin(), joining_.end(), hops) != joining_.end()) {
    throw Error(codes::column_cycle,
                "the keys of join '" + base::join(hops, ".") + "' need the join itself");
  }
  joining_.push_back(hops);
  touched_.insert(target->models.begin(), target->models.end());
  const Place place{name(dialect_, free_alias(hops)), target, hops};
  std::string on;
  for (const auto& [local, other] : join.join_pairs) {
    on += (on.empty() ? "" : " AND ") + key(parent, local) + " = " + key(place, other);
  }
  for (const models::Filter& filter : target->model.filters) {
    on += " AND (" + expand(place, filter.text, nullptr) + ")";
  }
  const bool inner = join.join_type == models::JoinType::Inner;
  written_ += on.size();
  clauses_.push_back((inner ? "INNER JOIN " : "LEFT JOIN ") + target->source + " AS " +
                     place.alias + " ON " + on);
  places_.emplace(hops, place);
  joining_.pop_back();
}

// "depots__regions". Letters' case may not tell two aliases apart, nor what an engine cuts off.
std::string Joins::free_alias(const Hops& hops) {
  constexpr std::size_t kLongest = 60;
  std::string alias = base::join(hops, "__");
  if (alias.size() > kLongest) {
    alias = "_j" + std::to_string(places_.size());
  }
  while (!aliases_.insert(base::to_lower(alias)).second) {
    alias += "__1";
  }
  return alias;
}

std::string Joins::key(const Place& place, const std::string& key_name) {
  const models::Column* declared = models::find_column(place.relation->model, key_name);
  return declared != nullptr ? column(place, *declared)
                             : place.alias + "." + name(dialect_, key_name);
}

std::string Joins::column(const Place& place, const models::Column& column) {
  if (column.is_base()) {
    return place.alias + "." + physical(dialect_, *column.physical, column.sql.has_value());
  }
  const std::pair<Hops, std::string> self{place.hops, column.name};
  if (const auto known = expanded_.find(self); known != expanded_.end()) {
    count(place, column, known->second.size());
    return known->second;
  }
  if (std::find(expanding_.begin(), expanding_.end(), self) != expanding_.end()) {
    std::vector<std::string> chain;
    for (const auto& [hops, name] : expanding_) {
      chain.push_back(base::join(hops, ".") + (hops.empty() ? "" : ".") + name);
    }
    const std::string again =
        base::join(place.hops, ".") + (place.hops.empty() ? "" : ".") + column.name;
    throw Error(codes::column_cycle,
                "derived columns refer to each other: " + cycle_text(chain, again));
  }
  if (expanding_.size() >= kDeepest) {
    throw Error(codes::formula_syntax, "column '" + column.name + "' of model '" +
                                           place.relation->name + "' is more than " +
                                           std::to_string(kDeepest) +
                                           " derived columns below the one that is asked for");
  }
  expanding_.push_back(self);
  std::string sql = "(" + expand(place, column.expression(), &column) + ")";
  expanding_.pop_back();
  count(place, column, sql.size());
  return expanded_.emplace(self, std::move(sql)).first->second;
}

void Joins::count(const Place& place, const models::Column& column, std::size_t bytes) {
  const std::string hint = "compute a part of it in the model's sql, or in a stage of its own";
  (expanding_.empty() && joining_.empty() ? written_ : expanded_bytes_) += bytes;
  if (bytes > kLongestColumn) {
    throw Error(codes::formula_syntax,
                "column '" + column.name + "' of model '" + place.relation->name +
                    "' grows beyond " + std::to_string(kLongestColumn >> 20U) +
                    " MiB of SQL when the derived columns it uses are put in",
                hint);
  }
  const bool longest = written_ > kMostWritten;
  if (longest || expanded_bytes_ > kMostExpanded) {
    throw Error(codes::formula_syntax,
                (longest ? "the derived columns of one statement come to more than " +
                               std::to_string(kMostWritten >> 20U) + " MiB of SQL"
                         : "the derived columns below those of one statement come to more than " +
                               std::to_string(kMostExpanded >> 20U) + " MiB of SQL") +
                    "; the last one put in is '" + column.name + "' of model '" +
                    place.relation->name + "'",
                hint);
  }
}

const models::Column* Joins::find_declared(const Place& place, const sql::NamePart& part) const {
  const models::Model& model = place.relation->model;
  if (const models::Column* exact = models::find_column(model, part.text)) {
    return exact;
  }
  const std::string wanted = models::written_key(dialect_, part.text, part.quoted);
  for (const models::Column& column : model.columns) {
    if (models::written_key(dialect_, column.name, false) == wanted) {
      return &column;
    }
  }
  return nullptr;
}

std::string Joins::bare(const Place& place, const sql::NamePart& part, const models::Column* self) {
  const models::Column* declared = find_declared(place, part);
  if (declared != nullptr && declared != self) {
    return column(place, *declared);
  }
  return place.alias + "." + (part.quoted ? quote(dialect_, part.text) : part.text);
}

std::string Joins::replacement(const Place& place, const std::string& text,
                               const sql::ColumnReference& reference, const models::Column* self) {
  const std::string written = text.substr(reference.begin, reference.end - reference.begin);
  const auto& parts = reference.parts;
  const bool nested = !reference.scopes.empty();
  if (parts.size() == 1) {
    return nested ? written : bare(place, parts[0], self);
  }
  if (nested && is_inner_alias(reference)) {
    return written;
  }
  // The model's own name may stand in front of a column or of a path.
  const bool own = parts[0].text == place.relation->name ||
                   models::written_key(dialect_, parts[0].text, parts[0].quoted) ==
                       models::written_key(dialect_, place.relation->name, false);
  if (parts.size() == 2 && own) {
    return bare(place, parts[1], self);
  }
  Hops hops = place.hops;
  const models::Model* model = &place.relation->model;
  for (std::size_t i = own ? 1 : 0; i + 1 < parts.size(); ++i) {
    for (const std::string& hop : split_hops(*model, parts[i].text)) {
      if (find_hop(*model, hop) == nullptr && hops == place.hops) {
        return written;  // no hop: a name that only the database knows
      }
      hops.push_back(hop);
      model = &at(hops).relation->model;
    }
  }
  const Place target = at(hops);
  return bare(target, parts.back(), nullptr);
}

std::string Joins::expand(const Place& place, const std::string& text, const models::Column* self) {
  const sql::ExpressionFacts facts = sql::analyse_expression(text, models::analysed_as(dialect_));
  // A trailing line comment must not swallow what follows.
  const bool comment = text.find("--") != std::string::npos || text.find('#') != std::string::npos;
  if (facts.opaque) {
    return comment ? text + "\n" : text;
  }
  std::string out;
  std::size_t from = 0;
  for (const sql::ColumnReference& reference : facts.references) {
    if (reference.begin < from) {
      continue;
    }
    out += text.substr(from, reference.begin - from);
    out += replacement(place, text, reference, self);
    from = reference.end;
  }
  out += text.substr(from);
  return comment ? out + "\n" : out;
}

std::string Joins::from() const {
  const Place& root = places_.at({});
  std::string out = "FROM " + root.relation->source + " AS " + root.alias;
  for (const std::string& clause : clauses_) {
    out += "\n" + clause;
  }
  return out;
}

std::vector<std::string> Joins::root_filters() {
  std::vector<std::string> filters;
  for (const models::Filter& filter : root_relation_->model.filters) {
    filters.push_back("(" + expand(places_.at({}), filter.text, nullptr) + ")");
  }
  return filters;
}

}  // namespace kedge::query
