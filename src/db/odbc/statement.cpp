#include <array>

#include "base/text.h"
#include "db/failure.h"
#include "db/odbc/session.h"

namespace kedge::db::odbc {
namespace {

using schema::TypeKind;

// What a parameter points to while the statement runs.
struct Bound {
  SQLLEN size = 0;
  std::int64_t integer = 0;
  double real = 0;
  unsigned char truth = 0;
  Wide text;
  std::string bytes;
};

struct Parameter {
  SQLSMALLINT c_type = SQL_C_WCHAR;
  SQLSMALLINT sql_type = SQL_WVARCHAR;
  SQLPOINTER data = nullptr;
  SQLULEN column_size = 1;
};

Parameter bind(const Value& value, Bound& bound) {
  if (const auto* truth = std::get_if<bool>(&value)) {
    bound.truth = *truth ? 1 : 0;
    return {SQL_C_BIT, SQL_BIT, &bound.truth, 1};
  }
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    bound.integer = *integer;
    return {SQL_C_SBIGINT, SQL_BIGINT, &bound.integer, 19};
  }
  if (const auto* real = std::get_if<double>(&value)) {
    bound.real = *real;
    return {SQL_C_DOUBLE, SQL_DOUBLE, &bound.real, 15};
  }
  if (const auto* bytes = std::get_if<Bytes>(&value)) {
    bound.bytes.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    bound.size = static_cast<SQLLEN>(bound.bytes.size());
    return {SQL_C_BINARY, SQL_LONGVARBINARY, bound.bytes.data(),
            std::max<SQLULEN>(bound.bytes.size(), 1)};
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    bound.text = to_wide(*text);
    bound.size = static_cast<SQLLEN>(bound.text.size() * sizeof(SQLWCHAR));
    return {SQL_C_WCHAR, SQL_WVARCHAR, bound.text.data(), std::max<SQLULEN>(bound.text.size(), 1)};
  }
  bound.size = SQL_NULL_DATA;
  return {};
}

TypeKind kind_of(SQLSMALLINT code) {
  switch (code) {
    case SQL_BIT:
      return TypeKind::Boolean;
    case SQL_TINYINT:
    case SQL_SMALLINT:
      return TypeKind::Int16;
    case SQL_INTEGER:
      return TypeKind::Int32;
    case SQL_BIGINT:
      return TypeKind::Int64;
    case SQL_REAL:
      return TypeKind::Real4;
    case SQL_FLOAT:
    case SQL_DOUBLE:
      return TypeKind::Real8;
    case SQL_NUMERIC:
    case SQL_DECIMAL:
      return TypeKind::Numeric;
    case SQL_CHAR:
    case SQL_WCHAR:
      return TypeKind::Char;
    case SQL_VARCHAR:
    case SQL_LONGVARCHAR:
    case SQL_WVARCHAR:
    case SQL_WLONGVARCHAR:
      return TypeKind::Text;
    case SQL_BINARY:
    case SQL_VARBINARY:
    case SQL_LONGVARBINARY:
      return TypeKind::Blob;
    case SQL_TYPE_DATE:
    case SQL_DATE:
      return TypeKind::Date;
    case SQL_TYPE_TIME:
    case SQL_TIME:
      return TypeKind::Time;
    case SQL_TYPE_TIMESTAMP:
    case SQL_TIMESTAMP:
      return TypeKind::Timestamp;
    case SQL_GUID:
      return TypeKind::Uuid;
    default:
      return TypeKind::Native;
  }
}

}  // namespace

