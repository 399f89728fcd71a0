// Values bound to the places of a prepared statement, in the form the server converts best.
#pragma once

#include "db/mysql/api.h"

namespace kedge::db::mysql {

class Parameters {
 public:
  explicit Parameters(std::span<const Value> values);
  MYSQL_BIND* data() { return binds_.data(); }

 private:
  void bind(std::size_t i, const Value& value);
  void bind_text(MYSQL_BIND& bind, std::size_t i, const Value& value);
  std::vector<long long> integers_;
  std::vector<double> reals_;
  std::vector<std::string> texts_;
  std::vector<MYSQL_BIND> binds_;
};

}  // namespace kedge::db::mysql
