#include "metadata/view_sql.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "dialect/dialect.h"
#include "metadata/expected_table.h"
#include "metadata/filter_sql.h"
#include "metadata/paths.h"
#include "metadata/types.h"
#include "sql/analysis.h"

namespace kedge::metadata {
namespace {

using schema::Type;
using schema::TypeKind;

std::string key_of(const JoinPath& path, std::size_t joins) {
  std::string key;
  for (std::size_t i = 0; i < joins; ++i) {
    const Join& join = path.joins[i];
    key += join.from + ">" + join.to + "(" + base::join(join.from_fields, ",") + "=" +
           base::join(join.to_fields, ",") + ")";
  }
  return key;
}

class ViewBuilder {
 public:
  ViewBuilder(const Model& model, const Object& object, const Writer& writer)
      : model_(model), object_(object), writer_(writer) {}

  // False when the base has no table: nothing can be written.
  bool run(schema::View& view) {
    base_ = find_object(model_, object_.base_entity);
    if (base_ == nullptr || table_of(model_, *base_) == nullptr) {
      return false;
    }
    read(*base_);
    for (const Field& field : object_.fields) {
      item(field, view);
    }
    std::string body =
        "SELECT\n  " + base::join(items_, ",\n  ") + "\nFROM " + table(*base_) + " b";
    for (const std::string& join : joins_) {
      body += "\n" + join;
    }
    const std::string where = where_clause();
    view.body = body + (where.empty() ? "" : "\nWHERE " + where);
    view.depends_on = reads_;
    std::sort(view.depends_on.begin(), view.depends_on.end());
    return true;
  }

 private:
  const Object& holder(const Object& object) const {
    const Object* found = table_of(model_, object);
    return found == nullptr ? object : *found;
  }

  schema::Name name_of(const Object& object) const {
    const Object& owner = holder(object);
    return table_name(owner, *primary_source(owner), writer_.dialect());
  }

  std::string table(const Object& object) { return writer_.quote(name_of(object)); }

  void read(const Object& object) {
    const schema::Name name = name_of(object);
    if (std::find(reads_.begin(), reads_.end(), name) == reads_.end()) {
      reads_.push_back(name);
    }
  }

  std::string column(const std::string& alias, const Object& object,
                     const std::string& field) const {
    const Field* found = find_field(object, field);
    return alias + "." + writer_.quote(writer_.fit(found == nullptr ? field : found->column));
  }

  std::string on(const std::string& left, const Object& from, const std::string& right,
                 const Object& to, const Join& join) const {
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < join.from_fields.size() && i < join.to_fields.size(); ++i) {
      parts.push_back(column(right, to, join.to_fields[i]) + " = " +
                      column(left, from, join.from_fields[i]));
    }
    return base::join(parts, " AND ");
  }

  void item(const Field& field, schema::View& view) {
    const auto [sql, type] = value_of(field);
    const std::string name = writer_.fit(field.column);
    items_.push_back(sql + " AS " + writer_.quote(name));
    values_[field.name] = sql;
    schema::ViewColumn out;
    out.name = Identifier(name);
    out.type = type;
    view.columns.push_back(std::move(out));
  }

  Type field_type(const Field& field) const {
    return stored_type(field, writer_.dialect(),
                       field.unique || field.default_value ? Use::KeyedOrDefaulted : Use::Plain);
  }

  std::pair<std::string, Type> value_of(const Field& field) {
    if (!field.origin) {
      const std::string name = field.extends.empty() ? field.name : field.extends.member;
      const Field* source = find_field(*base_, name);
      return {column("b", *base_, name),
              source == nullptr ? field_type(field) : field_type(*source)};
    }
    const Origin& origin = *field.origin;
    switch (origin.kind) {
      case Origin::Kind::Passthrough:
        return passthrough(field, origin);
      case Origin::Kind::Aggregate:
        return aggregate(field, origin);
      case Origin::Kind::First:
        return first(field, origin);
      case Origin::Kind::Computed:
        return {
            origin.expression ? expression_sql(*origin.expression, base_lookup(), writer_) : "NULL",
            type_of_kind(TypeKind::Unknown)};
    }
    return {"NULL", type_of_kind(TypeKind::Unknown)};
  }

