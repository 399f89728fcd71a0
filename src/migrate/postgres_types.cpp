// Schemas, enums, domains, composites and sequences on postgres.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/graph.h"
#include "base/text.h"
#include "migrate/postgres_emission.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Column;
using schema::Name;
using schema::Table;
using schema::TypeKind;

// "status", "s.status", "status[]": does a column's type name this type?
std::string plain_name(const schema::Type& type) {
  std::string text = type.native;
  while (text.ends_with("[]")) {
    text.resize(text.size() - 2);
  }
  return base::replace_all(text, "\"", "");
}
bool is_of_type(const schema::Type& type, const Name& name) {
  const std::string plain = plain_name(type);
  return plain == to_string(name) || (name.schema.empty() && plain == name.name.text());
}

class Types {
 public:
  Types(Emission& e, PostgresPlanParts& parts) : e_(e), parts_(parts) {
    rank_types();
    for (const Change& change : e.changes) {
      const auto* domain = std::get_if<AlterDomain>(&change);
      const auto* labels = std::get_if<AlterEnum>(&change);
      if (domain != nullptr && tightens(*domain)) {
        remake_with(domain->after.name);
      } else if (labels != nullptr && labels->renamed.empty() && !only_adds(*labels)) {
        remake_with(labels->after.name);
      }
    }
  }
  void at(std::size_t i) {
    index_ = i;
    std::visit(*this, e_.changes[i]);
  }

  void operator()(const CreateNamespace& c) {
    add(stage::kNamespace, {{}, c.object.name},
        "CREATE SCHEMA IF NOT EXISTS " + e_.ddl.quote(c.object.name));
    comment("schema", {{}, c.object.name}, c.object.comment);
  }
  // A schema made by a migration may hold what kedge does not own: its down leaves it.
  void operator()(const DropNamespace& c) {
    if (e_.up()) {
      add(stage::kDropNamespace, {{}, c.object.name},
          "DROP SCHEMA IF EXISTS " + e_.ddl.quote(c.object.name))
          .destructive = true;
    }
  }
  void operator()(const CreateEnum& c) {
    add(stage::kType, c.object.name, enum_sql(c.object, c.object.name));
    comment("type", c.object.name, c.object.comment);
  }
  void operator()(const DropEnum& c) { drop_type("TYPE", c.object.name); }
  void operator()(const AlterEnum& c) {
    if (!c.renamed.empty()) {
      for (const RenamedLabel& label : c.renamed) {
        add(stage::kType, c.after.name,
            fmt::format("ALTER TYPE {} RENAME VALUE {} TO {}", e_.ddl.name(c.after.name),
                        e_.ddl.literal(label.from), e_.ddl.literal(label.to)));
      }
    } else if (only_adds(c)) {
      add_labels(c);
    } else if (const std::optional<Use> key = key_of_partitions(c.after.name)) {
      refuse_script(e_, index_, c.after.name,
                    "labels of type " + to_string(c.after.name) +
                        " cannot go or change places: table " + to_string(key->table->name) +
                        " is partitioned by its column " + key->column->name.text(),
                    "make a new table and move the rows");
    } else {
      remake(c.after.name, enum_sql(c.after, c.after.name));
      comment("type", c.after.name, c.after.comment);
      remake_composites_of(c.after.name);
    }
  }
  void operator()(const CreateDomain& c) {
    add(stage::kType + 1, c.object.name, domain_sql(c.object));
    comment("domain", c.object.name, c.object.comment);
  }
  void operator()(const DropDomain& c) { drop_type("DOMAIN", c.object.name); }
  void operator()(const AlterDomain& c) { alter_domain(c); }
  void operator()(const CreateComposite& c) {
    add(stage::kType + 1, c.object.name, composite_sql(c.object));
    comment("type", c.object.name, c.object.comment);
  }
  void operator()(const DropComposite& c) { drop_type("TYPE", c.object.name); }
  void operator()(const AlterComposite& c) { alter_composite(c); }
  void operator()(const CreateSequence& c) {
    if (const auto counting = serial_of(e_.from, c.object.name)) {
      change_sequence(*counting, c.object);
      comment("sequence", c.object.name, c.object.comment);
      return;
    }
    add(stage::kSequence, c.object.name,
        "CREATE SEQUENCE " + e_.ddl.name(c.object.name) + sequence_options(c.object, nullptr));
    own(c.object);
    comment("sequence", c.object.name, c.object.comment);
  }
  void operator()(const DropSequence& c) {
    if (serial_of(e_.to, c.object.name)) {
      return;  // the column takes it over
    }
    add(stage::kDropSequence, c.object.name,
        "DROP SEQUENCE " + e_.if_exists() + e_.ddl.name(c.object.name))
        .destructive = true;
  }
  void operator()(const AlterSequence& c) { change_sequence(c.before, c.after); }
  template <class Other>
  void operator()(const Other&) {}

