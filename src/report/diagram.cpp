// Entity-relationship diagrams in the languages of Mermaid and Graphviz. Names of any kind must
// come through: each entity gets a number, the name is a label.
#include <algorithm>
#include <map>

#include "base/text.h"
#include "report/inspect.h"

namespace kedge::report {
namespace {

using EntityNumbers = std::map<schema::Name, std::size_t>;

EntityNumbers number_entities(const schema::Schema& schema) {
  EntityNumbers numbers;
  for (const schema::Table& table : schema.tables) {
    numbers.emplace(table.name, numbers.size());
  }
  return numbers;
}

bool is_key(const schema::Table& table, const Identifier& column) {
  return table.primary_key &&
         std::find(table.primary_key->columns.begin(), table.primary_key->columns.end(), column) !=
             table.primary_key->columns.end();
}

bool is_reference(const schema::Table& table, const Identifier& column) {
  return std::any_of(
      table.foreign_keys.begin(), table.foreign_keys.end(), [&](const schema::ForeignKey& key) {
        return std::find(key.columns.begin(), key.columns.end(), column) != key.columns.end();
      });
}

// Does a key or a unique index hold exactly these columns? Then at most one row refers to another.
bool is_unique(const schema::Table& table, std::vector<Identifier> columns) {
  std::sort(columns.begin(), columns.end());
  const auto same = [&](std::vector<Identifier> other) {
    std::sort(other.begin(), other.end());
    return other == columns;
  };
  if (table.primary_key && same(table.primary_key->columns)) {
    return true;
  }
  return std::any_of(table.indexes.begin(), table.indexes.end(), [&](const schema::Index& index) {
    std::vector<Identifier> parts;
    for (const schema::IndexPart& part : index.parts) {
      parts.push_back(part.column);
    }
    return index.unique && index.where.empty() && same(std::move(parts));
  });
}

bool may_be_null(const schema::Table& table, const schema::ForeignKey& key) {
  return std::any_of(key.columns.begin(), key.columns.end(), [&](const Identifier& name) {
    const schema::Column* column = schema::find_column(table, name);
    return column == nullptr || column->nullable;
  });
}

// One word that Mermaid accepts as a type or an attribute name.
std::string word(std::string_view text) {
  std::string made;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    const bool plain = (byte < 128 && std::isalnum(byte) != 0) || character == '_' || byte >= 128;
    made += plain ? std::string(1, character) : "_";
  }
  const bool starts_well =
      !made.empty() && (std::isdigit(static_cast<unsigned char>(made[0])) == 0);
  return starts_well ? made : "_" + made;
}

std::string mermaid_label(std::string text) {
  text = base::replace_all(std::move(text), "\"", "'");
  return "\"" + base::replace_all(std::move(text), "\n", " ") + "\"";
}

std::string type_of(const schema::Column& column) {
  return column.type.native.empty() ? schema::to_string(column.type) : column.type.native;
}

std::string mermaid_table(const schema::Table& table, std::size_t number) {
  std::string text =
      "  t" + std::to_string(number) + "[" + mermaid_label(schema::to_string(table.name)) + "] {\n";
  for (const schema::Column& column : table.columns) {
    const bool key = is_key(table, column.name);
    const bool reference = is_reference(table, column.name);
    text += "    " + word(type_of(column)) + " " + word(column.name.text());
    text += key ? (reference ? " PK, FK" : " PK") : (reference ? " FK" : "");
    if (word(column.name.text()) != column.name.text()) {
      text += " " + mermaid_label(column.name.text());
    }
    text += "\n";
  }
  return text + "  }\n";
}

std::string dot_text(std::string_view text) {
  std::string escaped;
  for (const char character : text) {
    switch (character) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\n':
        escaped += " ";
        break;
      default:
        escaped += character;
    }
  }
  return escaped;
}

std::string dot_string(std::string_view text) {
  std::string escaped = base::replace_all(std::string(text), "\\", "\\\\");
  return "\"" + base::replace_all(std::move(escaped), "\"", "\\\"") + "\"";
}

std::string dot_table(const schema::Table& table, std::size_t number) {
  std::string text = "  t" + std::to_string(number) +
                     " [label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\">"
                     "<tr><td bgcolor=\"#dde6ee\"><b>" +
                     dot_text(schema::to_string(table.name)) + "</b></td></tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const schema::Column& column = table.columns[i];
    const std::string name = dot_text(column.name.text());
    text += "<tr><td align=\"left\" port=\"c" + std::to_string(i) + "\">" +
            (is_key(table, column.name) ? "<u>" + name + "</u>" : name) + " " +
            dot_text(type_of(column)) + "</td></tr>";
  }
  return text + "</table>>];\n";
}

std::string port_of(const schema::Table& table, const std::vector<Identifier>& columns) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!columns.empty() && table.columns[i].name == columns[0]) {
      return ":c" + std::to_string(i);
    }
  }
  return "";
}

}  // namespace

std::string inspect_mermaid(const schema::Schema& schema) {
  const EntityNumbers numbers = number_entities(schema);
  std::string text = "erDiagram\n";
  for (const schema::Table& table : schema.tables) {
    text += mermaid_table(table, numbers.at(table.name));
  }
  for (const schema::Table& table : schema.tables) {
    for (const schema::ForeignKey& key : table.foreign_keys) {
      const auto target = numbers.find(key.referenced_table);
      if (target == numbers.end()) {
        continue;
      }
      std::string label;
      for (const Identifier& column : key.columns) {
        label += (label.empty() ? "" : ", ") + column.text();
      }
      text += "  t" + std::to_string(target->second) + (may_be_null(table, key) ? " |o" : " ||") +
              "--" + (is_unique(table, key.columns) ? "o| t" : "o{ t") +
              std::to_string(numbers.at(table.name)) + " : " + mermaid_label(label) + "\n";
    }
  }
  return text;
}

std::string inspect_dot(const schema::Schema& schema) {
  const EntityNumbers numbers = number_entities(schema);
  std::string text =
      "digraph schema {\n  rankdir=LR;\n  node [shape=plain, fontname=\"Helvetica\"];\n";
  for (const schema::Table& table : schema.tables) {
    text += dot_table(table, numbers.at(table.name));
  }
  for (const schema::Table& table : schema.tables) {
    for (const schema::ForeignKey& key : table.foreign_keys) {
      const schema::Table* target = schema::find_table(schema, key.referenced_table);
      if (target != nullptr) {
        text += "  t" + std::to_string(numbers.at(table.name)) + port_of(table, key.columns) +
                " -> t" + std::to_string(numbers.at(target->name)) +
                port_of(*target, key.referenced_columns) +
                " [tooltip=" + dot_string(key.name.text()) + "];\n";
      }
    }
  }
  return text + "}\n";
}

}  // namespace kedge::report
