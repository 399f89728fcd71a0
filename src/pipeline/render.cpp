#include "pipeline/render.h"

#include <algorithm>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::pipeline {
namespace {

std::string value_text(const document::Node& value) {
  if (!value.is_sequence()) {
    return value.kind == document::Kind::Null ? "NULL" : value.text;
  }
  std::vector<std::string> items;
  for (const document::Node& item : value.items) {
    items.push_back(item.text);
  }
  return base::join(items, ", ");
}

class Renderer {
 public:
  Renderer(const RenderContext& context, const PipelineSpec& pipeline)
      : context_(context), pipeline_(pipeline) {}

  std::string run() {
    for (std::size_t s = 0; s < pipeline_.text.segments.size(); ++s) {
      const Segment& segment = pipeline_.text.segments[s];
      if (!segment.marker) {
        out_ += pipeline_.text.source.substr(segment.begin, segment.end - segment.begin);
      } else if (segment.list || segment.calls.at(0).function == "sink") {
        drop_insert();
      } else {
        out_ += render_call(s, segment.calls.at(0));
      }
    }
    drop_semicolon();
    return std::move(out_);
  }

 private:
  // What stands before the sink is `INSERT INTO` and comments: the statement begins after it.
  void drop_insert() { out_.clear(); }

  // Exactly one trailing `;` goes, comments behind it stay out of the way.
  void drop_semicolon() {
    std::size_t end = out_.find_last_not_of(" \t\r\n");
    if (end != std::string::npos && out_[end] == ';') {
      out_.erase(end);
    }
    while (!out_.empty() && (out_.back() == '\n' || out_.back() == ' ')) {
      out_.pop_back();
    }
    out_.erase(0, std::min(out_.find_first_not_of(" \t\r\n"), out_.size()));
  }

  std::string table(const std::string& name) const {
    return context_.table ? context_.table(name) : staging_table(name);
  }

  std::string render_call(std::size_t segment, const Call& call) {
    if (call.function == "source") {
      return table(source_name(call));
    }
    if (call.function == "ref") {
      return render_ref(call.arguments.at(0).value.text);
    }
    if (call.function == "watermark") {
      return render_watermark(segment);
    }
    if (call.function == "var") {
      const auto found = context_.workspace.vars.find(call.arguments.at(0).value.text);
      return found == context_.workspace.vars.end() ? "NULL" : value_text(found->second);
    }
    if (call.function == "env") {
      return render_env(call);
    }
    if (call.function == "this") {
      return table(pipeline_.name);
    }
    return call.function == "run_id" ? context_.run_id : context_.run_started_at;
  }

  static std::string source_name(const Call& call) {
    const std::vector<const Argument*> positional = call.positional();
    return "src_" + positional.at(0)->value.text + "__" +
           base::replace_all(positional.at(1)->value.text, ".", "_");
  }

  std::string render_ref(const std::string& name) {
    const std::size_t index = context_.workspace.find_pipeline(name).value_or(0);
    const bool ephemeral =
        context_.workspace.pipelines[index].materialization == Materialization::Ephemeral;
    return ephemeral ? quote_name(name) : table(name);
  }

  std::string render_watermark(std::size_t segment) {
    for (std::size_t i = 0; i < pipeline_.watermarks.size(); ++i) {
      if (pipeline_.watermarks[i].segment == segment) {
        return context_.watermark ? context_.watermark(pipeline_, i) : "NULL";
      }
    }
    return "NULL";
  }

  std::string render_env(const Call& call) {
    const std::string& name = call.arguments.at(0).value.text;
    const std::optional<std::string> value = context_.environment.get(name);
    if (!value) {
      throw Error(Problem{codes::PZ0103,
                          "environment variable '" + name + "' is not set",
                          pipeline_.text.position(call.range),
                          "",
                          {}});
    }
    return context_.values == EnvironmentValues::Hidden ? "***" : *value;
  }

  const RenderContext& context_;
  const PipelineSpec& pipeline_;
  std::string out_;
};

}  // namespace

std::string quote_name(std::string_view name) {
  return '"' + base::replace_all(std::string(name), "\"", "\"\"") + '"';
}

std::string quote_literal(std::string_view text) {
  return '\'' + base::replace_all(std::string(text), "'", "''") + '\'';
}

std::string staging_table(std::string_view name) {
  return "staging." + quote_name(name);
}

std::string render_pipeline(const RenderContext& context, std::size_t pipeline) {
  const PipelineSpec& spec = context.workspace.pipelines[pipeline];
  std::string sql = Renderer(context, spec).run();
  std::string ctes;
  for (const std::size_t ref : spec.refs) {
    const PipelineSpec& inlined = context.workspace.pipelines[ref];
    if (inlined.materialization == Materialization::Ephemeral) {
      ctes += (ctes.empty() ? "WITH " : ",\n") + quote_name(inlined.name) + " AS (\n" +
              Renderer(context, inlined).run() + "\n)";
    }
  }
  return ctes.empty() ? sql : ctes + "\nSELECT * FROM (\n" + sql + "\n)";
}

}  // namespace kedge::pipeline