 private:
  PlanStatement& add(int at, const Name& name, std::string sql) {
    const auto found = rank_.find(name);
    std::size_t rank = found == rank_.end() ? 0 : found->second;
    if (at == stage::kDropType) {
      rank = rank_.size() + 1 - rank;
    } else if (at != stage::kType && at != stage::kType + 1) {
      rank = 0;
    }
    return e_.draft.add({at, rank, name.name.text()}, std::move(sql), index_);
  }
  // A domain over an enum, a composite of domains: what is used comes first and goes last.
  void rank_types() {
    std::map<Name, std::vector<const schema::Type*>> used;
    for (const schema::Schema* side : {&e_.to, &e_.from}) {
      for (const schema::EnumType& type : side->enums) {
        used[type.name];
      }
      for (const schema::DomainType& type : side->domains) {
        used[type.name].push_back(&type.base);
      }
      for (const schema::CompositeType& type : side->composites) {
        for (const schema::ViewColumn& field : type.fields) {
          used[type.name].push_back(&field.type);
        }
      }
    }
    std::vector<const Name*> names;
    std::map<std::string, std::size_t> places;  // by the text that a type names it with
    for (const auto& [name, types] : used) {
      places[to_string(name)] = names.size();
      names.push_back(&name);
    }
    base::Graph graph(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      for (const schema::Type* type : used[*names[i]]) {
        const auto place = places.find(plain_name(*type));
        if (place != places.end() && place->second != i) {
          graph.add_edge(place->second, i);
        }
      }
    }
    std::size_t rank = 1;
    for (const std::size_t node : base::sort_topologically(graph).order) {
      rank_[*names[node]] = rank++;
    }
  }
  void remake_with(const Name& type) {
    for (const schema::CompositeType& composite : e_.from.composites) {
      if (has_field_of(composite, type)) {
        remade_with_a_field_.insert(composite.name);
      }
    }
  }
  static bool has_field_of(const schema::CompositeType& composite, const Name& type) {
    return std::any_of(composite.fields.begin(), composite.fields.end(),
                       [&](const auto& field) { return is_of_type(field.type, type); });
  }
  void comment(const char* kind, const Name& name, const std::string& text) {
    if (!text.empty()) {
      add(stage::kComment, name, comment_sql(e_, {kind, name, {}, ""}, text));
    }
  }
  void drop_type(const char* noun, const Name& name) {
    add(stage::kDropType, name,
        std::string("DROP ") + noun + " " + e_.if_exists() + e_.ddl.name(name))
        .destructive = true;
  }
  std::string enum_sql(const schema::EnumType& type, const Name& name) const {
    std::vector<std::string> labels;
    for (const std::string& label : type.labels) {
      labels.push_back(e_.ddl.literal(label));
    }
    return "CREATE TYPE " + e_.ddl.name(name) + " AS ENUM (" + base::join(labels, ", ") + ")";
  }

