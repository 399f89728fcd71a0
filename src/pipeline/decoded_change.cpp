#include "pipeline/decoded_change.h"

namespace kedge::pipeline {
namespace {

// Reads one line from the left; every step says whether it found what it looked for.
class Line {
 public:
  explicit Line(std::string_view rest) : rest_(rest) {}

  bool skip(std::string_view word) {
    if (!rest_.starts_with(word)) {
      return false;
    }
    rest_.remove_prefix(word.size());
    return true;
  }
  bool done() const { return rest_.empty(); }

  // An identifier as it stands, quotes and all: up to one of `ends` outside quotes.
  std::string_view quoted_until(std::string_view ends) {
    bool inside = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      inside = inside != (rest_[i] == '"');
      if (!inside && ends.find(rest_[i]) != std::string_view::npos) {
        const std::string_view found = rest_.substr(0, i);
        rest_.remove_prefix(i);
        return found;
      }
    }
    return {};
  }

  // "[character varying(20)]:" with brackets inside, as in "[integer[]]:".
  bool skip_type() {
    std::size_t depth = 0;
    bool inside = false;
    for (std::size_t i = 0; i < rest_.size(); ++i) {
      inside = inside != (rest_[i] == '"');
      depth += !inside && rest_[i] == '[' ? 1 : 0;
      depth -= !inside && rest_[i] == ']' ? 1 : 0;
      if (depth == 0) {
        rest_.remove_prefix(i + 1);
        return skip(":");
      }
    }
    return false;
  }

  bool read_value(std::optional<std::string>& value) {
    skip("B");  // of a bit string
    if (skip("'")) {
      return read_quoted(value.emplace());
    }
    const std::size_t end = rest_.find(' ');
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(word.size());
    if (word != "null") {
      value.emplace(word);
    }
    return !word.empty();
  }

 private:
  bool read_quoted(std::string& text) {
    while (!rest_.empty()) {
      const std::size_t quote = rest_.find('\'');
      text += rest_.substr(0, quote);
      if (quote == std::string_view::npos) {
        return false;
      }
      rest_.remove_prefix(quote + 1);
      if (!skip("'")) {
        return true;
      }
      text += '\'';
    }
    return false;
  }

  std::string_view rest_;
};

std::string unquoted(std::string_view name) {
  if (!name.starts_with('"') || name.size() < 2) {
    return std::string(name);
  }
  std::string text;
  for (std::size_t i = 1; i + 1 < name.size(); ++i) {
    text += name[i];
    i += name[i] == '"' ? 1 : 0;  // doubled
  }
  return text;
}

// " id[integer]:1 note[text]:'x'" until the end or the start of the next part.
bool read_columns(Line& line, DecodedRow& row) {
  while (line.skip(" ")) {
    if (line.skip("new-tuple:")) {
      return true;
    }
    const std::string_view name = line.quoted_until("[");
    std::optional<std::string> value;
    if (name.empty() || !line.skip_type() || !line.read_value(value)) {
      return false;
    }
    row[unquoted(name)] = std::move(value);
  }
  return line.done();
}

bool read_update(Line& line, DecodedChange& change) {
  if (line.skip(" old-key:")) {
    return read_columns(line, change.old_key) && read_columns(line, change.row);
  }
  return read_columns(line, change.row);
}

}  // namespace

std::optional<DecodedChange> parse_decoded_change(std::string_view text) {
  Line line(text);
  if (!line.skip("table ")) {
    return std::nullopt;
  }
  DecodedChange change;
  do {
    const std::string_view name = line.quoted_until(":,");
    if (name.empty()) {
      return std::nullopt;
    }
    change.tables.emplace_back(name);
  } while (line.skip(", "));
  if (line.skip(": TRUNCATE:")) {
    change.kind = DecodedChange::Kind::Truncate;
    return change;
  }
  bool good = false;
  if (line.skip(": INSERT:")) {
    good = read_columns(line, change.row);
  } else if (line.skip(": UPDATE:")) {
    change.kind = DecodedChange::Kind::Update;
    good = read_update(line, change);
  } else if (line.skip(": DELETE:")) {
    change.kind = DecodedChange::Kind::Delete;
    good = read_columns(line, change.old_key);
  }
  return good ? std::optional(std::move(change)) : std::nullopt;
}

std::optional<std::string> parse_decoded_begin(std::string_view text) {
  Line line(text);
  return line.skip("BEGIN ") ? std::optional<std::string>(text.substr(6)) : std::nullopt;
}

}  // namespace kedge::pipeline
