// Reads the model file, a JSON of known shape; whatever else it holds is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kedge::model {

struct Column {
  std::string field;
  std::string column;
  std::string type;
  bool nullable = true;
  int key = 0;
  std::vector<std::string> values;
  int length = 0;
};
struct Entity {
  std::string object;
  std::string schema;
  std::string table;
  std::vector<Column> columns;
};

bool read(std::string_view json, std::vector<Entity>& entities);  // false: not a model

}  // namespace kedge::model
