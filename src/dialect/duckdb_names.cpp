#include "dialect/duckdb_names.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"
#include "dialect/duckdb_words.h"

namespace kedge::dialect {
namespace {

using schema::Type;
using schema::TypeKind;

constexpr int kMaxDepth = 32;
constexpr int kMaxPrecision = 38;

// Recursive descent over the text. The first problem wins; later calls then do nothing.
class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : text_(text) {}

  DuckdbType read() {
    Type type = read_type(0);
    skip_blanks();
    if (problem_.empty() && at_ != text_.size()) {
      fail("unexpected '" + std::string(text_.substr(at_)) + "'");
    }
    if (!problem_.empty()) {
      return {std::nullopt, problem_, suggestion_};
    }
    return {std::move(type), "", ""};
  }

 private:
  void fail(std::string problem) {
    if (problem_.empty()) {
      problem_ = std::move(problem);
    }
  }
  void skip_blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
      ++at_;
    }
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail(std::string("'") + c + "' expected");
    }
  }
  bool done() const { return !problem_.empty(); }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
  }
  std::string read_word() {
    skip_blanks();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) {
      ++at_;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string read_quoted(char quote) {
    std::string value;
    while (at_ < text_.size()) {
      const char c = text_[at_++];
      if (c != quote) {
        value += c;
      } else if (at_ < text_.size() && text_[at_] == quote) {
        value += text_[at_++];
      } else {
        return value;
      }
    }
    fail("unclosed quote");
    return value;
  }

  // One word, or the longest of the two- and four-word names.
  const DuckdbWord* read_name() {
    const std::string first = base::to_lower(read_word());
    if (first.empty()) {
      fail(at_ < text_.size()
               ? "a type name was expected before '" + std::string(text_.substr(at_)) + "'"
               : "the type name is missing");
      return nullptr;
    }
    std::string name = first;
    const std::size_t after_first = at_;
    std::string more;
    for (int words = 0; words < 3; ++words) {
      const std::string word = base::to_lower(read_word());
      if (word.empty()) {
        break;
      }
      more += " " + word;
      if (find_word(first + more) != nullptr) {
        return find_word(first + more);
      }
    }
    at_ = after_first;
    const DuckdbWord* word = find_word(name);
    if (word == nullptr) {
      suggest(name);
    }
    return word;
  }
  static const DuckdbWord* find_word(std::string_view name) {
    const auto words = duckdb_words();
    const auto found = std::find_if(words.begin(), words.end(),
                                    [&](const DuckdbWord& w) { return w.name == name; });
    return found == words.end() ? nullptr : &*found;
  }
  void suggest(const std::string& name) {
    std::vector<std::string> known;
    for (const DuckdbWord& word : duckdb_words()) {
      known.emplace_back(word.name);
    }
    fail("unknown type '" + name + "'");
    suggestion_ = base::nearest_name(name, known).value_or("");
  }

  Type read_type(int depth) {
    Type type;
    if (depth > kMaxDepth) {
      fail("the type is nested too deeply");
      return type;
    }
    const DuckdbWord* word = read_name();
    if (word == nullptr) {
      return type;
    }
    type.kind = word->kind;
    if (word->precision >= 0) {
      type.precision = word->precision;
    }
    read_arguments(type, depth);
    read_suffixes(type);
    return type;
  }

  void read_arguments(Type& type, int depth) {
    if (type.kind == TypeKind::Struct) {
      read_fields(type, depth);
    } else if (type.kind == TypeKind::Map) {
      expect('(');
      type.element.push_back(done() ? Type{} : read_type(depth + 1));
      expect(',');
      type.element.push_back(done() ? Type{} : read_type(depth + 1));
      expect(')');
    } else if (type.kind == TypeKind::Enum) {
      read_labels(type);
    } else {
      read_numbers(type);
    }
  }

  void read_fields(Type& type, int depth) {
    expect('(');
    do {
      skip_blanks();
      if (done()) {
        return;
      }
      std::string name =
          at_ < text_.size() && text_[at_] == '"' ? (++at_, read_quoted('"')) : read_word();
      if (name.empty()) {
        fail("a field name is missing");
        return;
      }
      type.labels.push_back(std::move(name));
      type.element.push_back(read_type(depth + 1));
    } while (!done() && accept(','));
    expect(')');
  }

  void read_labels(Type& type) {
    expect('(');
    do {
      if (done()) {
        return;
      }
      expect('\'');
      type.labels.push_back(read_quoted('\''));
    } while (!done() && accept(','));
    expect(')');
  }

  std::optional<int> read_number() {
    const std::string word = read_word();
    if (word.empty() || word.size() > 9 ||
        !std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; })) {
      fail("a whole number was expected, not '" + word + "'");
      return std::nullopt;
    }
    return std::stoi(word);
  }

  void read_numbers(Type& type) {
    std::vector<int> numbers;
    const bool given = accept('(');
    if (given) {
      do {
        const std::optional<int> number = read_number();
        if (!number) {
          return;
        }
        numbers.push_back(*number);
      } while (accept(','));
      expect(')');
    }
    apply_numbers(type, numbers);
  }

  void apply_numbers(Type& type, const std::vector<int>& numbers) {
    if (type.kind == TypeKind::Numeric) {
      apply_decimal(type, numbers);
      return;
    }
    if (numbers.empty()) {
      return;
    }
    if (numbers.size() > 1) {
      fail("too many numbers in parentheses");
    } else if (type.kind == TypeKind::Text) {
      if (numbers[0] == 0) {
        fail("the length must be at least 1");
      }
      type.length = numbers[0];
    } else if (type.kind == TypeKind::Timestamp || type.kind == TypeKind::TimestampTz) {
      if (numbers[0] > 9) {
        fail("at most 9 fraction digits");
      }
      type.precision = numbers[0];
    } else if (type.kind != TypeKind::Blob && type.kind != TypeKind::Time) {
      fail("this type takes no number in parentheses");
    }
  }

  void apply_decimal(Type& type, const std::vector<int>& numbers) {
    type.precision = numbers.empty() ? kMaxPrecision : numbers[0];
    type.scale = numbers.empty() ? 9 : (numbers.size() > 1 ? numbers[1] : 0);
    if (numbers.size() > 2) {
      fail("decimal takes precision and scale");
    } else if (*type.precision < 1 || *type.precision > kMaxPrecision) {
      fail("the precision of a decimal is 1 to 38, not " + std::to_string(*type.precision));
    } else if (*type.scale > *type.precision) {
      fail("the scale " + std::to_string(*type.scale) + " is above the precision " +
           std::to_string(*type.precision));
    }
  }

  void read_suffixes(Type& type) {
    int suffixes = 0;
    while (!done() && accept('[')) {
      skip_blanks();
      if (at_ < text_.size() && text_[at_] != ']') {
        type.length = std::nullopt;
        read_number();
      }
      expect(']');
      if (++suffixes > kMaxDepth) {
        fail("the type is nested too deeply");
      }
      Type list;
      list.kind = TypeKind::Array;
      list.element.push_back(std::move(type));
      type = std::move(list);
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string problem_;
  std::string suggestion_;
};

std::string quote(std::string_view text, char mark) {
  const std::string one(1, mark);
  return one + base::replace_all(std::string(text), one, one + one) + one;
}

std::string fields_text(const Type& type) {
  std::string text;
  for (std::size_t i = 0; i < type.element.size(); ++i) {
    const std::string& name = type.labels.at(i);
    const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return std::islower(static_cast<unsigned char>(c)) != 0 || c == '_' ||
             std::isdigit(static_cast<unsigned char>(c)) != 0;
    });
    text += (i == 0 ? "" : ", ") + (plain && !name.empty() ? name : quote(name, '"')) + " " +
            duckdb_type_name(type.element[i]);
  }
  return text;
}

