#include "metadata/expected_table.h"

#include <algorithm>
#include <cstdint>

#include "base/text.h"
#include "dialect/dialect.h"
#include "metadata/build.h"
#include "metadata/check.h"
#include "metadata/types.h"
#include "sql/analysis.h"

namespace kedge::metadata {
namespace {

using schema::Dialect;

bool is_flattened(const Field& field) {
  return field.type == FieldType::Object && field.storage == Storage::Flattened;
}

schema::ReferentialAction to_action(Action action, const Writer& writer) {
  switch (action) {
    case Action::NoAction:
      return schema::ReferentialAction::NoAction;
    case Action::Restrict:  // duckdb has no other behaviour and no words for it
      return writer.is_duckdb() ? schema::ReferentialAction::NoAction
                                : schema::ReferentialAction::Restrict;
    case Action::Cascade:
      return schema::ReferentialAction::Cascade;
    case Action::SetNull:
      return schema::ReferentialAction::SetNull;
  }
  return schema::ReferentialAction::NoAction;
}

constexpr std::int64_t kKeyBytes = 3072;  // of an index on mysql

class TableBuilder {
 public:
  TableBuilder(const Model& model, const Object& object, const Writer& writer,
               CommentPolicy comments, Diagnostics& diagnostics)
      : model_(model),
        object_(object),
        writer_(writer),
        comments_(comments),
        diagnostics_(diagnostics),
        columns_(model, object, writer) {}

  schema::Table run() {
    const Source& source = *primary_source(object_);
    table_.name = table_name(object_, source, writer_.dialect());
    if (source.has_physical_name) {
      authored(source.physical, source.place);
    }
    if (has_comments()) {
      table_.comment = object_.documentation.description;
    }
    owners_ = subtypes_of(model_, object_);
    owners_.insert(owners_.begin(), &object_);
    find_used();
    columns();
    if (table_.columns.empty() && !writer_.is_postgres()) {
      diagnostics_.error(codes::ERR_SUBTYPE_RULE_VIOLATION,
                         "'" + object_.name + "' has a table and no field: " +
                             schema::to_string(writer_.dialect()) + " has no table without columns",
                         source.place);
    }
    primary_key();
    indexes();
    foreign_keys();
    table_.checks = build_checks(model_, object_, table_, columns_, writer_, diagnostics_);
    return std::move(table_);
  }

 private:
  static constexpr int kLongestVarchar = 16383;  // 65532 bytes, four a character
  const std::string& name() const { return table_.name.name.text(); }
  bool has_comments() const { return comments_ == CommentPolicy::Keep && !writer_.is_sqlite(); }

  void authored(const std::string& text, const Place& place) {
    if (writer_.is_too_long(text)) {
      diagnostics_.error(codes::ERR_NAME_TOO_LONG,
                         "'" + text + "' is longer than " + writer_.limit_words(), place);
    }
  }

  void one_expression(const std::string& text, const std::string& label, const Place& place) {
    const std::string problem = sql_part_problem(text, SqlPart::Expression, writer_.dialect());
    if (!problem.empty()) {
      diagnostics_.error(codes::ERR_BAD_ATTR_VALUE, label + " " + problem, place);
    }
  }

  // Columns that a key or an index uses: decides TEXT or VARCHAR on mysql.
  void find_used() {
    const auto use = [&](const Object& owner, const std::vector<std::string>& fields) {
      for (const std::string& field : fields) {
        if (const PhysicalColumn* column = columns_.find(owner, field)) {
          used_.insert(column->name);
        }
      }
    };
    for (const Object* owner : owners_) {
      for (const Identity& identity : owner->identities) {
        use(*owner, identity.shape.fields);
      }
      for (const LookupIndex& index : owner->indexes) {
        use(*owner, index.shape.fields);
      }
      for (const Reference& reference : owner->references) {
        use(*owner, reference.fields);
      }
    }
    const std::vector<std::string> key = key_fields(object_);
    for (const std::string& field : key) {
      if (const PhysicalColumn* column = columns_.find(object_, field)) {
        key_.insert(column->name);
      }
    }
  }