schema::Type type_of(SQLSMALLINT code, SQLULEN size, SQLSMALLINT digits, const std::string& name) {
  constexpr SQLULEN kLongest = 1U << 20U;  // drivers say any huge number for "no limit"
  schema::Type type;
  type.kind = kind_of(code);
  type.native = name;
  const bool plain = name.find('(') == std::string::npos;
  if (type.kind == TypeKind::Numeric && size > 0 && size < 1000) {
    type.precision = static_cast<int>(size);
    type.scale = digits;
    type.native += plain ? "(" + std::to_string(size) + "," + std::to_string(digits) + ")" : "";
  } else if ((type.kind == TypeKind::Text || type.kind == TypeKind::Char) && size > 0 &&
             size < kLongest && code != SQL_LONGVARCHAR && code != SQL_WLONGVARCHAR) {
    type.length = static_cast<int>(size);
    type.native +=
        plain && !base::equals_ignoring_case(name, "text") ? "(" + std::to_string(size) + ")" : "";
  }
  return type;
}

Statement::Statement(Session& session, double seconds) : session_(session) {
  session_.check(session_.api().SQLAllocHandle(SQL_HANDLE_STMT, session_.raw(), &statement_),
                 SQL_HANDLE_DBC, session_.raw());
  watchdog_ = session_.watch(statement_, seconds);
}

Statement::~Statement() {
  watchdog_.reset();
  session_.unwatch();
  session_.api().SQLFreeHandle(SQL_HANDLE_STMT, statement_);
}

void Statement::execute(std::string_view sql) {
  Wide text = to_wide(sql);
  check(
      session_.api().SQLExecDirectW(statement_, text.data(), static_cast<SQLINTEGER>(text.size())));
}

void Statement::prepare(std::string_view sql) {
  Wide text = to_wide(sql);
  check(session_.api().SQLPrepareW(statement_, text.data(), static_cast<SQLINTEGER>(text.size())));
}

void Statement::execute(std::string_view sql, std::span<const Value> parameters) {
  prepare(sql);
  execute_prepared(parameters);
}

void Statement::execute_prepared(std::span<const Value> parameters) {
  std::vector<Bound> bounds(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Parameter parameter = bind(parameters[i], bounds[i]);
    check(session_.api().SQLBindParameter(
        statement_, static_cast<SQLUSMALLINT>(i + 1), SQL_PARAM_INPUT, parameter.c_type,
        parameter.sql_type, parameter.column_size, 0, parameter.data,
        bounds[i].size > 0 ? bounds[i].size : 0, &bounds[i].size));
  }
  check(session_.api().SQLExecute(statement_));
}

std::vector<ResultColumn> Statement::columns() {
  const Api& api = session_.api();
  SQLSMALLINT count = 0;
  check(api.SQLNumResultCols(statement_, &count));
  std::vector<ResultColumn> result;
  types_.clear();
  for (SQLUSMALLINT i = 1; i <= static_cast<SQLUSMALLINT>(count); ++i) {
    std::array<SQLWCHAR, 512> name{};
    SQLSMALLINT name_size = 0;
    SQLSMALLINT code = 0;
    SQLULEN size = 0;
    SQLSMALLINT digits = 0;
    SQLSMALLINT nullable = 0;
    check(api.SQLDescribeColW(statement_, i, name.data(), static_cast<SQLSMALLINT>(name.size()),
                              &name_size, &code, &size, &digits, &nullable));
    std::array<SQLWCHAR, 256> native{};
    SQLSMALLINT native_bytes = 0;
    SQLLEN ignored = 0;
    api.SQLColAttributeW(statement_, i, SQL_DESC_TYPE_NAME, native.data(),
                         static_cast<SQLSMALLINT>(sizeof native), &native_bytes, &ignored);
    const std::size_t native_size = std::min<std::size_t>(
        static_cast<std::size_t>(std::max<SQLSMALLINT>(native_bytes, 0)) / sizeof(SQLWCHAR),
        native.size() - 1);
    schema::Type type = type_of(code, size, digits, to_utf8(native.data(), native_size));
    std::string native_name = type.native;
    result.push_back({to_utf8(name.data(), static_cast<std::size_t>(name_size)), std::move(type),
                      std::move(native_name)});
    types_.push_back(code);
  }
  return result;
}

