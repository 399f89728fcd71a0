#include "templates/escape.h"

#include <array>
#include <charconv>
#include <cmath>

#include "document/json.h"

namespace kedge::templates {
namespace {

using document::Kind;
using document::Node;

// As ECMAScript prints a double.
std::string double_text(double value) {
  if (value == 0) {
    return "0";
  }
  std::array<char, 64> buffer{};
  const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::fabs(value),
                                     std::chars_format::scientific);
  const std::string_view text(buffer.data(), static_cast<std::size_t>(written.ptr - buffer.data()));
  const std::size_t mark = text.find('e');
  std::string digits(1, text[0]);
  if (mark > 2) {
    digits += text.substr(2, mark - 2);
  }
  const int exponent = std::atoi(std::string(text.substr(mark + 1)).c_str());
  const int count = static_cast<int>(digits.size());
  const int point = exponent + 1;  // digits before the decimal point
  std::string result;
  if (point > 21 || point < -5) {
    result = digits.substr(0, 1) + (count > 1 ? "." + digits.substr(1) : "") + "e" +
             (exponent < 0 ? "-" : "+") + std::to_string(std::abs(exponent));
  } else if (point >= count) {
    result = digits + std::string(static_cast<std::size_t>(point - count), '0');
  } else if (point > 0) {
    result = digits.substr(0, static_cast<std::size_t>(point)) + "." +
             digits.substr(static_cast<std::size_t>(point));
  } else {
    result = "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  }
  return (value < 0 ? "-" : "") + result;
}

void write_compact(const Node& value, std::string& out) {
  if (value.is_sequence()) {
    out += '[';
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      out += i > 0 ? "," : "";
      write_compact(value.items[i], out);
    }
    out += ']';
  } else if (value.is_mapping()) {
    out += '{';
    for (std::size_t i = 0; i < value.entries.size(); ++i) {
      out += (i > 0 ? "," : "") +
             document::write_json(document::Json(value.entries[i].key.text), -1) + ":";
      write_compact(value.entries[i].value, out);
    }
    out += '}';
  } else if (value.is_string()) {
    out += document::write_json(document::Json(value.text), -1);
  } else {
    out += value.kind == Kind::Null ? "null" : value_text(value);
  }
}

std::string xml_escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

bool is_xml_text(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const bool control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    const bool non_character = byte == 0xEF && at + 2 < text.size() &&
                               static_cast<unsigned char>(text[at + 1]) == 0xBF &&
                               static_cast<unsigned char>(text[at + 2]) >= 0xBE;
    if (control || non_character) {
      return false;
    }
  }
  return true;
}

std::string guarded(std::string text, const Node& value) {
  static constexpr std::string_view kFormula = "=+-@\t\r";
  const bool formula =
      value.is_string() && !text.empty() && kFormula.find(text[0]) != std::string_view::npos;
  return formula ? "'" + text : text;
}

std::string csv_escaped(std::string text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string result = "\"";
  for (const char c : text) {
    result += c == '"' ? "\"\"" : std::string(1, c);
  }
  return result + "\"";
}

}  // namespace

std::string number_text(const Node& number) {
  if (number.kind == Kind::Integer) {
    return number.text == "-0" ? "0" : number.text;
  }
  return double_text(number.as_number().value_or(0));
}

std::string value_text(const Node& value) {
  switch (value.kind) {
    case Kind::Null:
      return "";
    case Kind::Boolean:
    case Kind::String:
      return value.text;
    case Kind::Integer:
    case Kind::Float:
      return number_text(value);
    case Kind::Sequence:
    case Kind::Mapping:
      break;
  }
  std::string text;
  write_compact(value, text);
  return text;
}

bool is_allowed(std::string_view text, Format format) {
  return (format != Format::Xml && format != Format::Spreadsheet) || is_xml_text(text);
}

std::string escape(std::string text, const Node& value, Format format) {
  switch (format) {
    case Format::Text:
    case Format::Markdown:
      return text;
    case Format::Html:
    case Format::Xml:
      return xml_escaped(text);
    case Format::Json: {
      const std::string quoted = document::write_json(document::Json(text), -1);
      return quoted.substr(1, quoted.size() - 2);
    }
    case Format::Csv:
      return csv_escaped(guarded(std::move(text), value));
    case Format::Spreadsheet:
      return guarded(xml_escaped(text), value);
  }
  return text;
}

}  // namespace kedge::templates