  void columns() {
    std::map<std::string, const PhysicalColumn*> seen;
    for (const PhysicalColumn& column : columns_.columns()) {
      const std::string folded =
          writer_.is_mysql() || writer_.is_sqlite() ? base::to_lower(column.name) : column.name;
      const auto [first, fresh] = seen.emplace(folded, &column);
      if (!fresh) {
        if (!is_shared(*first->second, column)) {
          diagnostics_
              .error(codes::ERR_DUPLICATE_SQL_NAME,
                     "two fields of '" + object_.name + "' are the column '" + column.name + "'",
                     column.field->place)
              .finding.problem.notes.push_back(
                  {"the other one", first->second->field->place.where});
        }
        continue;
      }
      table_.columns.push_back(column_of(column));
      if (column.field->has_column_name) {
        authored(column.field->column, column.field->place);
      }
    }
  }

  // Two subtypes may share a column when they agree about it.
  static bool is_shared(const PhysicalColumn& a, const PhysicalColumn& b) {
    return a.from_subtype && b.from_subtype && a.declared_by != b.declared_by &&
           canonical_type(*a.field) == canonical_type(*b.field);
  }

  schema::Column column_of(const PhysicalColumn& physical) {
    const Field& field = *physical.field;
    schema::Column column;
    column.name = Identifier(physical.name);
    const bool used = used_.contains(physical.name) || field.unique || field.default_value;
    column.type = stored_type(field, writer_.dialect(), used ? Use::KeyedOrDefaulted : Use::Plain);
    column.nullable = !physical.required && !key_.contains(physical.name);
    if (has_comments()) {
      column.comment = field.documentation.description;
    }
    if (field.type == FieldType::Decimal && !field.precision && !field.is_array &&
        (writer_.is_mysql() || writer_.is_duckdb()) &&
        column.type.kind == schema::TypeKind::Numeric) {
      diagnostics_.error(codes::ERR_DECIMAL_NEEDS_PRECISION,
                         "field '" + object_.name + "." + field.name + "' needs '@precision' on " +
                             schema::to_string(writer_.dialect()),
                         field.place);
    }
    if (writer_.is_mysql() && column.type.kind == schema::TypeKind::Text && field.db_type.empty() &&
        column.type.length.value_or(0) > kLongestVarchar) {
      diagnostics_.error(codes::ERR_BAD_ATTR_VALUE,
                         "field '" + object_.name + "." + field.name +
                             "': mysql has no string of " + std::to_string(*column.type.length) +
                             " characters, " + std::to_string(kLongestVarchar) + " at most",
                         field.place, "leave '@maxLength' out, or give '@dbType' for mysql");
    }
    default_of(field, physical, column);
    identity_of(physical, column);
    return column;
  }

  void default_of(const Field& field, const PhysicalColumn& physical, schema::Column& column) {
    if (field.default_value) {
      const FieldDefault& value = *field.default_value;
      if (value.kind == FieldDefault::Kind::Sql) {
        column.default_value = {schema::Default::Kind::Expression,
                                expression(value.text, field, column.type)};
        one_expression(value.text, "field '" + field.name + "': '@default'", value.place);
      } else {
        column.default_value = {schema::Default::Kind::Literal, literal(value.text, field)};
      }
    } else if (field.auto_set != AutoSet::None && !physical.flattened) {
      column.default_value = {schema::Default::Kind::Expression, clock(field, column.type)};
    }
    if (writer_.is_mysql() && field.auto_set == AutoSet::OnUpdate &&
        field.type == FieldType::Timestamp) {
      column.options["on_update"] = base::to_lower(now_of(column.type));
    }
  }

  static std::string literal(const std::string& text, const Field& field) {
    for (const auto& [member, number] : field.int_values) {
      if (member == text) {
        return std::to_string(number);
      }
    }
    return text;
  }

  // mysql: as many digits of a second as the column has.
  static std::string now_of(const schema::Type& type) {
    const bool timed =
        type.kind == schema::TypeKind::Timestamp || type.kind == schema::TypeKind::TimestampTz;
    const int digits = timed ? type.precision.value_or(0) : 3;
    return digits == 0 ? "CURRENT_TIMESTAMP" : "CURRENT_TIMESTAMP(" + std::to_string(digits) + ")";
  }

  std::string clock(const Field& field, const schema::Type& type) const {
    const bool day = field.type == FieldType::Date;
    const bool time = field.type == FieldType::Time;
    if (writer_.is_sqlite()) {
      return day ? "CURRENT_DATE" : time ? "CURRENT_TIME" : "CURRENT_TIMESTAMP";
    }
    if (writer_.is_mysql()) {
      return day ? "(CURRENT_DATE)" : time ? "(CURRENT_TIME(3))" : now_of(type);
    }
    return day ? "CURRENT_DATE" : time ? "CURRENT_TIME" : "now()";
  }