std::string timestamp_name(const Type& type) {
  if (type.kind != TypeKind::Timestamp || !type.precision) {
    return std::string(duckdb_kind_name(type.kind)) +
           (type.precision ? "(" + std::to_string(*type.precision) + ")" : "");
  }
  switch (*type.precision) {
    case 0:
      return "TIMESTAMP_S";
    case 3:
      return "TIMESTAMP_MS";
    case 6:
      return "TIMESTAMP";
    case 9:
      return "TIMESTAMP_NS";
    default:
      return "TIMESTAMP(" + std::to_string(*type.precision) + ")";
  }
}

std::string enum_name(const Type& type) {
  std::string text = "ENUM(";
  for (std::size_t i = 0; i < type.labels.size(); ++i) {
    text += (i == 0 ? "" : ", ") + quote(type.labels[i], '\'');
  }
  return text + ")";
}

}  // namespace

std::string_view duckdb_kind_name(TypeKind kind) {
  switch (kind) {
    case TypeKind::Boolean:
      return "BOOLEAN";
    case TypeKind::Int8:
      return "TINYINT";
    case TypeKind::Int16:
      return "SMALLINT";
    case TypeKind::Int32:
      return "INTEGER";
    case TypeKind::Int64:
      return "BIGINT";
    case TypeKind::Int128:
      return "HUGEINT";
    case TypeKind::UInt8:
      return "UTINYINT";
    case TypeKind::UInt16:
      return "USMALLINT";
    case TypeKind::UInt32:
      return "UINTEGER";
    case TypeKind::UInt64:
      return "UBIGINT";
    case TypeKind::UInt128:
      return "UHUGEINT";
    case TypeKind::Real4:
      return "FLOAT";
    case TypeKind::Real8:
      return "DOUBLE";
    case TypeKind::Numeric:
      return "DECIMAL";
    case TypeKind::Text:
    case TypeKind::Char:
    case TypeKind::Inet:
    case TypeKind::Domain:
    case TypeKind::Unknown:
    case TypeKind::Native:
      return "VARCHAR";
    case TypeKind::Blob:
      return "BLOB";
    case TypeKind::Bit:
      return "BIT";
    case TypeKind::Date:
      return "DATE";
    case TypeKind::Time:
      return "TIME";
    case TypeKind::TimeTz:
      return "TIME WITH TIME ZONE";
    case TypeKind::Timestamp:
      return "TIMESTAMP";
    case TypeKind::TimestampTz:
      return "TIMESTAMPTZ";
    case TypeKind::Interval:
      return "INTERVAL";
    case TypeKind::Uuid:
      return "UUID";
    case TypeKind::Json:
      return "JSON";
    case TypeKind::Array:
      return "VARCHAR[]";
    case TypeKind::Struct:
      return "STRUCT";
    case TypeKind::Map:
      return "MAP";
    case TypeKind::Enum:
      return "ENUM";
  }
  return "VARCHAR";
}

