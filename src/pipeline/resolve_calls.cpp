// From calls and entities to reads, writes and edges (spec/contracts.md 3.3, 6.2, 6.3).
#include <algorithm>
#include <array>

#include "base/text.h"
#include "document/json.h"
#include "kedge/codes.h"
#include "pipeline/compile.h"
#include "pipeline/specs.h"
#include "sql/analysis.h"

namespace kedge::pipeline {
namespace {

using document::Node;

class Resolver {
 public:
  explicit Resolver(Compilation& result)
      : result_(result), workspace_(*result.workspace), problems_(result.compile.problems) {}

  void run() {
    for (const project::Connection& connection : workspace_.connections.connections) {
      for (const project::Entity& entity : connection.entities) {
        if (entity.read.where || !entity.write.where) {
          add_read(connection, entity, "connections.yml", true);
        }
      }
    }
    for (std::size_t i = 0; i < workspace_.pipelines.size(); ++i) {
      resolve(i);
    }
    mark_used();
  }

 private:
  void problem(Code code, Position where, std::string message, std::string hint = {}) {
    problems_.push_back({code, std::move(message), std::move(where), std::move(hint), {}});
  }

  // Facts and types of a file's contracts belong to loading; those of a call to compiling.
  std::vector<Problem>& sink_of(const std::string& file) {
    return file == "connections.yml" ? result_.load.problems : problems_;
  }

  std::size_t add_read(const project::Connection& connection, const project::Entity& entity,
                       const std::string& file, bool declared) {
    workspace_.reads.push_back(make_read({connection, entity, file, sink_of(file)}));
    ReadSpec& read = workspace_.reads.back();
    read.declared = declared;
    read.policy = entity.read.on_source_drift.value_or(workspace_.project.on_source_drift);
    return workspace_.reads.size() - 1;
  }

  void add_write(const project::Connection& connection, const project::Entity& entity,
                 std::size_t pipeline, const std::string& file, Position where) {
    WriteSpec write = make_write({connection, entity, file, sink_of(file)});
    write.pipeline = pipeline;
    write.where = std::move(where);
    workspace_.pipelines[pipeline].writes.push_back(workspace_.writes.size());
    workspace_.writes.push_back(std::move(write));
  }

  void resolve(std::size_t index) {
    for (std::size_t s = 0; s < workspace_.pipelines[index].text.segments.size(); ++s) {
      const Segment segment = workspace_.pipelines[index].text.segments[s];
      if (!segment.marker) {
        continue;
      }
      if (segment.list) {
        resolve_sinks(index, segment);
        continue;
      }
      for (const Call& call : segment.calls) {
        resolve_call(index, s, call);
      }
    }
    for (const Problem& found : workspace_.pipelines[index].text.problems) {
      problems_.push_back(found);
    }
  }

  Position place(std::size_t pipeline, const Call& call) const {
    return workspace_.pipelines[pipeline].text.position(call.range);
  }

  void resolve_call(std::size_t index, std::size_t segment, const Call& call) {
    static const std::vector<std::string> kFunctions = {
        "source", "ref", "sink", "watermark", "var", "env", "this", "run_id", "run_started_at"};
    PipelineSpec& pipeline = workspace_.pipelines[index];
    if (call.function == "source") {
      resolve_source(index, call);
    } else if (call.function == "ref") {
      resolve_ref(index, call);
    } else if (call.function == "sink") {
      resolve_sinks(index, pipeline.text.segments[segment]);
    } else if (call.function == "watermark") {
      resolve_watermark(index, segment, call);
    } else if (call.function == "var") {
      check_var(index, call);
    } else if (call.function == "env") {
      one_text(index, call, codes::PZ0104);
    } else if (call.function == "run_id" || call.function == "run_started_at") {
      warn(codes::PZ0232, place(index, call),
           "pipeline '" + pipeline.name + "' uses " + call.function +
               ", so it is another one on every run and cannot be retried");
    } else if (call.function != "this") {
      problem(
          codes::PZ0104, place(index, call),
          "unknown call '" + call.function + "'" + base::did_you_mean(call.function, kFunctions));
    }
  }

  void warn(Code code, Position where, std::string message) {
    Finding finding;
    finding.problem = {code, std::move(message), std::move(where), "", {}};
    finding.severity = Severity::Warning;
    finding.guard = "contracts";
    result_.warnings.push_back(std::move(finding));
  }

  std::optional<std::string> one_text(std::size_t index, const Call& call, Code code) {
    if (call.arguments.size() != 1 || !call.arguments[0].name.empty() ||
        !call.arguments[0].value.is_string()) {
      problem(code, place(index, call), call.function + "() takes one quoted text");
      return std::nullopt;
    }
    return call.arguments[0].value.text;
  }

