// Where watermark() may stand (spec/contracts.md 17.2, 17.3): found in the parse tree that DuckDB
// gives of the rendered SELECT, each call replaced by the function kedge_watermark(n).
#include <algorithm>
#include <charconv>
#include <map>

#include "base/text.h"
#include "contracts/type_name.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"
#include "pipeline/graph.h"
#include "pipeline/render.h"

namespace kedge::pipeline {
namespace {

using document::Node;

constexpr std::string_view kPlaceholder = "kedge_watermark";

std::optional<std::size_t> placeholder_number(const Node& node) {
  if (node.scalar_at("class") != "FUNCTION" || node.scalar_at("function_name") != kPlaceholder) {
    return std::nullopt;
  }
  const Node* children = node.find("children");
  if (children == nullptr || children->items.empty()) {
    return std::nullopt;
  }
  const Node* value = children->items[0].find("value");
  const Node* number = value == nullptr ? nullptr : value->find("value");
  return number != nullptr && number->as_integer()
             ? std::optional(static_cast<std::size_t>(*number->as_integer()))
             : std::nullopt;
}

void find_placeholders(const Node& node, std::vector<std::size_t>& found) {
  if (const auto number = placeholder_number(node)) {
    found.push_back(*number);
    return;
  }
  for (const Node& item : node.items) {
    find_placeholders(item, found);
  }
  for (const document::Entry& entry : node.entries) {
    find_placeholders(entry.value, found);
  }
}

struct FromTable {
  std::string name;   // staging table
  std::string alias;  // alias, or the name
};

void find_tables(const Node& from, std::vector<FromTable>& found) {
  const std::string type = from.scalar_at("type");
  if (type == "BASE_TABLE") {
    const std::string alias = from.scalar_at("alias");
    const std::string name = from.scalar_at("table_name");
    found.push_back({name, alias.empty() ? name : alias});
    return;
  }
  if (type == "JOIN") {
    for (const std::string_view side : {"left", "right"}) {
      if (const Node* part = from.find(side)) {
        find_tables(*part, found);
      }
    }
    return;
  }
  if (type != "EMPTY" && !type.empty()) {
    found.push_back({"", from.scalar_at("alias")});
  }
}

struct Bound {
  std::string column;
  std::string comparison;
  bool bare = false;  // the right side is watermark() alone
};

class TreeReader {
 public:
  TreeReader(const Workspace& workspace, const PipelineSpec& pipeline)
      : workspace_(workspace), pipeline_(pipeline) {}

  std::map<std::size_t, Bound> run(const Node& root) {
    walk(root);
    return std::move(bounds_);
  }

 private:
  void walk(const Node& node) {
    if (node.scalar_at("type") == "SELECT_NODE") {
      if (const Node* where = node.find("where_clause"); where != nullptr && where->is_mapping()) {
        std::vector<FromTable> tables;
        if (const Node* from = node.find("from_table")) {
          find_tables(*from, tables);
        }
        read_conjunct(*where, tables);
      }
    }
    for (const Node& item : node.items) {
      walk(item);
    }
    for (const document::Entry& entry : node.entries) {
      walk(entry.value);
    }
  }

  void read_conjunct(const Node& node, const std::vector<FromTable>& tables) {
    if (node.scalar_at("type") == "CONJUNCTION_AND") {
      if (const Node* children = node.find("children")) {
        for (const Node& child : children->items) {
          read_conjunct(child, tables);
        }
      }
      return;
    }
    static const std::map<std::string, std::string> kComparisons = {
        {"COMPARE_GREATERTHAN", ">"},
        {"COMPARE_GREATERTHANOREQUALTO", ">="},
        {"COMPARE_LESSTHAN", "<"},
        {"COMPARE_LESSTHANOREQUALTO", "<="}};
    const auto comparison = kComparisons.find(node.scalar_at("type"));
    const Node* left = node.find("left");
    const Node* right = node.find("right");
    if (comparison == kComparisons.end() || left == nullptr || right == nullptr) {
      return;
    }
    std::vector<std::size_t> numbers;
    find_placeholders(*right, numbers);
    for (const std::size_t number : numbers) {
      read_bound(*left, *right, comparison->second, number, tables);
    }
  }

  void read_bound(const Node& left, const Node& right, const std::string& comparison,
                  std::size_t number, const std::vector<FromTable>& tables) {
    const Node* names = left.find("column_names");
    if (left.scalar_at("class") != "COLUMN_REF" || names == nullptr ||
        number >= pipeline_.watermarks.size()) {
      return;
    }
    const std::string& staging = workspace_.reads[pipeline_.watermarks[number].read].staging;
    const bool qualified = names->items.size() == 2;
    const bool known = std::any_of(tables.begin(), tables.end(), [&](const FromTable& table) {
      return table.name == staging &&
             (!qualified || base::equals_ignoring_case(table.alias, names->items[0].text));
    });
    if (!known || names->items.empty() || (!qualified && tables.size() != 1)) {
      return;
    }
    bounds_[number] = {names->items.back().text, comparison, placeholder_number(right).has_value()};
  }

  const Workspace& workspace_;
  const PipelineSpec& pipeline_;
  std::map<std::size_t, Bound> bounds_;
};

class Analysis {
 public:
  Analysis(const CompileRequest& request, Compilation& result)
      : request_(request),
        result_(result),
        workspace_(*result.workspace),
        problems_(result.compile.problems) {}

