#include "model_reader.hpp"

#include <algorithm>
#include <charconv>

namespace kedge::model {
namespace {

// A reader of exactly the JSON that is needed: objects are visited key by key, nothing is stored.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool model(std::vector<Entity>& entities) {
    int version = 0;
    bool listed = false;
    const bool read = object([&](const std::string& key) {
      if (key == "kedge_model") {
        return number(version);
      }
      listed = listed || key == "entities";
      return key == "entities" ? list([&] { return entity(entities.emplace_back()); }) : skip();
    });
    blanks();
    return read && version == 1 && listed && at_ == text_.size();
  }

 private:
  bool entity(Entity& entity) {
    return object([&](const std::string& key) {
      if (key == "object") {
        return string(entity.object);
      }
      if (key == "schema") {
        return string(entity.schema);
      }
      if (key == "table") {
        return string(entity.table);
      }
      return key == "columns" && list([&] { return column(entity.columns.emplace_back()); });
    });
  }

  bool column(Column& column) {
    return object([&](const std::string& key) {
      if (key == "field") {
        return string(column.field);
      }
      if (key == "column") {
        return string(column.column);
      }
      if (key == "type") {
        return string(column.type);
      }
      if (key == "nullable") {
        return boolean(column.nullable);
      }
      if (key == "key") {
        return number(column.key);
      }
      if (key == "length") {
        return number(column.length);
      }
      return key == "values" && list([&] { return string(column.values.emplace_back()); });
    });
  }

  void blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }
  bool take(char c) {
    blanks();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }

  template <class Visit>
  bool object(Visit visit) {
    if (!take('{')) {
      return false;
    }
    if (take('}')) {
      return true;
    }
    do {
      std::string key;
      if (!string(key) || !take(':') || !visit(key)) {
        return false;
      }
    } while (take(','));
    return take('}');
  }

  template <class Item>
  bool list(Item item) {
    if (!take('[')) {
      return false;
    }
    if (take(']')) {
      return true;
    }
    do {
      if (!item()) {
        return false;
      }
    } while (take(','));
    return take(']');
  }

  bool string(std::string& out) {
    if (!take('"')) {
      return false;
    }
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && !escape(out)) {
        return false;
      }
      if (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\\') {
        out += text_[at_++];
      }
    }
    return at_ < text_.size() && text_[at_++] == '"';
  }

  // The escapes that kedge writes: names hold nothing else.
  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
    const std::size_t which =
        at_ + 1 < text_.size() ? kNames.find(text_[at_ + 1]) : std::string_view::npos;
    if (which == std::string_view::npos) {
      return false;
    }
    out += kValues[which];
    at_ += 2;
    return true;
  }

  // A value of any kind, without looking into it: brackets are counted, strings stepped over.
  bool skip() {
    int open = 0;
    do {
      blanks();
      if (at_ >= text_.size()) {
        return false;
      }
      const char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) {
          return false;
        }
      } else {
        open += c == '{' || c == '[' ? 1 : 0;
        open -= c == '}' || c == ']' ? 1 : 0;
        const bool structure = std::string_view("{}[],:").find(c) != std::string_view::npos;
        at_ =
            structure ? at_ + 1 : std::min(text_.find_first_of("{}[],: \n\r\t", at_), text_.size());
      }
    } while (open > 0);
    return true;
  }
  bool skip_string() {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      at_ += text_[at_] == '\\' ? 1 : 0;
    }
    return at_++ < text_.size();
  }

  bool number(int& out) {
    blanks();
    const char* end = text_.data() + text_.size();
    const auto result = std::from_chars(text_.data() + at_, end, out);
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    return result.ec == std::errc{};
  }

  bool boolean(bool& out) {
    blanks();
    out = text_.substr(at_).starts_with("true");
    const bool read = out || text_.substr(at_).starts_with("false");
    at_ += out ? 4 : read ? 5 : 0;
    return read;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool read(std::string_view json, std::vector<Entity>& entities) {
  return Reader(json).model(entities);
}

}  // namespace kedge::model