bool Statement::fetch(Row& row) {
  const SQLRETURN code = session_.api().SQLFetch(statement_);
  check(code);
  if (code == SQL_NO_DATA) {
    return false;
  }
  row.resize(types_.size());
  for (std::size_t i = 0; i < types_.size(); ++i) {
    row[i] = cell(static_cast<SQLUSMALLINT>(i + 1), types_[i]);
  }
  return true;
}

Value Statement::cell(SQLUSMALLINT column, SQLSMALLINT type) {
  const Api& api = session_.api();
  SQLLEN size = 0;
  const auto get = [&](SQLSMALLINT c_type, SQLPOINTER data, SQLLEN room) {
    check(api.SQLGetData(statement_, column, c_type, data, room, &size));
    return size != SQL_NULL_DATA;
  };
  switch (type) {
    case SQL_BIT: {
      unsigned char truth = 0;
      return get(SQL_C_BIT, &truth, sizeof truth) ? Value(truth != 0) : Value();
    }
    case SQL_TINYINT:
    case SQL_SMALLINT:
    case SQL_INTEGER:
    case SQL_BIGINT: {
      std::int64_t integer = 0;
      return get(SQL_C_SBIGINT, &integer, sizeof integer) ? Value(integer) : Value();
    }
    case SQL_REAL:
    case SQL_FLOAT:
    case SQL_DOUBLE: {
      double real = 0;
      return get(SQL_C_DOUBLE, &real, sizeof real) ? Value(real) : Value();
    }
    case SQL_BINARY:
    case SQL_VARBINARY:
    case SQL_LONGVARBINARY:
      return binary_cell(column);
    default:
      return wide_cell(column);
  }
}

// Long values come in pieces: "more" is SQL_SUCCESS_WITH_INFO (01004, truncated).
Value Statement::wide_cell(SQLUSMALLINT column) {
  std::array<SQLWCHAR, 2048> piece{};
  Wide text;
  while (true) {
    SQLLEN size = 0;
    const SQLRETURN code = session_.api().SQLGetData(statement_, column, SQL_C_WCHAR, piece.data(),
                                                     static_cast<SQLLEN>(sizeof piece), &size);
    check(code);
    if (size == SQL_NULL_DATA) {
      return {};
    }
    if (code == SQL_NO_DATA) {
      break;
    }
    const std::size_t room = piece.size() - 1;
    const bool more =
        code == SQL_SUCCESS_WITH_INFO &&
        (size == SQL_NO_TOTAL || static_cast<std::size_t>(size) > room * sizeof(SQLWCHAR));
    text.append(piece.data(), more ? room : static_cast<std::size_t>(size) / sizeof(SQLWCHAR));
    if (!more) {
      break;
    }
  }
  return to_utf8(text.data(), text.size());
}

Value Statement::binary_cell(SQLUSMALLINT column) {
  std::array<std::byte, 4096> piece{};
  Bytes bytes;
  while (true) {
    SQLLEN size = 0;
    const SQLRETURN code = session_.api().SQLGetData(statement_, column, SQL_C_BINARY, piece.data(),
                                                     static_cast<SQLLEN>(piece.size()), &size);
    check(code);
    if (size == SQL_NULL_DATA) {
      return {};
    }
    if (code == SQL_NO_DATA) {
      break;
    }
    const bool more = code == SQL_SUCCESS_WITH_INFO &&
                      (size == SQL_NO_TOTAL || static_cast<std::size_t>(size) > piece.size());
    const std::size_t count = more ? piece.size() : static_cast<std::size_t>(size);
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
    if (!more) {
      break;
    }
  }
  return bytes;
}

std::int64_t Statement::affected() {
  SQLLEN count = 0;
  session_.api().SQLRowCount(statement_, &count);
  return count < 0 ? 0 : static_cast<std::int64_t>(count);
}

bool Statement::next_result() {
  const SQLRETURN code = session_.api().SQLMoreResults(statement_);
  check(code);
  return code != SQL_NO_DATA;
}

}  // namespace kedge::db::odbc
