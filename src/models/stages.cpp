#include "models/stages.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::models {
namespace {

std::string flatten(std::string_view path) {
  return base::replace_all(std::string(path), ".", "__");
}

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Runs of characters that no name may hold become one '_', none at the end.
std::string as_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    if (is_word_character(c)) {
      word += c;
    } else if (!word.empty() && word.back() != '_') {
      word += '_';
    }
  }
  while (!word.empty() && word.back() == '_') {
    word.pop_back();
  }
  return word;
}

// "depots.capacity", "*", "depots.*"; not the words of a call or of a sum.
bool is_path(std::string_view text) {
  if (text.ends_with('*')) {
    text.remove_suffix(1);
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return is_word_character(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  });
}

// "cumsum(*:count)" is cumsum_count.
std::string compound_name(std::string_view text) {
  const std::string word = as_word(text);
  return word.empty() || (word[0] >= '0' && word[0] <= '9') ? "_" + word : word;
}

}  // namespace

std::string output_name(const QueryDimension& dimension) {
  return flatten(dimension.path);
}
std::string output_name(const TimeDimension& dimension) {
  return flatten(dimension.dimension);
}

std::string output_name(const QueryMeasure& measure) {
  if (!measure.name.empty()) {
    return measure.name;
  }
  const std::string_view text = base::trim(measure.formula);
  const std::size_t colon = text.find(':');
  if (!is_path(text.substr(0, colon))) {
    return compound_name(text);
  }
  if (colon == std::string_view::npos) {
    return flatten(text);
  }
  std::string_view path = text.substr(0, colon);
  std::string prefix;
  if (path == "*") {
    prefix = "";
  } else if (path.ends_with(".*")) {
    prefix = flatten(path.substr(0, path.size() - 2)) + "_";
  } else {
    prefix = flatten(path);
  }
  return prefix + "_" + as_word(text.substr(colon + 1));
}

std::vector<std::string> output_names(const Query& stage) {
  std::vector<std::string> names;
  for (const QueryDimension& dimension : stage.dimensions) {
    names.push_back(output_name(dimension));
  }
  for (const TimeDimension& dimension : stage.time_dimensions) {
    names.push_back(output_name(dimension));
  }
  for (const QueryMeasure& measure : stage.measures) {
    names.push_back(output_name(measure));
  }
  return names;
}

std::vector<StageProblem> check_stored_stages(const Model& model) {
  std::vector<StageProblem> problems;
  std::set<std::string> all;
  for (const Query& stage : model.source_queries) {
    all.insert(stage.name);
  }
  std::set<std::string> earlier;
  for (std::size_t index = 0; index < model.source_queries.size(); ++index) {
    const Query& stage = model.source_queries[index];
    const auto uses = [&](const std::string& name) {
      if (!name.empty() && all.contains(name) && !earlier.contains(name)) {
        problems.push_back(
            {codes::stage_order,
             "stage '" + stage.name + "' uses stage '" + name + "', which does not stand before it",
             stage.place});
      }
    };
    if (stage.source.kind != QuerySource::Kind::Inline) {
      uses(stage.source.name);
    }
    for (const Join& join : stage.source.joins) {
      uses(join.target_model);
    }
    if (stage.name.empty() && index + 1 < model.source_queries.size()) {
      problems.push_back(
          {codes::invalid_name, "every stage but the last needs a name", stage.place});
    }
    if (!stage.name.empty() && !earlier.insert(stage.name).second) {
      problems.push_back(
          {codes::duplicate_name, "two stages are named '" + stage.name + "'", stage.place});
    }
  }
  return problems;
}

}  // namespace kedge::models