  // now() and uuid() are spelled the dialect's way.
  std::string expression(const std::string& sql, const Field& field,
                         const schema::Type& type) const {
    std::string lower = base::to_lower(base::trim(sql));
    lower.erase(std::remove(lower.begin(), lower.end(), ' '), lower.end());
    if (lower == "now()" || lower == "current_timestamp" || lower == "current_timestamp()" ||
        lower == "current_timestamp(3)") {
      return clock(field, type);
    }
    if (lower == "current_date") {
      return writer_.is_mysql() ? "(CURRENT_DATE)" : "CURRENT_DATE";
    }
    if (lower == "current_time") {
      return writer_.is_mysql() ? "(CURRENT_TIME)" : "CURRENT_TIME";
    }
    if (lower == "gen_random_uuid()" || lower == "uuid()") {
      return uuid_default();
    }
    return sql;
  }

  std::string uuid_default() const {
    switch (writer_.dialect()) {
      case Dialect::Postgres:
      case Dialect::Ansi:
        return "gen_random_uuid()";
      case Dialect::Mysql:
        return "(uuid())";
      case Dialect::Duckdb:
        return "uuid()";
      case Dialect::Sqlite:
      case Dialect::D1:
        return model_.settings.rfc4122_uuids
                   ? "(lower(hex(randomblob(4))) || '-' || lower(hex(randomblob(2))) || '-4' || "
                     "substr(lower(hex(randomblob(2))), 2) || '-' || "
                     "substr('89ab', 1 + (abs(random()) % 4), 1) || "
                     "substr(lower(hex(randomblob(2))), 2) || '-' || lower(hex(randomblob(6))))"
                   : "(lower(hex(randomblob(16))))";
    }
    return "gen_random_uuid()";
  }

  void identity_of(const PhysicalColumn& physical, schema::Column& column) {
    const Identity* primary = find_primary(object_);
    if (primary == nullptr || key_.size() != 1 || !key_.contains(physical.name)) {
      return;
    }
    if (primary->generation == Generation::Increment) {
      schema::Identity identity;
      identity.kind = schema::Identity::Kind::ByDefault;
      if (writer_.is_duckdb()) {
        identity.sequence = writer_.fit(name() + "_" + physical.name + "_seq");
      }
      column.identity = identity;
      column.default_value.reset();
    } else if (primary->generation == Generation::Uuid) {
      if (writer_.is_sqlite() && model_.settings.rfc4122_uuids) {
        column.default_value = {schema::Default::Kind::Expression, uuid_default()};
        return;
      }
      column.identity = schema::Identity{};
      column.identity->kind = schema::Identity::Kind::Uuid;
      column.default_value.reset();
    }
  }

  void primary_key() {
    const Identity* primary = find_primary(object_);
    if (primary == nullptr) {
      return;
    }
    schema::PrimaryKey key;
    if (writer_.is_postgres() || writer_.is_duckdb()) {
      key.name = Identifier(writer_.fit(name() + "_pkey"));
    }
    for (const std::string& field : primary->shape.fields) {
      if (const PhysicalColumn* column = columns_.find(object_, field)) {
        key.columns.emplace_back(column->name);
      }
    }
    if (!key.columns.empty()) {
      table_.primary_key = std::move(key);
    }
  }

  void indexes() {
    for (const PhysicalColumn& column : columns_.columns()) {
      if (column.field->unique) {
        schema::Index index;
        index.name = Identifier(writer_.fit(name() + "_" + column.name + "_unique"));
        index.unique = true;
        index.parts.push_back({Identifier(column.name), {}, false, {}, {}, {}, {}});
        add_index(std::move(index), column.field->place);
      }
    }
    std::set<std::pair<std::string, std::string>> folded;  // inherited ones once
    for (const Object* owner : owners_) {
      for (const Identity& identity : owner->identities) {
        if (identity.kind == Identity::Kind::Secondary &&
            folded.emplace(identity.declared_in, identity.name).second) {
          shaped(*owner, identity.name, identity.shape, true, identity.place);
        }
      }
      for (const LookupIndex& each : owner->indexes) {
        if (folded.emplace(each.declared_in, each.name).second) {
          shaped(*owner, each.name, each.shape, false, each.place);
        }
      }
    }
  }