DuckdbType parse_duckdb_type(std::string_view text) {
  if (text.size() > 10'000) {
    return {std::nullopt, "the type name is too long", ""};
  }
  return TypeReader(text).read();
}

std::string duckdb_type_name(const Type& type) {
  switch (type.kind) {  // NOLINT: the kinds without facets share one table
    case TypeKind::Numeric:
      return "DECIMAL(" + std::to_string(type.precision.value_or(kMaxPrecision)) + "," +
             std::to_string(type.scale.value_or(type.precision ? 0 : 9)) + ")";
    case TypeKind::Text:
    case TypeKind::Char:
      return type.length ? "VARCHAR(" + std::to_string(*type.length) + ")" : "VARCHAR";
    case TypeKind::Timestamp:
    case TypeKind::TimestampTz:
      return timestamp_name(type);
    case TypeKind::Array:
      return type.element.empty() ? "VARCHAR[]" : duckdb_type_name(type.element[0]) + "[]";
    case TypeKind::Struct:
      return type.labels.size() == type.element.size() && !type.element.empty()
                 ? "STRUCT(" + fields_text(type) + ")"
                 : (type.native.empty() ? "STRUCT" : type.native);
    case TypeKind::Map:
      return type.element.size() == 2 ? "MAP(" + duckdb_type_name(type.element[0]) + ", " +
                                            duckdb_type_name(type.element[1]) + ")"
                                      : (type.native.empty() ? "MAP" : type.native);
    case TypeKind::Enum:
      return type.labels.empty() ? "VARCHAR" : enum_name(type);
    case TypeKind::Native:
      return type.native.empty() ? "VARCHAR" : type.native;
    case TypeKind::Unknown:
    case TypeKind::Boolean:
    case TypeKind::Int8:
    case TypeKind::Int16:
    case TypeKind::Int32:
    case TypeKind::Int64:
    case TypeKind::Int128:
    case TypeKind::UInt8:
    case TypeKind::UInt16:
    case TypeKind::UInt32:
    case TypeKind::UInt64:
    case TypeKind::UInt128:
    case TypeKind::Real4:
    case TypeKind::Real8:
    case TypeKind::Blob:
    case TypeKind::Bit:
    case TypeKind::Date:
    case TypeKind::Time:
    case TypeKind::TimeTz:
    case TypeKind::Interval:
    case TypeKind::Uuid:
    case TypeKind::Json:
    case TypeKind::Inet:
    case TypeKind::Domain:
      break;
  }
  return std::string(duckdb_kind_name(type.kind));
}

}  // namespace kedge::dialect
