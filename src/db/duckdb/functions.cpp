#include "db/duckdb/functions.h"

#include <atomic>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "db/duckdb/json_text.h"

namespace kedge::db::duckdb {
namespace {

// Does the text say more than a number with so many decimal places can hold? True too often is
// harmless: the exact test follows.
bool is_inexact(std::string_view text, std::int32_t digits) {
  std::size_t fraction = 0;
  bool after_point = false;
  for (const char c : text) {
    if (c == 'e' || c == 'E') {
      return true;
    }
    fraction += after_point ? 1 : 0;
    after_point = after_point || c == '.';
  }
  return after_point && fraction > static_cast<std::size_t>(digits < 0 ? 0 : digits);
}

// May the number be too large or too small for a FLOAT? True too often is harmless here as well.
bool is_extreme(std::string_view text) {
  constexpr std::size_t kOrdinaryDigits = 30;  // a FLOAT goes from 1e-45 to 3e38
  return text.size() > kOrdinaryDigits || text.find_first_of("eE") != std::string_view::npos;
}

bool is_zoned(std::string_view text) {
  constexpr std::size_t kToMinutes = 16;  // 2027-03-14 08:15
  constexpr std::size_t kDay = 11;
  return text.size() > kToMinutes &&
         (text.back() == 'Z' || text.find('+') != std::string_view::npos ||
          text.find('-', kDay) != std::string_view::npos);
}

std::atomic<const Api*> functions = nullptr;  // of the library, of which there is one

std::string_view text_of(const duckdb_string_t& text) {
  return text.value.inlined.length <= 12
             ? std::string_view(text.value.inlined.inlined, text.value.inlined.length)
             : std::string_view(text.value.pointer.ptr, text.value.pointer.length);
}

// Rows that are NULL are answered by DuckDB itself; what stands in them is still readable memory
// but no text.
struct Texts {
  Texts(const Api& api, duckdb_data_chunk input, idx_t column) {
    duckdb_vector vector = api.data_chunk_get_vector(input, column);
    texts = static_cast<const duckdb_string_t*>(api.vector_get_data(vector));
    valid = api.vector_get_validity(vector);
  }
  bool there(idx_t row) const {
    return valid == nullptr || ((valid[row / 64] >> (row % 64)) & 1U) != 0;
  }
  std::string_view operator[](idx_t row) const { return text_of(texts[row]); }

  const duckdb_string_t* texts = nullptr;
  const std::uint64_t* valid = nullptr;
};

template <class Test>
void each_text(const Api& api, duckdb_data_chunk input, duckdb_vector output, const Test& test) {
  const Texts texts(api, input, 0);
  auto* answers = static_cast<bool*>(api.vector_get_data(output));
  const idx_t rows = api.data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    answers[row] = texts.there(row) && test(texts[row], row);
  }
}

using Answer = std::optional<std::string> (*)(std::string_view, std::string_view);

// A text or NULL out of two texts.
template <Answer answer>
void give_text(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const Api& api = *functions.load();
  const Texts first(api, input, 0);
  const Texts second(api, input, 1);
  api.vector_ensure_validity_writable(output);
  std::uint64_t* valid = api.vector_get_validity(output);
  const idx_t rows = api.data_chunk_get_size(input);
  for (idx_t row = 0; row < rows; ++row) {
    const std::optional<std::string> text =
        first.there(row) && second.there(row) ? answer(first[row], second[row]) : std::nullopt;
    if (text) {
      api.vector_assign_string_element_len(output, row, text->data(), text->size());
    } else {
      valid[row / 64] &= ~(std::uint64_t{1} << (row % 64));
    }
  }
}

void inexact(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const Api& api = *functions.load();
  const auto* digits =
      static_cast<const std::int32_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 1)));
  each_text(api, input, output,
            [&](std::string_view text, idx_t row) { return is_inexact(text, digits[row]); });
}

void places(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  const Api& api = *functions.load();
  const auto* digits =
      static_cast<const std::int32_t*>(api.vector_get_data(api.data_chunk_get_vector(input, 1)));
  each_text(api, input, output,
            [&](std::string_view text, idx_t row) { return has_more_places(text, digits[row]); });
}

void extreme(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  each_text(*functions.load(), input, output,
            [](std::string_view text, idx_t) { return is_extreme(text); });
}

void zoned(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output) {
  each_text(*functions.load(), input, output,
            [](std::string_view text, idx_t) { return is_zoned(text); });
}

struct Function {
  const char* name;
  std::initializer_list<duckdb_type> parameters;
  duckdb_type answer;
  duckdb_scalar_function_t function;
};

void add(const Api& api, duckdb_connection connection, const Function& wanted) {
  duckdb_scalar_function made = api.create_scalar_function();
  api.scalar_function_set_name(made, wanted.name);
  for (const duckdb_type parameter : wanted.parameters) {
    duckdb_logical_type type = api.create_logical_type(parameter);
    api.scalar_function_add_parameter(made, type);
    api.destroy_logical_type(&type);
  }
  duckdb_logical_type answer = api.create_logical_type(wanted.answer);
  api.scalar_function_set_return_type(made, answer);
  api.destroy_logical_type(&answer);
  api.scalar_function_set_function(made, wanted.function);
  api.register_scalar_function(connection, made);
  api.destroy_scalar_function(&made);
}

}  // namespace

void register_functions(const Api& api, duckdb_connection connection) {
  functions = &api;
  constexpr duckdb_type kText = DUCKDB_TYPE_VARCHAR;
  constexpr duckdb_type kTruth = DUCKDB_TYPE_BOOLEAN;
  constexpr duckdb_type kNumber = DUCKDB_TYPE_INTEGER;
  add(api, connection, {"kedge_inexact", {kText, kNumber}, kTruth, inexact});
  add(api, connection, {"kedge_places", {kText, kNumber}, kTruth, places});
  add(api, connection, {"kedge_extreme", {kText}, kTruth, extreme});
  add(api, connection, {"kedge_zoned", {kText}, kTruth, zoned});
  add(api, connection, {"kedge_member", {kText, kText}, kText, give_text<member_value>});
  add(api, connection, {"kedge_member_text", {kText, kText}, kText, give_text<member_text>});
  add(api, connection, {"kedge_nested", {kText, kText}, kText, give_text<nested_text>});
}

}  // namespace kedge::db::duckdb