  void shaped(const Object& owner, const std::string& index_name, const IndexShape& shape,
              bool unique, const Place& place) {
    authored(index_name, place);
    schema::Index index;
    index.name = Identifier(index_name);
    index.unique = unique;
    for (std::size_t i = 0; i < shape.fields.size(); ++i) {
      const PhysicalColumn* column = columns_.find(owner, shape.fields[i]);
      if (column == nullptr) {
        return;
      }
      schema::IndexPart part;
      part.column = Identifier(column->name);
      part.descending = i < shape.descending.size() && shape.descending[i];
      index.parts.push_back(std::move(part));
    }
    if (!shape.expression.empty()) {
      schema::IndexPart part;
      part.expression = shape.expression;
      part.descending = !shape.descending.empty() && shape.descending[0];
      index.parts.push_back(std::move(part));
    }
    if (writer_.is_mysql() && !unique) {
      cut_long_parts(index);
    }
    physical_attributes(owner, shape, index, place);
    known_columns(index, index.where, "where", place);
    known_columns(index, shape.expression, "expr", place);
    one_expression(index.where, "index '" + index_name + "': '@where'", place);
    one_expression(shape.expression, "index '" + index_name + "': '@expr'", place);
    add_index(std::move(index), place);
  }

  // Text that the analyser cannot follow is left to the engine.
  void known_columns(const schema::Index& index, const std::string& sql, const char* attribute,
                     const Place& place) {
    const dialect::Dialect& dialect = dialect::get_dialect(writer_.dialect());
    const sql::ExpressionFacts facts = sql::analyse_expression(sql, writer_.dialect());
    for (const sql::ColumnReference& reference : facts.references) {
      const sql::NamePart& name = reference.parts.back();
      // sqlite takes a quoted name that it does not know for a text.
      const bool unsure =
          facts.opaque || reference.parts.size() > 1 || (name.quoted && writer_.is_sqlite());
      const bool known = std::any_of(
          table_.columns.begin(), table_.columns.end(), [&](const schema::Column& column) {
            return dialect.same_name(column.name.text(), name.text, name.quoted);
          });
      if (!unsure && !known) {
        std::vector<std::string> names;
        for (const schema::Column& column : table_.columns) {
          names.push_back(column.name.text());
        }
        diagnostics_.error(codes::ERR_INVALID_INDEX,
                           "index '" + index.name.text() + "': '@" + attribute + "' names '" +
                               name.text + "', which is no column of '" + table_.name.name.text() +
                               "'" + base::did_you_mean(name.text, names),
                           place);
      }
    }
  }

  static bool is_text(const schema::Type& type) {
    return type.kind == schema::TypeKind::Text || type.kind == schema::TypeKind::Json ||
           type.kind == schema::TypeKind::Blob;
  }
  static std::int64_t bytes_of_character(const schema::Type& type) {
    return type.kind == schema::TypeKind::Blob || type.kind == schema::TypeKind::Bit ? 1 : 4;
  }
  // What a column takes of a key, at most.
  static std::int64_t key_bytes(const schema::Type& type) {
    constexpr std::int64_t kUuid = 144;
    constexpr std::int64_t kNumber = 32;
    if (type.length) {
      return *type.length * bytes_of_character(type);
    }
    return is_text(type) ? kKeyBytes + 1 : type.kind == schema::TypeKind::Uuid ? kUuid : kNumber;
  }
  // A key holds 3072 bytes of all of its columns together. Texts that are longer share what the
  // others leave, each indexed by what it begins with.
  void cut_long_parts(schema::Index& index) const {
    std::int64_t left = kKeyBytes;
    std::vector<std::pair<schema::IndexPart*, const schema::Type*>> texts;
    for (schema::IndexPart& part : index.parts) {
      const schema::Column* column = schema::find_column(table_, part.column);
      if (column != nullptr && is_text(column->type)) {
        texts.emplace_back(&part, &column->type);
      } else if (column != nullptr) {
        left -= key_bytes(column->type);
      }
    }
    std::stable_sort(texts.begin(), texts.end(), [](const auto& a, const auto& b) {
      return key_bytes(*a.second) < key_bytes(*b.second);
    });
    auto more = static_cast<std::int64_t>(texts.size());
    for (const auto& [part, type] : texts) {
      const std::int64_t share = left / more--;
      if (key_bytes(*type) > share) {
        part->prefix = static_cast<int>(share / bytes_of_character(*type));
      }
      left -= std::min(key_bytes(*type), share);
    }
  }