  void run() {
    for (PipelineSpec& pipeline : workspace_.pipelines) {
      if (!pipeline.watermarks.empty()) {
        analyse(pipeline);
      }
    }
    for (std::size_t read = 0; read < workspace_.reads.size(); ++read) {
      check_contract(read);
    }
  }

 private:
  void problem(Code code, Position where, std::string message, std::string hint = {}) {
    problems_.push_back({code, std::move(message), std::move(where), std::move(hint), {}});
  }

  std::string render(const PipelineSpec& pipeline) const {
    RenderContext context{workspace_,
                          request_.environment,
                          "run",
                          "1970-01-01T00:00:00.000Z",
                          [](const PipelineSpec&, std::size_t use) {
                            return std::string(kPlaceholder) + "(" + std::to_string(use) + ")";
                          },
                          EnvironmentValues::Real,
                          {}};
    return render_pipeline(context, *workspace_.find_pipeline(pipeline.name));
  }

  // A text that cannot be parsed is left to the dry compile, which reports it.
  void analyse(PipelineSpec& pipeline) {
    const std::string json = request_.serialize ? request_.serialize(render(pipeline)) : "";
    const document::Document tree = document::read_document("tree", json, document::Format::Json);
    if (!tree.problems.empty() || tree.root.find("statements") == nullptr) {
      return;
    }
    const std::map<std::size_t, Bound> bounds = TreeReader(workspace_, pipeline).run(tree.root);
    for (std::size_t i = 0; i < pipeline.watermarks.size(); ++i) {
      WatermarkUse& use = pipeline.watermarks[i];
      const auto found = bounds.find(i);
      if (found == bounds.end() || !reads(pipeline, use.read)) {
        problem(codes::PZ0224, use.where,
                "pipeline '" + pipeline.name + "': watermark() of '" +
                    workspace_.reads[use.read].label + "' stands in no comparison that can be used",
                "write <cursor> > {{ watermark(...) }} as a condition of the WHERE that reads it");
        continue;
      }
      use.column = found->second.column;
      use.comparison = found->second.comparison;
      join_cursor(use, found->second);
    }
    check_bounds(pipeline);
  }

  static bool reads(const PipelineSpec& pipeline, std::size_t read) {
    return std::find(pipeline.reads.begin(), pipeline.reads.end(), read) != pipeline.reads.end();
  }

  void join_cursor(const WatermarkUse& use, const Bound& bound) {
    ReadSpec& read = workspace_.reads[use.read];
    if (read.change_capture || (read.cursor && read.cursor->origin == CursorOrigin::File)) {
      if (doubles_.insert(use.read).second) {
        problem(codes::PZ0225, use.where,
                "the cursor of '" + read.label + "' is declared by sync: and by watermark()",
                "keep one of the two");
      }
      return;
    }
    const bool lower = bound.comparison.starts_with('>');
    if (!read.cursor) {
      Cursor cursor;
      cursor.column = bound.column;
      cursor.origin = CursorOrigin::Sql;
      cursor.where = use.where;
      cursor.pushable = true;
      read.cursor = cursor;
    } else if (read.cursor->column != bound.column) {
      problem(codes::PZ0231, use.where,
              "'" + read.label + "' is compared by '" + read.cursor->column + "' and by '" +
                  bound.column + "'");
      return;
    }
    read.cursor->pushable = read.cursor->pushable && (!lower || bound.bare);
    read.cursor->inclusive = read.cursor->inclusive || bound.comparison == ">=";
  }

  void check_bounds(const PipelineSpec& pipeline) {
    std::map<std::size_t, const WatermarkUse*> upper;
    std::set<std::size_t> lower;
    for (const WatermarkUse& use : pipeline.watermarks) {
      if (use.comparison.starts_with('>')) {
        lower.insert(use.read);
      } else if (use.comparison.starts_with('<')) {
        upper.emplace(use.read, &use);
      }
    }
    for (const auto& [read, use] : upper) {
      if (!lower.contains(read)) {
        problem(codes::PZ0351, use->where,
                "pipeline '" + pipeline.name + "': watermark() of '" +
                    workspace_.reads[read].label + "' has an upper bound without a lower one");
      }
    }
  }

  void check_contract(std::size_t index) {
    ReadSpec& read = workspace_.reads[index];
    if (!read.cursor || read.cursor->origin != CursorOrigin::Sql || read.contract.empty()) {
      return;
    }
    const contracts::ContractColumn* column =
        contracts::find_column(read.contract, read.cursor->column);
    const std::string stem =
        "entity '" + read.label + "': cursor '" + read.cursor->column + "' of watermark() ";
    if (column == nullptr) {
      problem(codes::PZ0227, read.cursor->where, stem + "is missing from columns:",
              "allowed types: " + contracts::cursor_type_names());
    } else if (!contracts::is_cursor_type(column->type)) {
      problem(
          codes::PZ0227, read.cursor->where,
          stem + "is declared " + contracts::type_name(column->type) + ", which cannot be a cursor",
          "allowed types: " + contracts::cursor_type_names());
    } else {
      read.cursor->type = column->type;
    }
  }

  const CompileRequest& request_;
  Compilation& result_;
  Workspace& workspace_;
  std::vector<Problem>& problems_;
  std::set<std::size_t> doubles_;
};

}  // namespace

void analyse_watermarks(const CompileRequest& request, Compilation& result) {
  Analysis(request, result).run();
}

}  // namespace kedge::pipeline
