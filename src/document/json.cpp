#include "document/json.h"

#include <array>
#include <charconv>
#include <cmath>

#include "base/overloaded.h"
#include "base/text.h"

namespace kedge::document {
namespace {

void write_string(std::string_view text, std::string& out) {
  static constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\b':
        out += "\\b";
        break;
      case '\f':
        out += "\\f";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += "\\u00";
          out += kHex[static_cast<unsigned char>(c) >> 4U];
          out += kHex[static_cast<unsigned char>(c) & 15U];
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

std::string valid_text(std::string_view text) {
  std::string result;
  while (const std::optional<std::size_t> bad = base::find_invalid_utf8(text)) {
    result.append(text.substr(0, *bad));
    result += "\xEF\xBF\xBD";
    text.remove_prefix(*bad + 1);
  }
  return result.append(text);
}

template <class Number>
void write_number(Number value, std::string& out) {
  std::array<char, 64> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out.append(buffer.data(), result.ptr);
}

class Writer {
 public:
  explicit Writer(int indent) : indent_(indent) {}

  void write(const Json& json, int level) {
    std::visit(base::Overloaded{
                   [&](std::monostate) { out_ += "null"; },
                   [&](bool value) { out_ += value ? "true" : "false"; },
                   [&](std::int64_t value) { write_number(value, out_); },
                   [&](double value) {
                     if (std::isfinite(value)) {
                       write_number(value, out_);
                     } else {
                       out_ += "null";
                     }
                   },
                   [&](const std::string& value) { write_text(value); },
                   [&](const Json::Array& items) { write_array(items, level); },
                   [&](const Json::Object& members) { write_object(members, level); },
               },
               json.value());
  }
  std::string take() { return std::move(out_); }

 private:
  void write_text(const std::string& text) {
    if (base::is_valid_utf8(text)) {
      write_string(text, out_);
    } else {
      write_string(valid_text(text), out_);
    }
  }
  void new_line(int level) {
    if (indent_ >= 0) {
      out_ += '\n';
      out_.append(static_cast<std::size_t>(indent_ * level), ' ');
    }
  }
  void write_array(const Json::Array& items, int level) {
    out_ += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
      out_ += i > 0 ? "," : "";
      new_line(level + 1);
      write(items[i], level + 1);
    }
    if (!items.empty()) {
      new_line(level);
    }
    out_ += ']';
  }
  void write_object(const Json::Object& members, int level) {
    out_ += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      out_ += i > 0 ? "," : "";
      new_line(level + 1);
      write_text(members[i].first);
      out_ += indent_ >= 0 ? ": " : ":";
      write(members[i].second, level + 1);
    }
    if (!members.empty()) {
      new_line(level);
    }
    out_ += '}';
  }

  int indent_;
  std::string out_;
};

}  // namespace

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) {
    value_ = Object{};
  }
  if (Json* existing = find(key)) {
    *existing = std::move(value);
  } else {
    std::get<Object>(value_).emplace_back(std::string(key), std::move(value));
  }
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) {
    value_ = Array{};
  }
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

Json* Json::find(std::string_view key) {
  if (Object* members = std::get_if<Object>(&value_)) {
    for (Member& member : *members) {
      if (member.first == key) {
        return &member.second;
      }
    }
  }
  return nullptr;
}

const Json* Json::find(std::string_view key) const {
  return const_cast<Json*>(this)->find(key);
}

std::string write_json(const Json& value, int indent) {
  Writer writer(indent);
  writer.write(value, 0);
  return writer.take();
}

}  // namespace kedge::document