  FieldLookup base_lookup() const { return lookup("b", *base_); }

  FieldLookup lookup(const std::string& alias, const Object& object) const {
    return [this, alias, &object](const std::string& name) -> FieldSql {
      const Field* field = find_field(object, name);
      return {field, field == nullptr ? "NULL" : column(alias, object, name)};
    };
  }

  JoinPath path_of(const Origin& origin) const {
    if (origin.via) {
      Path path = *origin.via;
      path.base = object_.base_entity;
      return resolve_path(model_, path).path.value_or(JoinPath{});
    }
    if (is_or_extends(model_, *base_, origin.source.object) &&
        origin.kind == Origin::Kind::Passthrough) {
      return {};
    }
    return find_single_hop(model_, object_.base_entity, origin.source.object)
        .path.value_or(JoinPath{});
  }

  // --- to-one

  std::pair<std::string, Type> passthrough(const Field& field, const Origin& origin) {
    const JoinPath path = path_of(origin);
    std::string alias = "b";
    const Object* at = base_;
    bool inner = true;
    for (std::size_t i = 0; i < path.joins.size(); ++i) {
      const Join& join = path.joins[i];
      const Object* to = find_object(model_, join.to);
      if (to == nullptr) {
        return {"NULL", type_of_kind(TypeKind::Unknown)};
      }
      inner = inner && join.required;
      alias = to_one(path, i, alias, *at, *to, inner);
      at = to;
    }
    const Field* source = find_field(*at, origin.source.member);
    std::string sql = column(alias, *at, origin.source.member);
    if (source == nullptr) {
      return {sql, type_of_kind(TypeKind::Unknown)};
    }
    const Type wanted = field_type(field);
    if (origin.convert && (canonical_type(field).kind != canonical_type(*source).kind)) {
      return {"CAST(" + sql + " AS " + cast_name(wanted) + ")", wanted};
    }
    return {sql, field_type(*source)};
  }

  std::string cast_name(const Type& type) const {
    if (writer_.is_mysql()) {
      return type.kind == TypeKind::Int32 || type.kind == TypeKind::Int64     ? "SIGNED"
             : type.kind == TypeKind::Numeric || type.kind == TypeKind::Real8 ? "DECIMAL(65,30)"
                                                                              : "CHAR";
    }
    return dialect_type(type);
  }

  std::string to_one(const JoinPath& path, std::size_t index, const std::string& left,
                     const Object& from, const Object& to, bool inner) {
    const std::string key = key_of(path, index + 1);
    const auto found = to_one_.find(key);
    if (found != to_one_.end()) {
      return found->second;
    }
    const std::string alias = "j" + std::to_string(to_one_.size() + 1);
    to_one_.emplace(key, alias);
    read(to);
    joins_.push_back((inner ? "INNER JOIN " : "LEFT JOIN ") + table(to) + " " + alias + " ON " +
                     on(left, from, alias, to, path.joins[index]));
    return alias;
  }

  // --- to-many

  struct Derived {
    std::string alias;
    std::vector<std::string> keys;     // m1."berth_id"
    std::vector<std::string> columns;  // SUM(...) AS c1
    std::string from;
    std::string where;
    const Object* reached = nullptr;
    std::string reached_alias;
    std::size_t to_many = 0;
    std::size_t place = 0;  // in joins_
    std::string on;
  };

