// The cascade as a tree of text, JSON, mermaid and dot.
#include <string>
#include <vector>

#include "base/text.h"
#include "report/models.h"

namespace kedge::report {
namespace {

using document::Json;
using Drops = std::vector<models::ExplainedDrop>;

std::string label(const models::ExplainedDrop& drop) {
  const std::string& target = drop.reason.target;
  return drop.model.second + (target.starts_with("model:") ? " (model)" : " " + target);
}

std::vector<std::vector<std::size_t>> children_of(const Drops& drops) {
  std::vector<std::vector<std::size_t>> children(drops.size());
  for (std::size_t number = 0; number < drops.size(); ++number) {
    if (drops[number].cause) {
      children[*drops[number].cause].push_back(number);
    }
  }
  return children;
}

// Depth first without recursion: chains may be thousands of items long.
std::string tree_text(const Drops& drops) {
  if (drops.empty()) {
    return "No drift detected.\n";
  }
  const std::vector<std::vector<std::size_t>> children = children_of(drops);
  struct Step {
    std::size_t number;
    std::size_t depth;
  };
  std::string text;
  std::vector<bool> written(drops.size(), false);
  const auto write_from = [&](std::size_t root) {
    std::vector<Step> work{{root, 0}};
    while (!work.empty()) {
      const Step step = work.back();
      work.pop_back();
      if (written[step.number]) {
        continue;
      }
      written[step.number] = true;
      const models::ExplainedDrop& drop = drops[step.number];
      text += std::string(2 * step.depth, ' ') + (step.depth > 0 ? "-> " : "") + label(drop) +
              " [" + drop.reason.code + "] " + drop.reason.reason + "\n";
      for (auto child = children[step.number].rbegin(); child != children[step.number].rend();
           ++child) {
        work.push_back({*child, step.depth + 1});
      }
    }
  };
  for (std::size_t number = 0; number < drops.size(); ++number) {
    if (!drops[number].cause) {
      write_from(number);
    }
  }
  for (std::size_t number = 0; number < drops.size(); ++number) {
    write_from(number);
  }
  return text;
}

std::string chains_json(const Drops& drops) {
  Json list = Json::array();
  for (std::size_t number = 0; number < drops.size(); ++number) {
    const models::ExplainedDrop& drop = drops[number];
    Json json;
    json.set("id", number);
    json.set("data_source", drop.model.first);
    json.set("model_name", drop.model.second);
    json.set("target", drop.reason.target);
    json.set("code", drop.reason.code);
    json.set("reason", drop.reason.reason);
    json.set("cause", drop.cause ? Json(*drop.cause) : Json());
    list.push(std::move(json));
  }
  return document::write_json(list) + "\n";
}

std::string mermaid(const Drops& drops) {
  std::string text = "graph TD\n";
  for (std::size_t number = 0; number < drops.size(); ++number) {
    std::string shown = label(drops[number]);
    for (const auto& [character, entity] :
         {std::pair<std::string_view, std::string_view>{"\"", "#quot;"},
          {"<", "#lt;"},
          {">", "#gt;"},
          {"\n", " "}}) {
      shown = base::replace_all(std::move(shown), character, entity);
    }
    text += "  n" + std::to_string(number) + "[\"" + shown + "<br/>" + drops[number].reason.code +
            "\"]\n";
  }
  for (std::size_t number = 0; number < drops.size(); ++number) {
    if (drops[number].cause) {
      text +=
          "  n" + std::to_string(*drops[number].cause) + " --> n" + std::to_string(number) + "\n";
    }
  }
  return text;
}

std::string dot(const Drops& drops) {
  std::string text = "digraph cascade {\n  node [shape=box];\n";
  for (std::size_t number = 0; number < drops.size(); ++number) {
    std::string shown = base::replace_all(label(drops[number]), "\\", "\\\\");
    shown = base::replace_all(std::move(shown), "\"", "\\\"");
    shown = base::replace_all(std::move(shown), "\n", " ");
    text += "  n" + std::to_string(number) + " [label=\"" + shown + "\\n" +
            drops[number].reason.code + "\"];\n";
  }
  for (std::size_t number = 0; number < drops.size(); ++number) {
    if (drops[number].cause) {
      text +=
          "  n" + std::to_string(*drops[number].cause) + " -> n" + std::to_string(number) + ";\n";
    }
  }
  return text + "}\n";
}

}  // namespace

std::string explanation(const Drops& drops, ChainFormat format) {
  switch (format) {
    case ChainFormat::Text:
      return tree_text(drops);
    case ChainFormat::Json:
      return chains_json(drops);
    case ChainFormat::Mermaid:
      return mermaid(drops);
    case ChainFormat::Dot:
      return dot(drops);
  }
  return "";
}

}  // namespace kedge::report
