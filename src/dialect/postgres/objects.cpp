// Everything that is no relation: types, functions, triggers, policies, rules, extensions, grants,
// and what is seen without being modelled.
#include "base/text.h"
#include "dialect/postgres/catalog.h"
#include "dialect/postgres/object_sql.h"

namespace kedge::dialect::postgres {
namespace {

using schema::DefinedObject;
using schema::ObjectKind;

enum Field : std::size_t { kKind, kId, kSpace, kName, kReference, kA, kB, kC, kComment };

class ObjectReader {
 public:
  explicit ObjectReader(Catalog& catalog) : catalog_(catalog) {}

  void read(const RowView& row) {
    using Reader = void (ObjectReader::*)(const RowView&);
    static const std::map<std::string, Reader, std::less<>> kReaders = {
        {"collation", &ObjectReader::read_collation},
        {"opclass", &ObjectReader::read_operator_class},
        {"enum", &ObjectReader::read_enum},
        {"domain", &ObjectReader::read_domain},
        {"composite", &ObjectReader::read_composite},
        {"function", &ObjectReader::read_function},
        {"procedure", &ObjectReader::read_function},
        {"aggregate", &ObjectReader::read_function},
        {"trigger", &ObjectReader::read_trigger},
        {"rule", &ObjectReader::read_rule},
        {"policy", &ObjectReader::read_of_table},
        {"statistics", &ObjectReader::read_of_table},
        {"extension", &ObjectReader::read_extension},
        {"privilege", &ObjectReader::read_privilege},
        {"depends", &ObjectReader::read_dependency},
        {"unmodelled", &ObjectReader::read_unmodelled}};
    (this->*kReaders.at(row.text(kKind)))(row);
  }

  // Triggers name their function, which may come after them.
  void finish() {
    for (const auto& [object, function] : pending_functions_) {
      const auto found = catalog_.functions.find(function);
      if (found != catalog_.functions.end()) {
        catalog_.schema.objects[object].depends_on.push_back(found->second);
      }
    }
  }

 private:
  void read_collation(const RowView& row) {
    const auto space = catalog_.namespaces.find(row.oid(kSpace));
    const bool plain = space == catalog_.namespaces.end() ||
                       space->second == catalog_.schema.default_schema.text();
    catalog_.collations[row.oid(kId)] =
        plain ? row.text(kName) : space->second + "." + row.text(kName);
  }

  void read_operator_class(const RowView& row) {
    const auto method = static_cast<Oid>(std::stoul(row.text(kA)));
    const bool is_default = !row.is_null(kB);
    catalog_.operator_classes[row.oid(kId)] = {row.text(kName), method, row.oid(kReference),
                                               is_default};
    if (is_default) {
      catalog_.default_classes[{method, row.oid(kReference)}] = row.oid(kId);
    }
  }

  schema::Name name_of(const RowView& row) const {
    return catalog_.name_of(row.oid(kSpace), row.text(kName));
  }

  void read_enum(const RowView& row) {
    catalog_.schema.enums.push_back({name_of(row), split_list(row.text(kA)), row.text(kComment)});
  }

  void read_domain(const RowView& row) {
    schema::DomainType domain;
    domain.name = name_of(row);
    const std::vector<std::int64_t> facts = numbers_of(row.text(kC));
    domain.nullable = facts.at(0) == 0;
    domain.default_value = default_of(row.text(kB));
    domain.comment = row.text(kComment);
    catalog_.domains[row.oid(kId)] = catalog_.schema.domains.size();
    bases_.push_back({row.oid(kReference), static_cast<int>(std::stol(row.text(kA))),
                      static_cast<Oid>(facts.at(1))});
    catalog_.schema.domains.push_back(std::move(domain));
  }

  void read_composite(const RowView& row) {
    if (const Relation* relation = catalog_.find(row.oid(kId));
        relation != nullptr && relation->kind == Relation::Kind::Composite) {
      catalog_.schema.composites[relation->place].comment = row.text(kComment);
    }
  }