  void ignored(const schema::Index& index, const char* attribute, const Place& place) {
    diagnostics_.warning(codes::WARN_INDEX_ATTR_IGNORED,
                         "index '" + index.name.text() + "': " +
                             schema::to_string(writer_.dialect()) + " ignores '@" + attribute + "'",
                         place);
  }

  void unsupported(const schema::Index& index, const char* attribute, const Place& place) {
    diagnostics_.error(codes::ERR_INDEX_ATTR_UNSUPPORTED,
                       "index '" + index.name.text() + "': " +
                           schema::to_string(writer_.dialect()) + " has no '@" + attribute + "'",
                       place);
  }

  void physical_attributes(const Object& owner, const IndexShape& shape, schema::Index& index,
                           const Place& place) {
    const bool partial = writer_.is_postgres() || writer_.is_sqlite();
    if (!shape.where.empty() && partial) {
      index.where = shape.where;
    } else if (!shape.where.empty()) {
      index.unique ? unsupported(index, "where", place) : ignored(index, "where", place);
    }
    if (writer_.is_duckdb() &&
        std::any_of(shape.descending.begin(), shape.descending.end(), [](bool d) { return d; })) {
      ignored(index, "orders", place);
      for (schema::IndexPart& part : index.parts) {
        part.descending = false;
      }
    }
    if (writer_.is_postgres()) {
      index.method = shape.method;
      for (const std::string& field : shape.include) {
        if (const PhysicalColumn* column = columns_.find(owner, field)) {
          index.include.emplace_back(column->name);
        }
      }
      index.nulls_not_distinct = shape.nulls_not_distinct;
      return;
    }
    if (writer_.is_mysql() && shape.method == "hash") {
      index.method = "hash";
    } else if (writer_.is_mysql() && !shape.method.empty()) {
      ignored(index, "using", place);
    }
    if (!shape.include.empty()) {
      ignored(index, "include", place);
    }
    if (shape.nulls_not_distinct) {
      unsupported(index, "nullsNotDistinct", place);
    }
  }

  void add_index(schema::Index index, const Place&) { table_.indexes.push_back(std::move(index)); }

  void foreign_keys() {
    std::set<std::pair<std::string, std::string>> folded;
    std::set<std::string> firsts;
    for (const Object* owner : owners_) {
      for (const Reference& reference : owner->references) {
        if (reference.enforce && folded.emplace(reference.declared_in, reference.name).second) {
          foreign_key(*owner, reference, firsts);
        }
      }
    }
  }

  void foreign_key(const Object& owner, const Reference& reference, std::set<std::string>& firsts) {
    const Object* target = find_object(model_, reference.target);
    const Object* holder = target == nullptr ? nullptr : table_of(model_, *target);
    if (holder == nullptr) {
      return;
    }
    schema::ForeignKey key;
    std::vector<std::string> own;
    for (const std::string& field : reference.fields) {
      const PhysicalColumn* column = columns_.find(owner, field);
      if (column == nullptr) {
        return;
      }
      key.columns.emplace_back(column->name);
      own.push_back(column->name);
    }
    key.referenced_table = table_name(*holder, *primary_source(*holder), writer_.dialect());
    for (const std::string& field : target_fields(model_, reference)) {
      const Field* found = find_field(*target, field);
      key.referenced_columns.emplace_back(found == nullptr ? field : writer_.fit(found->column));
    }
    name_foreign_key(reference, own, firsts, key);
    const Actions actions = effective_actions(model_, owner, reference);
    key.on_delete = to_action(actions.on_delete, writer_);
    key.on_update = to_action(actions.on_update, writer_);
    if (writer_.is_postgres() || writer_.is_sqlite()) {
      key.deferrable = reference.deferrable;
      key.initially_deferred = reference.initially_deferred;
    }
    if (writer_.is_duckdb() && (key.on_delete != schema::ReferentialAction::NoAction ||
                                key.on_update != schema::ReferentialAction::NoAction)) {
      diagnostics_.error(codes::ERR_FK_ACTION_UNSUPPORTED,
                         "reference '" + reference.name + "' of '" + owner.name +
                             "': duckdb has no referential actions",
                         reference.place,
                         "write onDelete: no-action and onUpdate: no-action on the reference");
    }
    table_.foreign_keys.push_back(std::move(key));
  }