  Derived& derived(const JoinPath& path, const std::string& key) {
    const auto found = derived_.find(key);
    if (found != derived_.end()) {
      return found->second;
    }
    Derived made;
    made.alias = "a" + std::to_string(derived_.size() + 1);
    const Object* at = base_;
    std::string alias;
    for (std::size_t i = 0; i < path.joins.size(); ++i) {
      const Join& join = path.joins[i];
      const Object* to = find_object(model_, join.to);
      const std::string next = "m" + std::to_string(i + 1);
      read(*to);
      made.to_many += join.many ? 1 : 0;
      if (i == 0) {
        made.from = table(*to) + " " + next;
        for (const std::string& field : join.to_fields) {
          made.keys.push_back(column(next, *to, field));
        }
        std::vector<std::string> conditions;
        for (std::size_t k = 0; k < join.from_fields.size(); ++k) {
          conditions.push_back(made.alias + ".k" + std::to_string(k + 1) + " = " +
                               column("b", *at, join.from_fields[k]));
        }
        made.on = base::join(conditions, " AND ");
      } else {
        made.from += " JOIN " + table(*to) + " " + next + " ON " + on(alias, *at, next, *to, join);
      }
      alias = next;
      at = to;
    }
    made.reached = at;
    made.reached_alias = alias;
    made.where = subtype_condition(*at, alias);
    made.place = joins_.size();
    joins_.emplace_back();
    return derived_.emplace(key, std::move(made)).first->second;
  }

  // Rows of a subtype lie in its base's table.
  std::string subtype_condition(const Object& object, const std::string& alias) const {
    if (object.table_owner.empty() || object.table_owner == object.qualified_name) {
      return {};
    }
    const Object* owner = find_object(model_, object.table_owner);
    const Field* field = find_field(*owner, owner->discriminator);
    if (field == nullptr || object.discriminator_value.empty()) {
      return {};
    }
    return column(alias, *owner, field->name) + " = " +
           writer_.value(*field, object.discriminator_value);
  }

  void finish(Derived& derived) {
    std::string select;
    for (std::size_t i = 0; i < derived.keys.size(); ++i) {
      select += (i == 0 ? "" : ", ") + derived.keys[i] + " AS k" + std::to_string(i + 1);
    }
    for (const std::string& each : derived.columns) {
      select += ", " + each;
    }
    joins_[derived.place] = "LEFT JOIN (SELECT " + select + " FROM " + derived.from +
                            (derived.where.empty() ? "" : " WHERE " + derived.where) +
                            " GROUP BY " + base::join(derived.keys, ", ") + ") " + derived.alias +
                            " ON " + derived.on;
  }

  std::string filter_of(const Origin& origin, const Derived& derived) const {
    return origin.filter ? filter_sql(*origin.filter,
                                      lookup(derived.reached_alias, *derived.reached), writer_)
                         : std::string();
  }

  std::pair<std::string, Type> aggregate(const Field& field, const Origin& origin) {
    const JoinPath path = path_of(origin);
    if (path.joins.empty()) {
      return {"NULL", type_of_kind(TypeKind::Unknown)};
    }
    if (origin.aggregate == "collect" && writer_.is_sqlite() &&
        (origin.distinct || !origin.order_by.empty())) {
      return origin.distinct ? collect_each_once(field, origin, path)
                             : collect_in_order(field, origin, path);
    }
    const bool counts_predicate = origin.aggregate == "any" || origin.aggregate == "all";
    const std::string filter_key = origin.filter && !counts_predicate
                                       ? filter_sql(
                                             *origin.filter,
                                             [](const std::string& name) {
                                               static const Field plain;
                                               return FieldSql{&plain, name};
                                             },
                                             writer_)
                                       : "";
    Derived& group = derived(path, key_of(path, path.joins.size()) + "|" + filter_key);
    const std::string name = "c" + std::to_string(group.columns.size() + 1);
    const std::string predicate = filter_of(origin, group);
    const Field* source = find_field(*group.reached, origin.source.member);
    const std::string value =
        source == nullptr ? "" : column(group.reached_alias, *group.reached, source->name);
    if (origin.aggregate == "collect" && writer_.is_mysql() && !predicate.empty()) {
      only_rows(group,
                predicate);  // it has no form that leaves a row out; all here have the filter
    }
    group.columns.push_back(aggregate_sql(origin, group, value, predicate) + " AS " + name);
    finish(group);
    return outer(field, origin, group.alias + "." + name, source);
  }

