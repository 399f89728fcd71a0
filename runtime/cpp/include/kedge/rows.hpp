// Columns of a row into members and back, over two small concepts: a Reader has is_null(column) and
// get<T>(column), a Writer has set(column, value) and set_null(column). Header only.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kedge {

template <class Reader, class T>
void read_column(Reader& reader, std::string_view column, T& value) {
  if constexpr (std::is_enum_v<T>) {
    const std::string text = reader.template get<std::string>(column);
    const std::optional<T> parsed = parse_enum(text, static_cast<const T*>(nullptr));
    if (!parsed) {
      throw std::runtime_error("column " + std::string(column) + " holds '" + text +
                               "', which is no member of its enum");
    }
    value = *parsed;
  } else {
    value = reader.template get<T>(column);
  }
}

template <class Reader, class T>
void read_column(Reader& reader, std::string_view column, std::optional<T>& value) {
  if (reader.is_null(column)) {
    value.reset();
    return;
  }
  T inner{};
  read_column(reader, column, inner);
  value = std::move(inner);
}

template <class Writer, class T>
void write_column(Writer& writer, std::string_view column, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    writer.set(column, std::string(to_string(value)));
  } else {
    writer.set(column, value);
  }
}

template <class Writer, class T>
void write_column(Writer& writer, std::string_view column, const std::optional<T>& value) {
  if (value) {
    write_column(writer, column, *value);
  } else {
    writer.set_null(column);
  }
}

}  // namespace kedge
