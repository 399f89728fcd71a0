#include "app/contract_formats.h"

#include <algorithm>

#include "app/pipeline.h"
#include "base/text.h"
#include "contracts/type_name.h"
#include "db/connection.h"
#include "document/edit.h"
#include "kedge/codes.h"
#include "pipeline/fetch.h"
#include "pipeline/source.h"
#include "pipeline/state.h"
#include "project/connections.h"
#include "project/project.h"

namespace kedge::app {
namespace {

using contracts::EntityContract;
using document::Json;

EntityContract contract_of(const project::Connection& connection, const project::Entity& entity,
                           std::vector<Problem>& problems) {
  EntityContract result;
  result.connection = connection.name;
  result.entity = entity.name;
  result.is_file = connection.connector == "localfiles";
  result.path = entity.read.file.path ? entity.read.file.path->text : "";
  if (entity.read.columns) {
    result.contract =
        contracts::read_contract("connections.yml", entity.read.columns->value, problems);
  }
  if (entity.read.expect) {
    result.expectations =
        contracts::read_expectations("connections.yml", entity.read.expect->value, problems);
    const auto says = [&](std::string_view key, std::string_view word) {
      const document::Node* value = entity.read.expect->value.find(key);
      return value != nullptr && value->text == word;
    };
    result.severity =
        says("severity", "warn") ? contracts::CheckSeverity::Warn : contracts::CheckSeverity::Fail;
    if (const document::Node* most = entity.read.expect->value.find("max_violations")) {
      result.max_violations = most->text;
    }
    result.on_violation = says("on_violation", "quarantine") ? contracts::OnViolation::Quarantine
                                                             : contracts::OnViolation::Keep;
  }
  if (entity.write.where) {
    result.strategy = entity.write.strategy ? entity.write.strategy->text : "append";
    result.policy =
        entity.write.schema_policy ? entity.write.schema_policy->text : "fail_on_change";
    for (const project::Text& key : entity.write.keys) {
      result.keys.push_back(key.text);
    }
    if (entity.write.columns) {
      result.promise =
          contracts::read_contract("connections.yml", entity.write.columns->value, problems);
    }
    if (entity.write.expect) {
      result.promise_expectations =
          contracts::read_expectations("connections.yml", entity.write.expect->value, problems);
    }
  }
  return result;
}

// `source`: the text of connections.yml, whose settings are told as they are written there.
std::vector<EntityContract> contracts_of(const project::Connections& connections,
                                         const std::string& source,
                                         std::vector<Problem>& problems) {
  const document::Document document =
      document::read_document("connections.yml", source, document::Format::Yaml);
  const auto block_of = [&](const EntityContract& contract) {
    const document::Node* connection = document.root.find(contract.connection);
    const document::Node* entities = connection == nullptr ? nullptr : connection->find("entities");
    return entities == nullptr ? nullptr : entities->find(contract.entity);
  };
  std::vector<EntityContract> all;
  for (const project::Connection& connection : connections.connections) {
    for (const project::Entity& entity : connection.entities) {
      EntityContract contract = contract_of(connection, entity, problems);
      if (!contract.contract.empty() || !contract.strategy.empty()) {
        if (const document::Node* block = block_of(contract)) {
          contracts::keep_settings(contract, *block);
        }
        all.push_back(std::move(contract));
      }
    }
  }
  return all;
}

contracts::ServerEntry server_of(const project::Connection& connection) {
  static const std::vector<std::string> kTypes = {"postgres", "mysql", "sqlserver", "duckdb"};
  const auto option = [&](const std::string& name, const std::string& fallback) {
    const auto found = connection.options.find(name);
    return found == connection.options.end() ? fallback : found->second.text;
  };
  const bool known = std::find(kTypes.begin(), kTypes.end(), connection.connector) != kTypes.end();
  contracts::ServerEntry server;
  server.name = connection.name;
  server.type = connection.connector == "localfiles" ? "local"
                : known                              ? connection.connector
                                                     : "custom";
  if (server.type == "local") {
    server.path = option("root", ".");
    return server;
  }
  if (server.type == "duckdb") {
    server.database = option("path", "");
    return server;
  }
  if (server.type != "custom") {
    server.host = option("host", "");
    server.port = option("port", server.type == "postgres" ? "5432"
                                 : server.type == "mysql"  ? "3306"
                                                           : "1433");
    server.database = option("database", "");
    server.schema = server.type == "mysql"
                        ? ""
                        : option("schema", server.type == "postgres" ? "public" : "dbo");
  }
  return server;
}

}  // namespace

ExportResult export_contract(Context& context, const ExportRequest& request) {
  ExportResult result;
  const project::ProjectLoad project =
      project::load_project(context.files, context.environment, context.folder);
  const project::ConnectionsLoad load =
      project::load_connections(context.files, context.environment, context.folder,
                                request.servers == Servers::Named ? project::UnsetOptions::Refuse
                                                                  : project::UnsetOptions::Note);
  result.problems = load.problems;
  std::vector<EntityContract> all = contracts_of(
      load.connections,
      context.files.read(base::join_path(context.folder, "connections.yml")).value_or(""),
      result.problems);
  std::erase_if(all, [](const EntityContract& entity) { return entity.contract.empty(); });
  for (const std::string& target : request.targets) {
    const bool known = std::any_of(all.begin(), all.end(), [&](const EntityContract& e) {
      return e.connection + "." + e.entity == target;
    });
    if (!known) {
      result.problems.push_back(
          {codes::PZ0210, "'" + target + "' has no columns: contract", std::nullopt, "", {}});
    }
  }
  if (!result.problems.empty()) {
    return result;
  }
  contracts::ContractDocument document;
  document.name = project.project.name.empty() ? "kedge" : project.project.name;
  document.version = project.project.version.empty() ? "0.0.0" : project.project.version;
  for (EntityContract& entity : all) {
    const std::string label = entity.connection + "." + entity.entity;
    if (request.targets.empty() ||
        std::find(request.targets.begin(), request.targets.end(), label) != request.targets.end()) {
      document.entities.push_back(std::move(entity));
    }
  }
  if (request.servers == Servers::Named) {
    for (const project::Connection& connection : load.connections.connections) {
      document.servers.push_back(server_of(connection));
    }
  }
  result.text = document::write_yaml(contracts::to_odcs(document));
  if (request.out) {
    context.files.write(base::join_path(context.folder, *request.out), result.text);
    result.text.clear();
  }
  return result;
}

ImportResult import_contract(Context& context, const ImportRequest& request) {
  ImportResult result;
  const std::string path = base::join_path(context.folder, request.file);
  const std::optional<std::string> text = context.files.read(path);
  if (!text) {
    throw Error(codes::PZ0820, "there is no file '" + request.file + "'");
  }
  contracts::OdcsImport import = contracts::from_odcs(request.file, *text);
  result.warnings = std::move(import.warnings);
  result.problems = std::move(import.problems);
  Json entities = Json::object();
  for (contracts::ImportedEntity& entity : import.entities) {
    if (!request.entity || *request.entity == entity.entity) {
      entities.set(entity.entity, std::move(entity.block));
    }
  }
  if (!result.problems.empty()) {
    return result;
  }
  if (request.entity && entities.as_object()->empty()) {
    throw Error(codes::PZ0820, "the document has no entity '" + *request.entity + "'");
  }
  const std::string file = base::join_path(context.folder, "connections.yml");
  const std::optional<std::string> source = context.files.read(file);
  const document::Document document =
      document::read_document("connections.yml", source.value_or(""), document::Format::Yaml);
  const document::Node* connection = document.root.find(request.connection);
  if (!document.usable || connection == nullptr) {
    throw Error(codes::PZ0820, "connections.yml has no connection '" + request.connection + "'");
  }
  if (request.target == ImportTarget::Print) {
    Json block;
    block.set("entities", std::move(entities));
    result.text = document::write_yaml(block);
    return result;
  }
  const document::Node* present = connection->find("entities");
  document::Editor editor(document);
  for (const auto& [name, block] : *entities.as_object()) {
    if (present != nullptr && present->find(name) != nullptr) {
      throw Error(Problem{codes::PZ0820,
                          "entity '" + request.connection + "." + name +
                              "' is in connections.yml already and is not overwritten",
                          document.position(present->find_entry(name)->key),
                          "",
                          {}});
    }
  }
  if (present == nullptr) {
    editor.set({request.connection}, "entities", entities);
  } else {
    for (const auto& [name, block] : *entities.as_object()) {
      editor.set({request.connection, std::string("entities")}, name, block);
    }
  }
  context.files.write(file, editor.apply());
  return result;
}

InferResult infer_contract(Context& context, const std::string& target, InferFrom from) {
  InferResult result;
  contracts::Contract contract;
  const auto add = [&](const std::string& name, const schema::Type& type) {
    contracts::ContractColumn column;
    column.name = name;
    column.source = name;
    column.type = type;
    contract.columns.push_back(std::move(column));
  };
  if (from == InferFrom::Baseline) {
    const project::ProjectLoad project =
        project::load_project(context.files, context.environment, context.folder);
    const pipeline::State state(context.files, context.folder, project.project.state_dir.text);
    const contracts::Baselines baselines = state.baselines();
    const auto found = baselines.find(target);
    if (found == baselines.end()) {
      throw Error(codes::PZ0127, "'" + db::redact_url(target) + "' has no accepted baseline",
                  "run with on_source_drift: warn or fail first, or use --connect");
    }
    for (const contracts::ShapeColumn& column : found->second.shape.columns) {
      add(column.name, contracts::duckdb_type(column.type));
    }
  } else {
    const pipeline::Compilation compilation = compile_workspace(context, std::nullopt);
    result.problems = first_problems(compilation);
    if (!result.problems.empty()) {
      return result;
    }
    const std::optional<std::size_t> read = compilation.workspace->find_read(target);
    if (!read) {
      throw Error(codes::PZ0210, "there is no entity '" + target + "'");
    }
    for (const auto& column :
         pipeline::fetch_shape(world_of(context), compilation.workspace, *read).columns) {
      add(column.name, column.type);
    }
  }
  Json block;
  block.set("columns", contracts::columns_block(contract));
  result.text = document::write_yaml(block);
  return result;
}

namespace {

// The contracts of a text of connections.yml, and what of it cannot be read.
std::vector<EntityContract> contracts_in(const Context& context, const std::string& text,
                                         std::vector<Problem>& problems) {
  const std::unique_ptr<base::FileSystem> files = base::make_memory_file_system();
  files->write("/p/connections.yml", text);
  const project::ConnectionsLoad load =
      project::load_connections(*files, context.environment, "/p", project::UnsetOptions::Note);
  problems = load.problems;
  return contracts_of(load.connections, text, problems);
}

std::vector<EntityContract> read_source(Context& context, const std::string& name,
                                        const std::string& text) {
  const document::Document document =
      document::read_document(name, text, document::format_of(name));
  if (!document.problems.empty()) {
    throw Error(
        Problem{codes::PZ0820, document.problems[0].message, document.problems[0].where, "", {}});
  }
  std::string source = text;
  if (document.root.find("apiVersion") != nullptr) {
    const contracts::OdcsImport import = contracts::from_odcs(name, text);
    if (!import.problems.empty()) {
      throw Error(import.problems[0]);
    }
    Json entities = Json::object();
    for (const contracts::ImportedEntity& entity : import.entities) {
      entities.set(entity.entity, entity.block);
    }
    Json connection;
    connection.set("connector", "localfiles");
    connection.set("entities", std::move(entities));
    Json root;
    root.set("contract", std::move(connection));
    source = document::write_yaml(root);
  }
  std::vector<Problem> problems;
  std::vector<EntityContract> all = contracts_in(context, source, problems);
  if (!problems.empty()) {
    Problem first = problems.front();
    if (first.where && first.where->file == "connections.yml") {
      first.where->file = name;
    }
    throw Error(std::move(first));
  }
  return all;
}

std::vector<EntityContract> load_source(Context& context, const std::string& name) {
  if (const auto text = context.files.read(base::join_path(context.folder, name))) {
    return read_source(context, name, *text);
  }
  base::ProcessRequest request;
  request.arguments = {"git", "show", name + ":./connections.yml"};
  request.working_folder = context.folder;
  request.timeout_seconds = 30;
  const bool option = name.starts_with("-");
  const base::ProcessResult shown = option ? base::ProcessResult{} : context.processes.run(request);
  if (option || shown.exit_code != 0) {
    throw Error(codes::PZ0820, "'" + db::redact_url(name) +
                                   "' is neither a file nor a git revision with a connections.yml");
  }
  return read_source(context, "connections.yml", shown.standard_output);
}

}  // namespace

bool ContractDiff::breaking() const {
  return std::any_of(changes.begin(), changes.end(), [](const contracts::ContractChange& change) {
    return change.kind == contracts::DiffKind::Breaking;
  });
}

ContractDiff diff_contract_sources(Context& context, const std::string& before,
                                   const std::string& after) {
  return {contracts::diff_contracts(load_source(context, before), load_source(context, after))};
}

ContractDiff diff_contract_texts(Context& context, const std::string& before,
                                 const std::string& after) {
  std::vector<Problem> problems;  // the guard of contracts tells them
  const std::vector<EntityContract> old = contracts_in(context, before, problems);
  return {contracts::diff_contracts(old, contracts_in(context, after, problems))};
}

}  // namespace kedge::app