  std::string filtered(const std::string& function, const std::string& value,
                       const std::string& predicate) const {
    if (predicate.empty()) {
      return function + "(" + value + ")";
    }
    if (writer_.is_postgres() || writer_.is_duckdb()) {
      return function + "(" + value + ") FILTER (WHERE " + predicate + ")";
    }
    const bool distinct = value.rfind("DISTINCT ", 0) == 0;
    const std::string plain = distinct ? value.substr(9) : value;
    return function + "(" + (distinct ? "DISTINCT " : "") + "CASE WHEN " + predicate + " THEN " +
           plain + " END)";
  }

  std::string aggregate_sql(const Origin& origin, const Derived& group, const std::string& value,
                            const std::string& predicate) const {
    const std::string& agg = origin.aggregate;
    if (agg == "any" || agg == "all") {
      if (writer_.is_postgres() || writer_.is_duckdb()) {
        return (agg == "any" ? "BOOL_OR(" : "BOOL_AND(") + predicate + ")";
      }
      return (agg == "any" ? "MAX(" : "MIN(") + std::string("CASE WHEN ") + predicate +
             " THEN 1 ELSE 0 END)";
    }
    if (agg == "count") {
      return filtered("COUNT", counted(origin, group, value), predicate);
    }
    if (agg == "collect") {
      return collect_sql(origin, group, value, predicate);
    }
    return filtered(base::to_upper(agg), (origin.distinct ? "DISTINCT " : "") + value, predicate);
  }

  // Over several to-many hops a row is counted once.
  std::string counted(const Origin& origin, const Derived& group, const std::string& value) const {
    if (origin.distinct) {
      return "DISTINCT " + value;
    }
    if (group.to_many < 2) {
      return value;
    }
    std::vector<std::string> keys;
    for (const std::string& field : key_fields(*group.reached)) {
      keys.push_back(column(group.reached_alias, *group.reached, field));
    }
    if (keys.empty()) {
      return value;
    }
    if (keys.size() == 1 || writer_.is_mysql()) {
      return "DISTINCT " + base::join(keys, ", ");
    }
    return "DISTINCT " + (writer_.is_sqlite() ? base::join(keys, " || '|' || ")
                                              : "(" + base::join(keys, ", ") + ")");
  }

  static bool is_downwards(const Origin& origin) {
    return std::any_of(origin.order_by.begin(), origin.order_by.end(), [&](const OrderBy& order) {
      return order.field == origin.source.member && order.descending;
    });
  }

  std::string order_sql(const Origin& origin, const Derived& group,
                        const std::string& value) const {
    std::vector<std::string> parts;
    if (origin.distinct) {  // values that are there once can only be ordered by themselves
      return value + (is_downwards(origin) ? " DESC" : "");
    }
    for (const OrderBy& order : origin.order_by) {
      parts.push_back(column(group.reached_alias, *group.reached, order.field) +
                      (order.descending ? " DESC" : ""));
    }
    return base::join(parts, ", ");
  }

  std::string collect_sql(const Origin& origin, const Derived& group, const std::string& value,
                          const std::string& predicate) const {
    const std::string distinct = origin.distinct ? "DISTINCT " : "";
    const std::string order = order_sql(origin, group, value);
    if (writer_.is_postgres() || writer_.is_duckdb()) {
      const std::string inner = distinct + value + (order.empty() ? "" : " ORDER BY " + order);
      return (writer_.is_postgres() ? "ARRAY_AGG(" : "LIST(") + inner + ")" +
             (predicate.empty() ? "" : " FILTER (WHERE " + predicate + ")");
    }
    if (writer_.is_mysql()) {
      return "JSON_ARRAYAGG(" + distinct + value + (order.empty() ? "" : " ORDER BY " + order) +
             ")";
    }
    const std::string inner = "JSON_GROUP_ARRAY(" + distinct + value + ")";
    return predicate.empty() ? inner : inner + " FILTER (WHERE " + predicate + ")";
  }

