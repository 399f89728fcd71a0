#include "migrate/gate.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"
#include "migrate/emission.h"
#include "sql/analysis.h"

namespace kedge::migrate {
namespace {

using namespace change;  // NOLINT(google-build-using-namespace): fifty kinds of one namespace
using schema::Name;
using schema::Table;

bool is_nextval(const std::optional<schema::Default>& value) {
  return value && value->kind == schema::Default::Kind::Expression &&
         base::to_lower(value->value).find("nextval(") != std::string::npos;
}
bool counts(const schema::Column& column) {
  return is_counted(column) || is_nextval(column.default_value);
}

class Gatekeeper {
 public:
  Gatekeeper(const diff::Result& result, const schema::Schema& actual,
             const schema::Schema& expected, const PlanOptions& options)
      : result_(result), actual_(actual), expected_(expected), options_(options) {
    for (const Change& change : result.changes) {
      if (const auto* rename = std::get_if<RenameTable>(&change)) {
        old_names_[rename->to] = rename->from;
      }
    }
  }
  Status at(const Change& change) {
    status_ = Status{};
    status_.code = codes::ERR_BLOCKED;
    std::visit(*this, change);
    close(change);
    return std::move(status_);
  }

  void operator()(const DropTable& c) {
    need("drop-table", "dropping table " + to_string(c.object.name) + " deletes its rows");
    if (options_.empty_metadata) {
      need("empty-metadata", "nothing at all is declared; a wrong path is the likely reason");
    }
    unmanaged(c.object.name, snapshot_table(c.object.name) != nullptr);
  }
  void operator()(const DropColumn& c) {
    need("drop-column", "dropping column " + to_string(c.table) + "." + c.part.name.text() +
                            " deletes its values");
    blocking_view(c.table, c.part.name);
    for (const Change& change : result_.changes) {
      const auto* added = std::get_if<AddColumn>(&change);
      if (added != nullptr && added->table == c.table) {
        first_hint_ = "--rename-column " + to_string(c.table) + "." + c.part.name.text() + "=" +
                      added->part.name.text();
        break;
      }
    }
  }
  void operator()(const ChangeColumnType& c) {
    if (c.widening == Widening::No) {
      need("type-change", "changing the type of " + place(c.table, c.after) + " may lose values");
    }
    if (counts(c.before) && !counts(c.after)) {
      identity_drop(c.table, c.after);
    }
    blocking_view(c.table, c.after.name);
  }
  void operator()(const ChangeColumnNullable& c) {
    if (!c.after.nullable) {
      need("nullable-to-not-null",
           place(c.table, c.after) + " becomes NOT NULL, which fails where it holds NULL");
    }
  }
  void operator()(const ChangeColumnDefault& c) {
    if (counts(c.before) && !counts(c.after)) {
      identity_drop(c.table, c.after);
    }
  }
  void operator()(const ChangeColumnIdentity& c) {
    if (c.before.identity && !c.after.identity) {
      identity_drop(c.table, c.after);
    }
  }
  void operator()(const AddPrimaryKey& c) { primary_key(c.table); }
  void operator()(const DropPrimaryKey& c) { primary_key(c.table); }
  void operator()(const AddIndex& c) {
    const bool computed =
        std::any_of(c.part.parts.begin(), c.part.parts.end(),
                    [](const schema::IndexPart& part) { return !part.expression.empty(); });
    if (computed && options_.dialect == schema::Dialect::Mysql &&
        base::to_lower(actual_.engine.product).find("mariadb") != std::string::npos) {
      refuse(codes::ERR_INDEX_ATTR_UNSUPPORTED,
             "index " + c.part.name.text() + " of " + to_string(c.table) +
                 ": MariaDB has no index over an expression",
             "declare a generated column and index that");
    }
  }
  void operator()(const DropIndex& c) {
    if (!c.part.valid || replaced<AddIndex>(DropIndex{c.table, declared(c)}) || is_renamed(c)) {
      return;
    }
    need("drop-index", "index " + c.part.name.text() + " of " + to_string(c.table) +
                           " is removed with nothing in its place");
    const Identifier name = declared(c).name;
    constraint_unmanaged(c.table, c.part.name,
                         [&](const Table& t) { return holds(t.indexes, name); });
  }
  void operator()(const DropForeignKey& c) {
    const bool again =
        std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
          const auto* added = std::get_if<AddForeignKey>(&change);
          return added != nullptr && added->table == c.table &&
                 (added->part.columns == c.part.columns || same_name(added->part, c.part) ||
                  added->part.columns == now(c.table, c.part.columns));
        });
    if (again) {
      return;
    }
    need("drop-fk", "foreign key " + c.part.name.text() + " of " + to_string(c.table) +
                        " is removed with nothing in its place");
    // Not every engine keeps the name.
    constraint_unmanaged(c.table, c.part.name, [&](const Table& t) {
      return std::any_of(t.foreign_keys.begin(), t.foreign_keys.end(), [&](const auto& key) {
        return key.name == c.part.name ||
               (key.columns == c.part.columns && key.referenced_table == c.part.referenced_table);
      });
    });
  }
  void operator()(const DropCheck& c) {
    const bool again =
        std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
          const auto* added = std::get_if<AddCheck>(&change);
          return added != nullptr && added->table == c.table &&
                 (same_name(added->part, c.part) ||
                  (!c.part.column.empty() && added->part.column == c.part.column));
        });
    if (again) {
      return;
    }
    need("drop-check", "check " + c.part.name.text() + " of " + to_string(c.table) +
                           " is removed with nothing in its place");
    // Nor the name of a check, nor its words.
    const auto meaning = [&](const schema::Check& check) {
      return sql::normal_expression(check.expression, options_.dialect);
    };
    constraint_unmanaged(c.table, c.part.name, [&](const Table& t) {
      return std::any_of(t.checks.begin(), t.checks.end(), [&](const schema::Check& check) {
        return same_name(check, c.part) || meaning(check) == meaning(c.part);
      });
    });
  }
  void operator()(const DropView& c) {
    if (c.reason == DropReason::Adopt) {
      status_.code = codes::ERR_VIEW_NOT_ADOPTED;
      need("adopt-view", "view " + to_string(c.view.name) + " does not carry kedge's stamp");
    } else if (c.reason != DropReason::Rebuild) {
      need("drop-view", c.reason == DropReason::Removed
                            ? "view " + to_string(c.view.name) + " is removed"
                            : "view " + to_string(c.view.name) +
                                  " changes its shape and must be dropped and made again");
    }
    if (c.reason == DropReason::Removed) {
      unmanaged(c.view.name, options_.snapshot == nullptr ||
                                 find_view(*options_.snapshot, c.view.name) != nullptr);
    }
    cascade(c.view);
  }
  void operator()(const ReplaceView& c) {
    if (c.adopt == Adopt::Yes) {
      status_.code = codes::ERR_VIEW_NOT_ADOPTED;
      need("adopt-view", "view " + to_string(c.after.name) + " does not carry kedge's stamp");
    }
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  template <class Part>
  static bool same_name(const Part& a, const Part& b) {
    return a.name == b.name && !a.name.empty();
  }
  template <class Added, class Dropped>
  bool replaced(const Dropped& c) const {
    return std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
      const auto* added = std::get_if<Added>(&change);
      return added != nullptr && added->table == c.table && same_name(added->part, c.part);
    });
  }
  // Where the engine renames no index, it is dropped and made again under its new name.
  bool is_renamed(const DropIndex& c) const {
    return std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
      const auto* added = std::get_if<AddIndex>(&change);
      return added != nullptr && added->table == c.table && added->part.parts == c.part.parts &&
             added->part.unique == c.part.unique && added->part.where == c.part.where;
    });
  }
  // DuckDB names unique constraints by itself: the snapshot knows what this one was called.
  schema::Index declared(const DropIndex& c) const {
    const Table* known =
        options_.snapshot == nullptr ? nullptr : find_table(*options_.snapshot, old_name(c.table));
    if (options_.dialect == schema::Dialect::Duckdb && known != nullptr &&
        c.part.constraint == schema::Index::Constraint::Unique) {
      for (const schema::Index& index : known->indexes) {
        if (index.unique && index.where.empty() && index.parts == c.part.parts) {
          return index;
        }
      }
    }
    return c.part;
  }
  static std::string place(const Name& table, const schema::Column& column) {
    return to_string(table) + "." + column.name.text();
  }

  void need(const char* token, std::string reason) {
    if (options_.allow.contains(token)) {
      return;
    }
    status_.tokens.emplace_back(token);
    status_.reason += (status_.reason.empty() ? "" : "; ") + std::move(reason);
  }
  void identity_drop(const Name& table, const schema::Column& column) {
    if (!options_.allow.contains("drop-identity-default")) {
      status_.code = codes::ERR_IDENTITY_DEFAULT_DROP;
      first_hint_ = "declare generation: increment on the identity of " + to_string(table);
    }
    need("drop-identity-default",
         place(table, column) +
             " would lose its automatic value: every insert that omits it breaks");
  }
  void primary_key(const Name& name) {
    const Table* was = find_table(actual_, old_name(name));
    const Table* is = find_table(expected_, name);
    const auto columns = [](const Table* table) {
      std::vector<std::string> names;
      if (table != nullptr && table->primary_key) {
        for (const Identifier& column : table->primary_key->columns) {
          names.push_back(column.text());
        }
      }
      return "(" + base::join(names, ", ") + ")";
    };
    status_.code = codes::ERR_PRIMARY_KEY_CHANGE;
    need("primary-key-change", "PrimaryKeyChangeError: the primary key of table " +
                                   to_string(name) + " would move from " + columns(was) + " to " +
                                   columns(is));
    foreign_referrers(name, was);
    fillable(name, was, is);
  }
  // A foreign key of a table that kedge may not touch depends on the old key.
  void foreign_referrers(const Name& name, const Table* was) {
    if (was == nullptr || !was->primary_key) {
      return;
    }
    for (const Table& table : actual_.tables) {
      const bool foreign = std::any_of(result_.out_of_scope.begin(), result_.out_of_scope.end(),
                                       [&](const auto& one) { return one.name == table.name; }) ||
                           std::any_of(result_.external.begin(), result_.external.end(),
                                       [&](const auto& one) { return one.name == table.name; }) ||
                           std::any_of(result_.unmanaged.begin(), result_.unmanaged.end(),
                                       [&](const auto& one) { return one.name == table.name; });
      for (const schema::ForeignKey& key : table.foreign_keys) {
        if (foreign && key.referenced_table == old_name(name) &&
            key.referenced_columns == was->primary_key->columns) {
          refuse(codes::ERR_PRIMARY_KEY_REFERENCED,
                 "table " + to_string(table.name) +
                     ", which kedge does not manage, references the key"
                     " of " +
                     to_string(name) + " by " + key.name.text(),
                 "move that foreign key by hand first");
        }
      }
    }
  }
  void fillable(const Name& name, const Table* was, const Table* is) {
    if (was == nullptr || is == nullptr || !is->primary_key ||
        options_.empty_tables.contains(name)) {
      return;
    }
    for (const Identifier& key : is->primary_key->columns) {
      const schema::Column* column = find_column(*is, key);
      const bool added =
          std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
            const auto* one = std::get_if<AddColumn>(&change);
            return one != nullptr && one->table == name && one->part.name == key;
          });
      if (added && column != nullptr && !column->identity && !column->default_value) {
        refuse(codes::ERR_PRIMARY_KEY_UNFILLABLE,
               "existing rows of " + to_string(name) + " cannot be given a value of the new key " +
                   key.text(),
               "declare a generation or a default for it");
      }
    }
  }
  void refuse(Code code, const std::string& reason, const std::string& hint) {
    if (status_.state == State::Blocked) {
      return;
    }
    status_.state = State::Blocked;
    status_.code = code;
    status_.reason = reason;
    first_hint_ = hint;
  }

  // ---- 7.3: what the snapshot never held

  Name old_name(const Name& name) const {
    const auto old = old_names_.find(name);
    return old == old_names_.end() ? name : old->second;
  }
  std::vector<Identifier> now(const Name& table, std::vector<Identifier> columns) const {
    for (Identifier& column : columns) {
      column = column_after(result_.changes, table, column);
    }
    return columns;
  }
  const Table* snapshot_table(const Name& name) const {
    return options_.snapshot == nullptr ? find_table(actual_, name)
                                        : find_table(*options_.snapshot, name);
  }
  void unmanaged(const Name& name, bool known) {
    if (known || options_.snapshot == nullptr) {
      return;
    }
    if (!options_.allow.contains("drop-unmanaged")) {
      status_.code = codes::ERR_UNMANAGED_DROP;
      status_.reason.clear();
    }
    const std::string before = status_.reason;
    need("drop-unmanaged",
         "migrate: refusing to drop " + to_string(name) +
             ": it is not in the committed schema snapshot, so this project never managed it and "
             "the migration could not replay where it never existed; add --allow drop-unmanaged if "
             "that is meant");
  }
  template <class Part>
  static bool holds(const std::vector<Part>& parts, const Identifier& name) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Part& part) { return part.name == name; });
  }
  template <class IsKnown>
  void constraint_unmanaged(const Name& table, const Identifier& part, const IsKnown& is_known) {
    if (options_.snapshot == nullptr) {
      return;
    }
    const Table* known = find_table(*options_.snapshot, old_name(table));
    unmanaged({table.schema, Identifier(table.name.text() + "." + part.text())},
              known != nullptr && is_known(*known));
  }

  // ---- views

  bool goes_anyway(const Name& name) const {
    return std::any_of(result_.changes.begin(), result_.changes.end(), [&](const Change& change) {
      const auto* drop = std::get_if<DropView>(&change);
      return drop != nullptr && drop->view.name == name;
    });
  }
  void cascade(const schema::View& view) {
    std::vector<std::string> lost;
    for (const schema::Dependent& dependent : view.dependents) {
      if (!dependent.managed && !goes_anyway(dependent.name)) {
        lost.push_back(to_string(dependent.name) + " (" + dependent.kind + ")");
      }
    }
    if (lost.empty()) {
      return;
    }
    if (!options_.allow.contains("drop-view-cascade")) {
      status_.code = codes::ERR_VIEW_DROP_CASCADE;
    }
    need("drop-view-cascade", "dropping " + to_string(view.name) + " would also destroy " +
                                  base::join(lost, ", ") + ", which kedge does not manage");
  }
  // postgres refuses to retype a column that a view reads; ours step aside, others cannot.
  void blocking_view(const Name& table, const Identifier& column) {
    if (options_.dialect != schema::Dialect::Postgres || options_.gate == Gate::Marked) {
      return;
    }
    for (const schema::View& view : actual_.views) {
      const bool reads = std::any_of(view.depends_on.begin(), view.depends_on.end(),
                                     [&](const Name& source) { return source == old_name(table); });
      const bool ours = view.fingerprint || find_view(expected_, view.name) != nullptr;
      if (reads && !ours && mentions(view.body, column.text(), options_.dialect)) {
        refuse(codes::ERR_VIEW_BLOCKS_CHANGE,
               "view " + to_string(view.name) + " reads " + to_string(table) + "." + column.text() +
                   " and kedge does not manage it",
               "drop the view first, or declare it");
      }
    }
  }

  void close(const Change& change) {
    if (status_.state == State::Blocked || !status_.tokens.empty()) {
      status_.state = State::Blocked;
      if (status_.reason.empty()) {
        status_.reason = describe(change);
      }
      std::string hint = first_hint_;
      if (!status_.tokens.empty()) {
        hint += (hint.empty() ? "" : "; or ") + std::string("--allow ") +
                base::join(status_.tokens, ",");
      }
      status_.hint = hint;
    } else {
      status_.code = Code();
    }
    first_hint_.clear();
  }

  const diff::Result& result_;
  const schema::Schema& actual_;
  const schema::Schema& expected_;
  const PlanOptions& options_;
  std::map<Name, Name> old_names_;
  Status status_;
  std::string first_hint_;
};

}  // namespace

const std::vector<std::string>& allow_tokens() {
  static const std::vector<std::string> tokens = {"adopt-view",
                                                  "d1-cycle",
                                                  "drop-check",
                                                  "drop-column",
                                                  "drop-fk",
                                                  "drop-identity-default",
                                                  "drop-index",
                                                  "drop-table",
                                                  "drop-unmanaged",
                                                  "drop-view",
                                                  "drop-view-cascade",
                                                  "empty-metadata",
                                                  "nullable-to-not-null",
                                                  "primary-key-change",
                                                  "rebuild-loss",
                                                  "type-change"};
  return tokens;
}

std::vector<Status> gate(const diff::Result& result, const schema::Schema& actual,
                         const schema::Schema& expected, const PlanOptions& options) {
  Gatekeeper keeper(result, actual, expected, options);
  std::vector<Status> statuses;
  statuses.reserve(result.changes.size());
  for (const Change& change : result.changes) {
    statuses.push_back(keeper.at(change));
  }
  return statuses;
}

}  // namespace kedge::migrate
