// One object's table (spec/metadata.md 2.2, 3, 4): columns with flattened values and subtypes
// folded in, key, indexes, foreign keys, checks.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "metadata/diagnostics.h"
#include "metadata/expected.h"
#include "metadata/physical.h"

namespace kedge::metadata {

// A field as it lies in a table.
struct PhysicalColumn {
  const Field* field = nullptr;
  const Object* declared_by = nullptr;  // the base, or the subtype that adds it
  std::string name;
  bool required = false;
  bool from_subtype = false;
  bool flattened = false;
};

// Where a bare field of an object lies: field name -> column.
class ColumnMap {
 public:
  ColumnMap(const Model& model, const Object& object, const Writer& writer);
  const std::vector<PhysicalColumn>& columns() const { return columns_; }
  // The column of a (not flattened) field, as `object` or one of its subtypes knows it.
  const PhysicalColumn* find(const Object& object, const std::string& field) const;

 private:
  void add(const Object& object, const Field& field, const std::string& prefix, bool required,
           bool from_subtype, int depth);
  const Model& model_;
  const Writer& writer_;
  std::vector<PhysicalColumn> columns_;
};

// The subtypes whose rows lie in this object's table, in load order.
std::vector<const Object*> subtypes_of(const Model& model, const Object& object);

schema::Name table_name(const Object& object, const Source& source, schema::Dialect dialect);
schema::Table build_table(const Model& model, const Object& object, const Writer& writer,
                          CommentPolicy comments, Diagnostics& diagnostics);
// CHECK constraints of all columns and of the objects whose rows lie in `table`.
std::vector<schema::Check> build_checks(const Model& model, const Object& object,
                                        const schema::Table& table, const ColumnMap& columns,
                                        const Writer& writer, Diagnostics& diagnostics);

}  // namespace kedge::metadata