  std::pair<std::string, Type> outer(const Field& field, const Origin& origin,
                                     const std::string& sql, const Field* source) const {
    const std::string& agg = origin.aggregate;
    if (agg == "count") {
      return {"COALESCE(" + sql + ", 0)", type_of_kind(TypeKind::Int64)};
    }
    if (agg == "any" || agg == "all") {
      return {"COALESCE(" + sql + ", " + writer_.boolean(agg == "all") + ")",
              type_of_kind(writer_.is_mysql() ? TypeKind::Unknown : TypeKind::Boolean)};
    }
    if (source == nullptr) {
      return {sql, type_of_kind(TypeKind::Unknown)};
    }
    if (agg == "collect") {
      return collected(field, sql, *source);
    }
    return {sql, aggregate_type(agg, *source)};
  }

  std::pair<std::string, Type> collected(const Field&, const std::string& sql,
                                         const Field& source) const {
    const Type element = field_type(source);
    Type list = type_of_kind(TypeKind::Array);
    list.element.push_back(writer_.is_duckdb() ? element : without_size(element));
    if (writer_.is_postgres()) {
      return {"COALESCE(" + sql + ", ARRAY[]::" + dialect_type(element) + "[])", list};
    }
    if (writer_.is_duckdb()) {
      return {"COALESCE(" + sql + ", [])", list};
    }
    return {"COALESCE(" + sql + ", '[]')",
            type_of_kind(writer_.is_mysql() ? TypeKind::Unknown : TypeKind::Json)};
  }

  std::string dialect_type(const Type& type) const;

  static Type without_size(Type type) {
    type.length.reset();
    type.precision.reset();
    type.scale.reset();
    return type;
  }

  // What the engine says of the column: MariaDB and MySQL each widen by rules of their own, and any
  // columns may be replaced there.
  Type aggregate_type(const std::string& agg, const Field& source) const {
    Type type = field_type(source);
    const TypeKind kind = type.kind;
    if (writer_.is_mysql()) {
      return type_of_kind(TypeKind::Unknown);
    }
    if (writer_.is_duckdb()) {
      return duckdb_aggregate_type(agg, std::move(type));
    }
    if (agg == "sum") {
      if (kind == TypeKind::Int32) {
        return type_of_kind(TypeKind::Int64);
      }
      if (kind == TypeKind::Int64) {
        return type_of_kind(TypeKind::Numeric);
      }
      return kind == TypeKind::Numeric ? type_of_kind(TypeKind::Numeric) : type;
    }
    if (agg == "avg") {
      return type_of_kind(kind == TypeKind::Real4 || kind == TypeKind::Real8 ? TypeKind::Real8
                                                                             : TypeKind::Numeric);
    }
    return without_size(std::move(type));
  }

  static Type duckdb_aggregate_type(const std::string& agg, Type type) {
    constexpr int kMostDigits = 38;
    const bool real = type.kind == TypeKind::Real4 || type.kind == TypeKind::Real8;
    if (agg == "avg" || (agg == "sum" && real)) {
      return type_of_kind(TypeKind::Real8);
    }
    if (agg == "sum" && type.kind == TypeKind::Numeric) {
      type.precision = kMostDigits;
    } else if (agg == "sum") {
      return type_of_kind(TypeKind::Int128);
    }
    return type;
  }

  static void only_rows(Derived& group, const std::string& predicate) {
    const std::string condition = "(" + predicate + ")";
    if (group.where.find(condition) == std::string::npos) {
      group.where += (group.where.empty() ? "" : " AND ") + condition;
    }
  }

  // sqlite's aggregate takes no order, its window function does.
  std::pair<std::string, Type> collect_in_order(const Field& field, const Origin& origin,
                                                const JoinPath& path) {
    Derived& group = derived(path, "ordered:" + std::to_string(derived_.size()));
    const std::string value =
        "JSON_GROUP_ARRAY(" + column(group.reached_alias, *group.reached, origin.source.member) +
        ") OVER (PARTITION BY " + base::join(group.keys, ", ") + " ORDER BY " +
        row_order(origin, group) + " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)";
    one_row(group, origin, value);
    const Field* source = find_field(*group.reached, origin.source.member);
    return outer(field, origin, group.alias + ".c1", source);
  }