  void check_var(std::size_t index, const Call& call) {
    const std::optional<std::string> name = one_text(index, call, codes::PZ0104);
    if (!name || workspace_.vars.contains(*name)) {
      return;
    }
    std::vector<std::string> known;
    for (const auto& [var, value] : workspace_.vars) {
      known.push_back(var);
    }
    problem(codes::PZ0104, place(index, call),
            "there is no variable '" + *name + "'" + base::did_you_mean(*name, known),
            "declare it under vars: in project.yml or give --vars");
  }

  struct Endpoint {
    const project::Connection* connection = nullptr;
    Node entity;
    Node options;
  };

  // The two texts and the options of source() and sink().
  std::optional<Endpoint> endpoint(std::size_t index, const Call& call, Code code) {
    const std::vector<const Argument*> positional = call.positional();
    const bool texts = positional.size() == 2 && positional[0]->value.is_string() &&
                       positional[1]->value.is_string();
    if (!texts) {
      problem(code, place(index, call),
              call.function + "() takes the connection and the entity as quoted texts");
      return std::nullopt;
    }
    Endpoint found;
    found.entity = positional[1]->value;
    found.options.kind = document::Kind::Mapping;
    found.options.range = call.range;
    for (const Argument& argument : call.arguments) {
      if (!argument.name.empty()) {
        found.options.entries.push_back({argument.key, argument.value});
      }
    }
    found.connection = workspace_.connections.find(positional[0]->value.text);
    if (found.connection == nullptr) {
      const std::string& name = positional[0]->value.text;
      problem(code, workspace_.pipelines[index].text.position(positional[0]->value.range),
              "there is no connection '" + name + "'" +
                  base::did_you_mean(name, workspace_.connections.names()));
      return std::nullopt;
    }
    return found;
  }

  project::Entity read_call(std::size_t index, const Endpoint& at, project::CallSide side) {
    return project::read_call_entity(
        *at.connection, {workspace_.pipelines[index].text.file, at.entity, at.options, side},
        problems_);
  }

  bool refuse_double(std::size_t index, const Call& call, const std::string& label) {
    problem(codes::PZ0341, place(index, call),
            "'" + label + "' has options in the file and at the call",
            "keep them in one place: the two are never merged");
    return false;
  }

  void resolve_source(std::size_t index, const Call& call) {
    const std::optional<Endpoint> at = endpoint(index, call, codes::PZ0201);
    if (!at) {
      return;
    }
    const project::Entity entity = read_call(index, *at, project::CallSide::Read);
    const std::string label = at->connection->name + "." + entity.name;
    std::optional<std::size_t> read = workspace_.find_read(label);
    const project::Entity* declared = at->connection->find_entity(entity.name);
    if (has_options(entity.read)) {
      if (declared != nullptr && has_options(declared->read)) {
        refuse_double(index, call, label);
      } else if (call_options_.contains(label) && call_options_[label] != call_text(at->options)) {
        problem(codes::PZ0341, place(index, call),
                "'" + label + "' is read with other options by another call",
                "declare the entity in connections.yml");
      } else if (!call_options_.contains(label)) {
        call_options_[label] = call_text(at->options);
        if (read) {
          replace_read(*read, *at->connection, entity, index);
        }
      }
    }
    if (!read) {
      read = add_read(*at->connection, entity, workspace_.pipelines[index].text.file, false);
      workspace_.reads.back().where = place(index, call);
    }
    std::vector<std::size_t>& reads = workspace_.pipelines[index].reads;
    if (std::find(reads.begin(), reads.end(), *read) == reads.end()) {
      reads.push_back(*read);
    }
  }

  void replace_read(std::size_t read, const project::Connection& connection,
                    const project::Entity& entity, std::size_t pipeline) {
    const bool declared = workspace_.reads[read].declared;
    const Position where = workspace_.reads[read].where;
    add_read(connection, entity, workspace_.pipelines[pipeline].text.file, declared);
    workspace_.reads[read] = std::move(workspace_.reads.back());
    workspace_.reads[read].where = where;
    workspace_.reads.pop_back();
  }

  static std::string call_text(const Node& options) {
    return document::write_json(document::to_json(options), -1);
  }

  void resolve_ref(std::size_t index, const Call& call) {
    const std::optional<std::string> name = one_text(index, call, codes::PZ0201);
    if (!name) {
      return;
    }
    const std::optional<std::size_t> found = workspace_.find_pipeline(*name);
    if (!found) {
      std::vector<std::string> known;
      for (const PipelineSpec& pipeline : workspace_.pipelines) {
        known.push_back(pipeline.name);
      }
      problem(codes::PZ0201, place(index, call),
              "there is no pipeline '" + *name + "'" + base::did_you_mean(*name, known));
      return;
    }
    PipelineSpec& pipeline = workspace_.pipelines[index];
    const bool chain = pipeline.materialization == Materialization::Ephemeral &&
                       workspace_.pipelines[*found].materialization == Materialization::Ephemeral;
    if (chain) {
      problem(codes::PZ0204, place(index, call),
              "ephemeral pipeline '" + pipeline.name + "' refers to ephemeral pipeline '" + *name +
                  "'");
    }
    if (std::find(pipeline.refs.begin(), pipeline.refs.end(), *found) == pipeline.refs.end()) {
      pipeline.refs.push_back(*found);
    }
  }