  DefinedObject& add(ObjectKind kind, const RowView& row) {
    DefinedObject& object = catalog_.schema.objects.emplace_back();
    object.kind = kind;
    object.name = name_of(row);
    object.definition = row.text(kB);
    object.comment = row.text(kComment);
    return object;
  }

  void read_function(const RowView& row) {
    const std::string& kind = row.text(kKind);
    DefinedObject& object = add(kind == "function"    ? ObjectKind::Function
                                : kind == "procedure" ? ObjectKind::Procedure
                                                      : ObjectKind::Aggregate,
                                row);
    object.signature = "(" + row.text(kA) + ")";
    object.definition = std::string(base::trim(object.definition));
    catalog_.functions[row.oid(kId)] = object.name;
    places_[row.oid(kId)] = catalog_.schema.objects.size() - 1;
  }

  bool add_of_table(ObjectKind kind, const RowView& row) {
    const Relation* relation = catalog_.find(row.oid(kReference));
    if (relation == nullptr || relation->kind == Relation::Kind::Hidden) {
      return false;
    }
    add(kind, row).table = relation->name;
    return true;
  }

  void set_enabled(const std::string& letter) {
    const std::string state = letter == "D"   ? "disabled"
                              : letter == "A" ? "always"
                              : letter == "R" ? "replica"
                                              : "";
    if (!state.empty()) {
      catalog_.schema.objects.back().options["enabled"] = state;
    }
  }

  void read_trigger(const RowView& row) {
    if (add_of_table(ObjectKind::Trigger, row)) {
      set_enabled(row.text(kA));
      pending_functions_.emplace_back(catalog_.schema.objects.size() - 1,
                                      static_cast<Oid>(std::stoul(row.text(kC))));
    }
  }

  void read_rule(const RowView& row) {
    if (add_of_table(ObjectKind::Rule, row)) {
      set_enabled(row.text(kA));
      std::string& definition = catalog_.schema.objects.back().definition;
      if (definition.ends_with(';')) {
        definition.pop_back();
      }
    }
  }

  void read_of_table(const RowView& row) {
    add_of_table(row.text(kKind) == "policy" ? ObjectKind::Policy : ObjectKind::Statistics, row);
  }

  void read_extension(const RowView& row) {
    DefinedObject& object = add(ObjectKind::Extension, row);
    object.name.schema = Identifier();  // extensions live in no schema
    object.options["version"] = row.text(kA);
  }

  void read_privilege(const RowView& row) {
    DefinedObject& object = add(ObjectKind::Privilege, row);
    object.signature = row.text(kA);
    object.definition += row.text(kA) + row.text(kC);
    if (const Relation* relation = catalog_.find(row.oid(kReference))) {
      object.table = relation->name;
    }
  }

  void read_dependency(const RowView& row) {
    const Relation* relation = catalog_.find(row.oid(kReference));
    const auto place = places_.find(row.oid(kId));
    if (relation != nullptr && place != places_.end()) {
      catalog_.schema.objects[place->second].depends_on.push_back(relation->name);
    }
  }

  void read_unmodelled(const RowView& row) {
    catalog_.schema.unmodelled.push_back({row.text(kA), name_of(row)});
  }

 public:
  struct Base {
    Oid type;
    int modifier;
    Oid collation;
  };
  const std::vector<Base>& bases() const { return bases_; }

 private:
  Catalog& catalog_;
  std::vector<Base> bases_;
  std::unordered_map<Oid, std::size_t> places_;  // of functions
  std::vector<std::pair<std::size_t, Oid>> pending_functions_;
};

}  // namespace

void read_objects(db::Connection& connection, const CatalogScope& scope, Catalog& catalog) {
  ObjectReader reader(catalog);
  read_rows(connection, object_sql(scope, catalog.major),
            [&](const RowView& row) { reader.read(row); });
  reader.finish();
  for (std::size_t i = 0; i < reader.bases().size(); ++i) {
    const auto& base = reader.bases()[i];
    catalog.schema.domains[i].base = catalog.type(base.type, base.modifier);
    catalog.schema.domains[i].collation = catalog.collation_of(base.collation, base.type);
  }
}

}  // namespace kedge::dialect::postgres