  // The same over the distinct values of each key.
  std::pair<std::string, Type> collect_each_once(const Field& field, const Origin& origin,
                                                 const JoinPath& path) {
    Derived& group = derived(path, "once:" + std::to_string(derived_.size()));
    const std::string predicate = filter_of(origin, group);
    if (!predicate.empty()) {
      only_rows(group, predicate);
    }
    std::string keys;
    std::vector<std::string> inner;
    std::vector<std::string> outer_keys;
    for (std::size_t i = 0; i < group.keys.size(); ++i) {
      const std::string key = "k" + std::to_string(i + 1);
      keys += group.keys[i] + " AS " + key + ", ";
      inner.push_back("q." + key);
      outer_keys.push_back("r." + key + " AS " + key);
    }
    const std::string window = "OVER (PARTITION BY " + base::join(inner, ", ") + " ORDER BY q.v" +
                               (is_downwards(origin) ? " DESC" : "");
    joins_[group.place] =
        "LEFT JOIN (SELECT " + base::join(outer_keys, ", ") + ", r.c1 AS c1 FROM (SELECT q.*, " +
        "JSON_GROUP_ARRAY(q.v) " + window +
        " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS c1, ROW_NUMBER() " + window +
        ") AS rn FROM (SELECT DISTINCT " + keys +
        column(group.reached_alias, *group.reached, origin.source.member) + " AS v FROM " +
        group.from + (group.where.empty() ? "" : " WHERE " + group.where) +
        ") q) r WHERE r.rn = 1) " + group.alias + " ON " + group.on;
    const Field* source = find_field(*group.reached, origin.source.member);
    return outer(field, origin, group.alias + ".c1", source);
  }

  // --- one chosen row

  // As asked for, then by key: the same rows in the same order every time.
  std::string row_order(const Origin& origin, const Derived& group) const {
    std::string order = order_sql(origin, group, "");
    for (const std::string& field : key_fields(*group.reached)) {
      order += (order.empty() ? "" : ", ") + column(group.reached_alias, *group.reached, field);
    }
    return order;
  }

  std::pair<std::string, Type> first(const Field&, const Origin& origin) {
    const JoinPath path = path_of(origin);
    if (path.joins.empty()) {
      return {"NULL", type_of_kind(TypeKind::Unknown)};
    }
    Derived& group = derived(path, "first:" + std::to_string(derived_.size()));
    const Field* source = find_field(*group.reached, origin.source.member);
    one_row(group, origin, column(group.reached_alias, *group.reached, origin.source.member));
    return {group.alias + ".c1",
            source == nullptr ? type_of_kind(TypeKind::Unknown) : field_type(*source)};
  }

  // The derived table gives `value` of the first row of each key.
  void one_row(Derived& group, const Origin& origin, const std::string& value) {
    const std::string predicate = filter_of(origin, group);
    std::string keys;
    std::string outer_keys;
    for (std::size_t i = 0; i < group.keys.size(); ++i) {
      keys += group.keys[i] + " AS k" + std::to_string(i + 1) + ", ";
      outer_keys += "r.k" + std::to_string(i + 1) + " AS k" + std::to_string(i + 1) + ", ";
    }
    if (!predicate.empty()) {
      only_rows(group, predicate);
    }
    joins_[group.place] = "LEFT JOIN (SELECT " + outer_keys + "r.c1 AS c1 FROM (SELECT " + keys +
                          value + " AS c1, ROW_NUMBER() OVER (PARTITION BY " +
                          base::join(group.keys, ", ") + " ORDER BY " + row_order(origin, group) +
                          ") AS rn FROM " + group.from +
                          (group.where.empty() ? "" : " WHERE " + group.where) +
                          ") r WHERE r.rn = 1) " + group.alias + " ON " + group.on;
  }