  void name_foreign_key(const Reference& reference, const std::vector<std::string>& own,
                        std::set<std::string>& firsts, schema::ForeignKey& key) {
    if (!reference.constraint_name.empty()) {
      authored(reference.constraint_name, reference.place);
      key.name = Identifier(reference.constraint_name);
    } else if (firsts.insert(own.front()).second) {
      key.name = Identifier(writer_.fit(name() + "_" + own.front() + "_fk"));
    } else {
      key.name = Identifier(writer_.fit(name() + "_" + base::join(own, "_") + "_fk"));
    }
    if (!constraints_.insert(key.name.text()).second) {
      diagnostics_.error(codes::ERR_DUPLICATE_SQL_NAME,
                         "reference '" + reference.name + "' of '" + object_.name +
                             "': there is another constraint '" + key.name.text() + "'",
                         reference.place, "give one '@constraintName'");
    }
  }

  const Model& model_;
  const Object& object_;
  const Writer& writer_;
  CommentPolicy comments_;
  Diagnostics& diagnostics_;
  ColumnMap columns_;
  schema::Table table_;
  std::vector<const Object*> owners_;
  std::set<std::string> used_;
  std::set<std::string> key_;
  std::set<std::string> constraints_;
};

}  // namespace

std::string column_of(const Field& field) {
  return field.column;
}

ColumnMap::ColumnMap(const Model& model, const Object& object, const Writer& writer)
    : model_(model), writer_(writer) {
  std::set<std::string> base_fields;
  for (const Field& field : object.fields) {
    if (!field.is_derived()) {
      add(object, field, "", field.required, false, 0);
      base_fields.insert(field.name);
    }
  }
  for (const Object* subtype : subtypes_of(model, object)) {
    for (const Field& field : subtype->fields) {
      if (!field.is_derived() && !base_fields.contains(field.name) &&
          find(*subtype, field.name) == nullptr) {
        add(*subtype, field, "", false, true, 0);
      }
    }
  }
}

void ColumnMap::add(const Object& object, const Field& field, const std::string& prefix,
                    bool required, bool from_subtype, int depth) {
  const std::string column = prefix + field.column;
  if (!is_flattened(field)) {
    columns_.push_back({&field, &object, writer_.fit(column), required, from_subtype, depth > 0});
    return;
  }
  const Object* value = find_object(model_, field.object_ref);
  if (value == nullptr || depth > 16) {  // a value inside itself has no end
    return;
  }
  for (const Field& nested : value->fields) {
    add(object, nested, column + "_", required && nested.required, from_subtype, depth + 1);
  }
}

const PhysicalColumn* ColumnMap::find(const Object& object, const std::string& field) const {
  const PhysicalColumn* shared = nullptr;
  for (const PhysicalColumn& column : columns_) {
    if (column.flattened || column.field->name != field) {
      continue;
    }
    if (column.declared_by == &object) {
      return &column;
    }
    const Field* own = find_field(object, field);
    if (own != nullptr && (!column.from_subtype || own->declared_in == column.field->declared_in)) {
      shared = &column;
    }
  }
  return shared;
}

std::vector<const Object*> subtypes_of(const Model& model, const Object& object) {
  std::vector<const Object*> out;
  const auto found = model.subtype_index.find(object.qualified_name);
  if (found != model.subtype_index.end()) {
    for (const std::size_t place : found->second) {
      out.push_back(&model.objects[place]);
    }
  }
  return out;
}

schema::Name table_name(const Object&, const Source& source, schema::Dialect dialect) {
  const Writer writer(dialect);
  const bool is_default = source.schema.empty() ||
                          (writer.is_postgres() && source.schema == "public") ||
                          ((writer.is_duckdb() || writer.is_sqlite()) && source.schema == "main");
  return {Identifier(is_default ? "" : source.schema), Identifier(writer.fit(source.physical))};
}

schema::Table build_table(const Model& model, const Object& object, const Writer& writer,
                          CommentPolicy comments, Diagnostics& diagnostics) {
  return TableBuilder(model, object, writer, comments, diagnostics).run();
}

}  // namespace kedge::metadata
