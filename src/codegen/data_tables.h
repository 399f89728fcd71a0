// The tables and columns of the data that packs see, as the resolved physical model has them.
#pragma once

#include <map>
#include <string>

#include "codegen/data_names.h"

namespace kedge::codegen {

class TableData {
 public:
  TableData(const metadata::Model& model, const Pack& pack, const TargetSettings& target,
            const DataNames& names);
  TableData(const TableData&) = delete;
  TableData& operator=(const TableData&) = delete;

  // Adds "table" when the object has a relational source.
  void add_table(document::Node& node, const metadata::Object& object) const;
  std::string sql_type(const metadata::Object& object, const std::string& column) const;
  // As text between quotes in the language of the pack.
  std::string literal(const std::string& text) const;

 private:
  struct Outer {  // what a flattened value lies in
    const metadata::Object* owner = nullptr;
    std::string field_prefix;
    std::string column_prefix;
    bool required = true;
  };
  const metadata::Object& stored_as(const metadata::Object& object) const;
  const schema::Table* table_of(const metadata::Object& object) const;
  const schema::Column* column_of(const metadata::Object& object, const std::string& column) const;
  document::Node subtypes_of(const metadata::Object& object) const;
  void add_columns(document::Node& columns, const metadata::Field& field,
                   const metadata::Object& object, const Outer& outer) const;
  document::Node column_node(const metadata::Field& field, const metadata::Object& object,
                             const Outer& outer) const;

  const metadata::Model& model_;
  const Pack& pack_;
  const TargetSettings& target_;
  const DataNames& names_;
  schema::Schema expected_;
  std::multimap<std::string, const schema::Table*> tables_;  // by bare name
};

}  // namespace kedge::codegen