  std::string where_clause() const {
    std::string where = subtype_condition(*base_, "b");
    if (object_.kind == Object::Kind::Projection && object_.filter) {
      const std::string own = filter_sql(
          *object_.filter,
          [this](const std::string& name) -> FieldSql {
            const auto found = values_.find(name);
            const Field* field = find_field(object_, name);
            const bool computed =
                field != nullptr && field->origin && field->origin->kind == Origin::Kind::Computed;
            const std::string value = found == values_.end() ? "NULL" : found->second;
            return {field, computed ? "(" + value + ")" : value};
          },
          writer_);
      where = where.empty() ? own : where + " AND (" + own + ")";
    }
    return where;
  }

  const Model& model_;
  const Object& object_;
  const Writer& writer_;
  const Object* base_ = nullptr;
  std::vector<std::string> items_;
  std::vector<std::string> joins_;
  std::map<std::string, std::string> values_;  // field -> SQL
  std::map<std::string, std::string> to_one_;
  std::map<std::string, Derived> derived_;
  std::vector<schema::Name> reads_;
};

std::string ViewBuilder::dialect_type(const Type& type) const {
  return type.native.empty() ? dialect::get_dialect(writer_.dialect()).type_name(type)
                             : type.native;
}

// The columns of a body that somebody wrote: names from the text, types from the fields.
void describe_body(const Object& object, const Source& source, const Writer& writer,
                   schema::View& view, Diagnostics& diagnostics) {
  const sql::QueryFacts facts = sql::analyse_query(view.body, writer.dialect());
  if (facts.opaque) {
    if (source.depends_on.empty()) {
      diagnostics.warning(codes::WARN_SQL_BODY_UNPARSED,
                          "the body of '" + object.name + "' cannot be parsed", source.place,
                          "say with '@dependsOn' which tables it reads");
    }
    return;
  }
  for (const auto& relation : facts.relations) {
    schema::Name name;
    name.name = Identifier(relation.empty() ? "" : relation.back().text);
    if (relation.size() > 1) {
      name.schema = Identifier(relation[relation.size() - 2].text);
    }
    view.depends_on.push_back(std::move(name));
  }
  if (facts.has_star) {
    return;
  }
  for (const auto& output : facts.outputs) {
    if (!output) {
      view.columns.clear();
      return;
    }
    schema::ViewColumn column;
    column.name = Identifier(*output);
    for (const Field& field : object.fields) {
      if (field.column == *output && !writer.is_sqlite()) {
        column.type = stored_type(field, writer.dialect(), Use::Plain);
      }
    }
    view.columns.push_back(std::move(column));
  }
}

bool is_synthesized(const Object& object) {
  return object.kind == Object::Kind::Entity ||
         std::any_of(object.fields.begin(), object.fields.end(), [](const Field& field) {
           return field.is_derived() || !field.extends.empty();
         });
}

}  // namespace

std::optional<schema::View> build_view(const Model& model, const Object& object,
                                       const Source& source, const Writer& writer,
                                       Diagnostics& diagnostics) {
  schema::View view;
  view.name = table_name(object, source, writer.dialect());
  view.materialized = source.kind == Source::Kind::MaterializedView;
  if (view.materialized && !writer.is_postgres()) {
    return std::nullopt;
  }
  if (source.sql) {
    view.body = *source.sql;
    describe_body(object, source, writer, view, diagnostics);
    for (const std::string& name : source.depends_on) {
      const Object* named = find_object(model, name);
      named = named == nullptr ? find_object(model, object.package + "::" + name) : named;
      const Object* owner = named == nullptr ? nullptr : table_of(model, *named);
      view.depends_on.push_back(
          owner == nullptr ? schema::Name{{}, Identifier(name)}
                           : table_name(*owner, *primary_source(*owner), writer.dialect()));
    }
    std::sort(view.depends_on.begin(), view.depends_on.end());
    view.depends_on.erase(std::unique(view.depends_on.begin(), view.depends_on.end()),
                          view.depends_on.end());
  } else if (!is_synthesized(object) || !ViewBuilder(model, object, writer).run(view)) {
    return std::nullopt;
  }
  view.fingerprint = view_fingerprint(view.body);
  return view;
}

}  // namespace kedge::metadata