  // Are the old labels there in their order?
  static bool only_adds(const AlterEnum& c) {
    auto old = c.before.labels.begin();
    for (const std::string& label : c.after.labels) {
      if (old != c.before.labels.end() && *old == label) {
        ++old;
      }
    }
    return old == c.before.labels.end();
  }
  // A new label cannot be used before it is committed: each is a step of its own.
  void add_labels(const AlterEnum& c) {
    std::string previous;
    const std::vector<std::string>& old = c.before.labels;
    for (std::size_t i = 0; i < c.after.labels.size(); ++i) {
      const std::string& label = c.after.labels[i];
      if (std::find(old.begin(), old.end(), label) == old.end()) {
        std::string place;
        if (!previous.empty()) {
          place = " AFTER " + e_.ddl.literal(previous);
        } else if (!old.empty()) {
          place = " BEFORE " + e_.ddl.literal(old.front());
        }
        e_.draft
            .add({stage::kLabel, i, c.after.name.name.text()},
                 fmt::format("ALTER TYPE {} ADD VALUE {}{}{}", e_.ddl.name(c.after.name),
                             e_.up() ? "IF NOT EXISTS " : "", e_.ddl.literal(label), place),
                 index_)
            .transactional = Transactional::Alone;
      }
      previous = label;
    }
  }

  struct Use {
    const Table* table;
    const Column* column;
  };
  std::vector<Use> uses_of(const Name& type) const {
    std::vector<Use> uses;
    for (const Table& table : e_.from.tables) {
      if (table.partition && table.partition->parent) {
        continue;  // follows its parent
      }
      for (const Column& column : table.columns) {
        if (is_of_type(column.type, type)) {
          uses.push_back({&table, &column});
        }
      }
    }
    return uses;
  }

  std::optional<Use> key_of_partitions(const Name& type) const {
    for (const Table& table : e_.from.tables) {
      for (const Column& column : table.columns) {
        if (table.partition && is_of_type(column.type, type) &&
            mentions(table.partition->by, column.name.text(), schema::Dialect::Postgres)) {
          return Use{&table, &column};
        }
      }
    }
    return std::nullopt;
  }