  void resolve_watermark(std::size_t index, std::size_t segment, const Call& call) {
    const std::vector<const Argument*> positional = call.positional();
    const bool texts = positional.size() == 2 && call.arguments.size() == 2 &&
                       positional[0]->value.is_string() && positional[1]->value.is_string();
    if (!texts) {
      problem(codes::PZ0104, place(index, call),
              "watermark() takes the connection and the entity as quoted texts");
      return;
    }
    watermarks_.push_back({index, segment, place(index, call),
                           positional[0]->value.text + "." + positional[1]->value.text});
  }

  // `INSERT INTO {{ sink() }}` leads the statement; only comments and blanks may precede it.
  bool leads(std::size_t index, const Segment& segment) const {
    const Template& text = workspace_.pipelines[index].text;
    const std::string before = text.source.substr(0, segment.begin);
    std::vector<std::string> words;
    for (const sql::Token& token : sql::tokenize(before, schema::Dialect::Duckdb)) {
      if (token.kind != sql::TokenKind::Comment && token.kind != sql::TokenKind::End) {
        words.push_back(base::to_lower(before.substr(token.begin, token.end - token.begin)));
      }
    }
    return words == std::vector<std::string>{"insert", "into"};
  }

  void resolve_sinks(std::size_t index, const Segment& segment) {
    for (const Call& call : segment.calls) {
      if (call.function != "sink") {
        problem(codes::PZ0208, place(index, call),
                "only sink() may stand in a list, not " + call.function + "()");
        return;
      }
    }
    if (!leads(index, segment)) {
      problem(codes::PZ0208, place(index, segment.calls.front()),
              "INSERT INTO {{ sink(...) }} must be the leading statement");
      return;
    }
    if (workspace_.pipelines[index].materialization == Materialization::Ephemeral) {
      problem(codes::PZ0208, place(index, segment.calls.front()),
              "ephemeral pipeline '" + workspace_.pipelines[index].name + "' cannot have a sink");
      return;
    }
    for (const Call& call : segment.calls) {
      resolve_sink(index, call);
    }
  }

  void resolve_sink(std::size_t index, const Call& call) {
    const std::optional<Endpoint> at = endpoint(index, call, codes::PZ0208);
    if (!at) {
      return;
    }
    project::Entity entity = read_call(index, *at, project::CallSide::Write);
    const std::string label = at->connection->name + "." + entity.name;
    const project::Entity* declared = at->connection->find_entity(entity.name);
    if (declared != nullptr && has_options(declared->write)) {
      if (has_options(entity.write)) {
        refuse_double(index, call, label);
        return;
      }
      entity.write = declared->write;
    }
    for (const WriteSpec& other : workspace_.writes) {
      if (other.target == label) {
        problem(codes::PZ0206, place(index, call),
                "pipelines '" + workspace_.pipelines[other.pipeline].name + "' and '" +
                    workspace_.pipelines[index].name + "' both write to '" + label + "'");
        return;
      }
    }
    const bool from_file = declared != nullptr && has_options(declared->write);
    add_write(*at->connection, entity, index,
              from_file ? "connections.yml" : workspace_.pipelines[index].text.file,
              place(index, call));
  }

  void mark_used() {
    for (const PipelineSpec& pipeline : workspace_.pipelines) {
      for (const std::size_t read : pipeline.reads) {
        workspace_.reads[read].used = true;
      }
    }
    for (const auto& found : watermarks_) {
      PipelineSpec& pipeline = workspace_.pipelines[found.pipeline];
      const std::optional<std::size_t> read = workspace_.find_read(found.label);
      if (!read) {
        problem(codes::PZ0224, found.where,
                "pipeline '" + pipeline.name + "': watermark() of '" + found.label +
                    "', which it does not read");
        continue;
      }
      pipeline.watermarks.push_back({*read, found.segment, "", "", found.where});
    }
  }

  struct FoundWatermark {
    std::size_t pipeline;
    std::size_t segment;
    Position where;
    std::string label;
  };

  Compilation& result_;
  Workspace& workspace_;
  std::vector<Problem>& problems_;
  std::map<std::string, std::string> call_options_;
  std::vector<FoundWatermark> watermarks_;
};

}  // namespace

void resolve_calls(Compilation& result) {
  Resolver(result).run();
}

}  // namespace kedge::pipeline
