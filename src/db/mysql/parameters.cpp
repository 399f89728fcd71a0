#include "db/mysql/parameters.h"

#include <cstring>

namespace kedge::db::mysql {

Parameters::Parameters(std::span<const Value> values)
    : integers_(values.size()),
      reals_(values.size()),
      texts_(values.size()),
      binds_(values.size()) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    bind(i, values[i]);
  }
}

void Parameters::bind(std::size_t i, const Value& value) {
  MYSQL_BIND& bind = binds_[i];
  std::memset(&bind, 0, sizeof bind);
  if (const auto* truth = std::get_if<bool>(&value)) {
    integers_[i] = *truth ? 1 : 0;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    integers_[i] = *integer;
  } else if (const auto* real = std::get_if<double>(&value)) {
    reals_[i] = *real;
    bind.buffer_type = MYSQL_TYPE_DOUBLE;
    bind.buffer = &reals_[i];
    return;
  } else if (is_null(value)) {
    bind.buffer_type = MYSQL_TYPE_NULL;
    return;
  } else {
    bind_text(bind, i, value);
    return;
  }
  bind.buffer_type = MYSQL_TYPE_LONGLONG;
  bind.buffer = &integers_[i];
}

void Parameters::bind_text(MYSQL_BIND& bind, std::size_t i, const Value& value) {
  const auto* bytes = std::get_if<Bytes>(&value);
  texts_[i] = bytes == nullptr
                  ? std::get<std::string>(value)
                  : std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  bind.buffer_type = bytes == nullptr ? MYSQL_TYPE_STRING : MYSQL_TYPE_BLOB;
  bind.buffer = texts_[i].data();
  bind.buffer_length = static_cast<unsigned long>(texts_[i].size());
}

}  // namespace kedge::db::mysql