  // The type is made anew under its name and every column is moved over by its text.
  using Conversion = std::function<std::string(const Table&, const Column&)>;
  void remake(const Name& name, const std::string& create) {
    remake(name, create, [&](const Table&, const Column& column) {
      const bool array = column.type.native.ends_with("[]");
      const std::string cast =
          is_text_domain(name) ? "" : "::" + e_.ddl.name(name) + (array ? "[]" : "");
      return e_.ddl.quote(column.name) + "::text" + (array ? "[]" : "") + cast;
    });
  }
  void remake(const Name& name, const std::string& create, const Conversion& convert) {
    parts_.remade_types.insert(name);
    const Name old{name.schema, Identifier(name.name.text() + "__kedge_old")};
    constexpr int kAt = stage::kType;
    add(kAt, name, "ALTER TYPE " + e_.ddl.name(name) + " RENAME TO " + e_.ddl.quote(old.name));
    add(kAt, name, create);
    for (const Use& use : uses_of(name)) {
      move_column(name, *use.table, *use.column, convert);
    }
    // Composites that have a field of it are made anew in between.
    e_.draft
        .add({kAt, 2 * rank_.size() + 1 - rank_.at(name), old.name.text()},
             "DROP TYPE " + e_.ddl.name(old), index_)
        .remakes = true;
    grants_back(e_, name, index_);
  }
  void move_column(const Name& type, const Table& table, const Column& column,
                   const Conversion& convert) {
    constexpr int kAt = stage::kType;
    parts_.touched.push_back({table.name, {column.name.text()}});
    const std::string alter = e_.ddl.alter(table.name);
    const std::string quoted = e_.ddl.quote(column.name);
    const auto hangs = [&](const std::string& sql) {
      return !sql.empty() && mentions(sql, column.name.text(), schema::Dialect::Postgres);
    };
    std::vector<const schema::Index*> indexes;
    std::vector<const schema::Check*> checks;
    for (const schema::Index& index : table.indexes) {
      const bool in_parts = std::any_of(index.parts.begin(), index.parts.end(),
                                        [&](const auto& p) { return hangs(p.expression); });
      if (hangs(index.where) || in_parts) {
        indexes.push_back(&index);
        add(kAt, type, e_.ddl.drop_index(index, table.name, ""));
      }
    }
    for (const schema::Check& check : table.checks) {
      if (hangs(check.expression)) {
        checks.push_back(&check);
        add(kAt, type, alter + "DROP CONSTRAINT " + e_.ddl.quote(check.name));
      }
    }
    if (column.default_value) {
      add(kAt, type, alter + "ALTER COLUMN " + quoted + " DROP DEFAULT");
    }
    const bool array = column.type.native.ends_with("[]");
    const std::string target = e_.ddl.name(type) + (array ? "[]" : "");
    add(kAt, type,
        fmt::format("{}ALTER COLUMN {} TYPE {} USING {}", alter, quoted, target,
                    convert(table, column)));
    if (column.default_value && !comes_with_another_default(table.name, column.name)) {
      add(kAt, type,
          alter + "ALTER COLUMN " + quoted + " SET DEFAULT " +
              e_.ddl.default_value(*column.default_value, column.type));
    }
    for (const schema::Check* check : checks) {
      if (still_there<DropCheck>(table.name, check->name)) {
        add(kAt, type, alter + "ADD " + e_.ddl.check(*check));
      }
    }
    for (const schema::Index* index : indexes) {
      if (still_there<DropIndex>(table.name, index->name)) {
        add(kAt, type, e_.ddl.index(*index, table.name));
      }
    }
  }
  template <class Kind>
  bool still_there(const Name& table, const Identifier& part) const {
    return std::none_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      const auto* gone = std::get_if<Kind>(&change);
      return gone != nullptr && gone->table == table && gone->part.name == part;
    });
  }
  // A change of the column's type sets the default too.
  bool comes_with_another_default(const Name& table, const Identifier& column) const {
    const auto is_of = [&](const auto* one) {
      return one != nullptr && one->table == table && one->after.name == column;
    };
    return std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
      return is_of(std::get_if<ChangeColumnDefault>(&change)) ||
             is_of(std::get_if<ChangeColumnType>(&change));
    });
  }

  // An assignment refuses what is too long for varchar(n); a cast would cut it.
  bool is_text_domain(const Name& name) const {
    return std::any_of(e_.to.domains.begin(), e_.to.domains.end(), [&](const auto& domain) {
      return domain.name == name &&
             (domain.base.kind == TypeKind::Text || domain.base.kind == TypeKind::Char);
    });
  }
  std::string domain_check(const schema::Check& check) const { return e_.ddl.check(check); }
  std::string domain_sql(const schema::DomainType& domain) const {
    std::string sql =
        "CREATE DOMAIN " + e_.ddl.name(domain.name) + " AS " + e_.ddl.type(domain.base);
    sql += domain.collation.empty() ? "" : " COLLATE " + e_.ddl.quote(domain.collation);
    if (domain.default_value) {
      sql += " DEFAULT " + e_.ddl.default_value(*domain.default_value, domain.base);
    }
    sql += domain.nullable ? "" : " NOT NULL";
    for (const schema::Check& check : domain.checks) {
      sql += " " + domain_check(check);
    }
    return sql;
  }
  void alter_domain(const AlterDomain& c) {
    if (!(c.before.base == c.after.base) || c.before.collation != c.after.collation ||
        (tightens(c) && (is_in_arrays(c.after.name) || is_in_composites(c.after.name)))) {
      const std::string create = domain_sql(c.after);
      remake(c.after.name, create);
      comment("domain", c.after.name, c.after.comment);
      remake_composites_of(c.after.name);
      return;
    }
    const std::string head = "ALTER DOMAIN " + e_.ddl.name(c.after.name) + " ";
    const auto at = [&](std::string clause) { add(stage::kType + 1, c.after.name, head + clause); };
    for (const schema::Check& check : c.before.checks) {
      if (!holds(c.after.checks, check)) {
        at("DROP CONSTRAINT " + e_.if_exists() + e_.ddl.quote(check.name));
      }
    }
    if (!(c.before.default_value == c.after.default_value)) {
      at(c.after.default_value
             ? "SET DEFAULT " + e_.ddl.default_value(*c.after.default_value, c.after.base)
             : "DROP DEFAULT");
    }
    if (c.before.nullable != c.after.nullable) {
      at(c.after.nullable ? "DROP NOT NULL" : "SET NOT NULL");
    }
    for (const schema::Check& check : c.after.checks) {
      if (!holds(c.before.checks, check)) {
        at("ADD " + domain_check(check));
      }
    }
  }
  static bool tightens(const AlterDomain& c) {
    return (c.before.nullable && !c.after.nullable) ||
           std::any_of(c.after.checks.begin(), c.after.checks.end(), [&](const auto& check) {
             return check.validated && !holds(c.before.checks, check);
           });
  }
  bool is_in_composites(const Name& type) const {
    return std::any_of(e_.from.composites.begin(), e_.from.composites.end(),
                       [&](const auto& composite) { return has_field_of(composite, type); });
  }
  // Those that change besides are made anew by their own change.
  void remake_composites_of(const Name& type) {
    for (const schema::CompositeType& was : e_.from.composites) {
      const auto is = std::find_if(e_.to.composites.begin(), e_.to.composites.end(),
                                   [&](const auto& one) { return one.name == was.name; });
      const bool changes =
          std::any_of(e_.changes.begin(), e_.changes.end(), [&](const Change& change) {
            const auto* one = std::get_if<AlterComposite>(&change);
            return one != nullptr && one->after.name == was.name;
          });
      if (has_field_of(was, type) && is != e_.to.composites.end() && !changes) {
        remake_composite({was, *is});
        comment("type", is->name, is->comment);
      }
    }
  }
  // The server does not look into arrays for values that a new rule refuses: it refuses the rule.
  bool is_in_arrays(const Name& type) const {
    const std::vector<Use> uses = uses_of(type);
    return std::any_of(uses.begin(), uses.end(),
                       [](const Use& use) { return use.column->type.native.ends_with("[]"); });
  }
  static bool holds(const std::vector<schema::Check>& checks, const schema::Check& check) {
    return std::any_of(checks.begin(), checks.end(), [&](const schema::Check& one) {
      return one.name == check.name && one.expression == check.expression &&
             one.validated == check.validated;
    });
  }
  // The server refuses another type for an attribute while columns hold the type, and knows no
  // order of attributes but that in which they came: then every row is written anew.
  void remake_composite(const AlterComposite& c) {
    const bool same_names =
        c.before.fields.size() == c.after.fields.size() &&
        std::equal(c.before.fields.begin(), c.before.fields.end(), c.after.fields.begin(),
                   [](const auto& a, const auto& b) { return a.name == b.name; });
    remake(c.after.name, composite_sql(c.after), [&](const Table& table, const Column& column) {
      const std::string quoted = e_.ddl.quote(column.name);
      const std::string target = e_.ddl.name(c.after.name);
      if (column.type.native.ends_with("[]")) {
        if (!same_names) {
          refuse_rows(c.after.name, table, column);
        }
        return fmt::format("{}::text::{}[]", quoted, target);
      }
      std::vector<std::string> fields;
      for (const schema::ViewColumn& field : c.after.fields) {
        const auto was = std::find_if(c.before.fields.begin(), c.before.fields.end(),
                                      [&](const auto& one) { return one.name == field.name; });
        const bool text = field.type.kind == TypeKind::Text || field.type.kind == TypeKind::Char;
        std::string value = was == c.before.fields.end()
                                ? "NULL"
                                : fmt::format("({}).{}", quoted, e_.ddl.quote(field.name));
        // A cast would cut what is too long for varchar(n); reading the row refuses it.
        const bool cast = was != c.before.fields.end() && !(was->type == field.type) && !text;
        fields.push_back(cast ? value + "::" + e_.ddl.type(field.type) : value);
      }
      return fmt::format(
          "CASE WHEN {} IS NOT DISTINCT FROM NULL THEN NULL ELSE ROW({})::text::{} END", quoted,
          base::join(fields, ", "), target);
    });
  }
  static std::string escaped(const Identifier& name) {  // inside the text of a RAISE
    return base::replace_all(base::replace_all(name.text(), "'", "''"), "%", "%%");
  }
  // Rows of an array cannot be rearranged in a type change.
  void refuse_rows(const Name& type, const Table& table, const Column& column) {
    add(stage::kType, type,
        fmt::format("DO $kedge$\nBEGIN\n  IF EXISTS (SELECT FROM {} WHERE {} IS NOT NULL) THEN\n"
                    "    RAISE EXCEPTION 'the values of {}.{} cannot be rearranged';\n  END IF;\n"
                    "END\n$kedge$",
                    e_.ddl.name(table.name), e_.ddl.quote(column.name), escaped(table.name.name),
                    escaped(column.name)));
  }
  std::string composite_sql(const schema::CompositeType& type) const {
    std::vector<std::string> fields;
    for (const schema::ViewColumn& field : type.fields) {
      fields.push_back(e_.ddl.quote(field.name) + " " + e_.ddl.type(field.type));
    }
    return "CREATE TYPE " + e_.ddl.name(type.name) + " AS (" + base::join(fields, ", ") + ")";
  }
  // Attributes that go and come can be told one by one when nothing else changes.
  bool needs_remaking(const AlterComposite& c) const {
    std::vector<Identifier> order;
    bool retyped = false;
    for (const schema::ViewColumn& field : c.before.fields) {
      for (const schema::ViewColumn& is : c.after.fields) {
        if (is.name == field.name) {
          order.push_back(field.name);
          retyped = retyped || !(is.type == field.type);
        }
      }
    }
    for (const schema::ViewColumn& field : c.after.fields) {
      if (std::find(order.begin(), order.end(), field.name) == order.end()) {
        order.push_back(field.name);
      }
    }
    const bool reordered =
        !std::equal(order.begin(), order.end(), c.after.fields.begin(), c.after.fields.end(),
                    [](const Identifier& name, const auto& field) { return name == field.name; });
    return reordered || (retyped && !uses_of(c.after.name).empty()) ||
           remade_with_a_field_.contains(c.after.name);
  }
  void alter_composite(const AlterComposite& c) {
    if (needs_remaking(c)) {
      remake_composite(c);
      comment("type", c.after.name, c.after.comment);
      return;
    }
    const std::string head = "ALTER TYPE " + e_.ddl.name(c.after.name) + " ";
    const auto find = [](const schema::CompositeType& type, const Identifier& name) {
      const auto found = std::find_if(type.fields.begin(), type.fields.end(),
                                      [&](const auto& field) { return field.name == name; });
      return found == type.fields.end() ? nullptr : &*found;
    };
    for (const schema::ViewColumn& field : c.before.fields) {
      if (find(c.after, field.name) == nullptr) {
        add(stage::kType + 1, c.after.name,
            head + "DROP ATTRIBUTE " + e_.if_exists() + e_.ddl.quote(field.name))
            .destructive = true;
      }
    }
    for (const schema::ViewColumn& field : c.after.fields) {
      const schema::ViewColumn* was = find(c.before, field.name);
      if (was == nullptr) {
        add(stage::kType + 1, c.after.name,
            head + "ADD ATTRIBUTE " + e_.ddl.quote(field.name) + " " + e_.ddl.type(field.type));
      } else if (!(was->type == field.type)) {
        add(stage::kType + 1, c.after.name,
            head + "ALTER ATTRIBUTE " + e_.ddl.quote(field.name) + " TYPE " +
                e_.ddl.type(field.type));
      }
    }
  }

  void change_sequence(const schema::Sequence& before, const schema::Sequence& after) {
    const std::string head = "ALTER SEQUENCE " + e_.ddl.name(after.name);
    const std::string options = sequence_options(after, &before);
    if (!options.empty()) {
      add(stage::kSequence, after.name, head + options);
    }
    if (before.owner_table == after.owner_table && before.owner_column == after.owner_column) {
      return;
    }
    if (!after.owner_table) {
      add(stage::kSequence, after.name, head + " OWNED BY NONE");
    }
    own(after);
  }
  void own(const schema::Sequence& sequence) {
    if (sequence.owner_table) {
      add(stage::kAddColumn + 1, sequence.name,
          "ALTER SEQUENCE " + e_.ddl.name(sequence.name) + " OWNED BY " +
              e_.ddl.name(*sequence.owner_table) + "." + e_.ddl.quote(sequence.owner_column));
    }
  }

  Emission& e_;
  PostgresPlanParts& parts_;
  std::size_t index_ = 0;
  std::map<Name, std::size_t> rank_;
  std::set<Name> remade_with_a_field_;
};

}  // namespace

void emit_postgres_types(Emission& e, PostgresPlanParts& parts) {
  Types types(e, parts);
  for (std::size_t i = 0; i < e.changes.size(); ++i) {
    types.at(i);
  }
}

}  // namespace kedge::migrate
