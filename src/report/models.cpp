#include "report/models.h"

#include "base/text.h"
#include "models/entry_json.h"
#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;

void add_list(std::string& text, std::string_view what, const std::vector<std::string>& names) {
  if (!names.empty()) {
    text += "  " + std::string(what) + ": " + base::join(names, ", ") + "\n";
  }
}

std::string entry_text(const models::ToDeleteEntry& entry) {
  const auto* edit = std::get_if<models::EditModelDelete>(&entry);
  std::string text = std::string(edit ? "EDIT" : "DELETE") +
                     " MODEL: " + models::model_name(entry) +
                     " (datasource: " + models::data_source(entry) + ")\n";
  if (edit) {
    add_list(text, "drop columns", edit->remove.columns);
    add_list(text, "drop measures", edit->remove.measures);
    add_list(text, "drop aggregations", edit->remove.aggregations);
    add_list(text, "drop joins", edit->remove.joins);
    add_list(text, "remove filters", edit->remove_filters);
  }
  for (const models::DeleteReason& reason : models::reasons(entry)) {
    text += "    - " + reason.target + ": " + reason.reason + "\n";
  }
  return text;
}

Json applied_json(const models::AppliedEntry& entry) {
  Json json;
  json.set("tool", entry.tool);
  json.set("model_name", entry.model_name);
  json.set("data_source", entry.data_source);
  return json;
}

Json names_json(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) {
    list.push(name);
  }
  return list;
}

Json addition_json(const models::IngestAddition& addition) {
  Json json;
  json.set("model_name", addition.model_name);
  json.set("data_source", addition.data_source);
  json.set("created", addition.created);
  json.set("new_columns", names_json(addition.new_columns));
  json.set("new_joins", names_json(addition.new_joins));
  return json;
}

}  // namespace

std::string entries_text(const std::vector<models::ToDeleteEntry>& entries,
                         const std::vector<models::RenameHint>& hints, Checked checked) {
  if (entries.empty()) {
    return checked == Checked::All ? "No drift detected.\n"
                                   : "No drift detected in what could be checked.\n";
  }
  std::string text;
  for (const models::ToDeleteEntry& entry : entries) {
    text += entry_text(entry);
    for (const models::RenameHint& hint : hints) {
      if (hint.model == models::ModelId{models::data_source(entry), models::model_name(entry)}) {
        text += "    hint: " + hint.model.second + "." + hint.column +
                " may have been renamed to '" + hint.candidate + "'\n";
      }
    }
  }
  return text;
}

Json entries_json(const std::vector<models::ToDeleteEntry>& entries) {
  return models::to_json(entries);
}

std::string failure_lines(const std::vector<models::CheckFailure>& failures) {
  std::string text;
  for (const models::CheckFailure& failure : failures) {
    Json json;
    json.set("data_source", failure.data_source);
    if (!failure.model_name.empty()) {
      json.set("model_name", failure.model_name);
    }
    json.set("code", failure.code);
    json.set("message", failure.message);
    text += document::write_json(json, -1) + "\n";
  }
  return text;
}

std::string failure_text(const std::vector<models::CheckFailure>& failures) {
  std::string text;
  for (const models::CheckFailure& failure : failures) {
    text += "NOT CHECKED: " +
            (failure.model_name.empty()
                 ? "datasource " + failure.data_source
                 : failure.model_name + " (datasource: " + failure.data_source + ")") +
            "\n    - " + failure.code + ": " + failure.message + "\n";
  }
  return text;
}

std::string warnings_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) {
    if (finding.severity == Severity::Warning) {
      text += finding_text(finding);
    }
  }
  return text;
}

Json apply_json(const models::ApplyDriftResult& result) {
  Json applied = Json::array();
  for (const models::AppliedEntry& entry : result.applied) {
    applied.push(applied_json(entry));
  }
  Json errors = Json::array();
  for (const models::ApplyError& error : result.errors) {
    Json item = applied_json(error.entry);
    item.set("code", error.code);
    item.set("error", error.error);
    errors.push(std::move(item));
  }
  Json json;
  json.set("applied", std::move(applied));
  json.set("errors", std::move(errors));
  json.set("residual", models::to_json(result.residual));
  return json;
}

std::string apply_text(const models::ApplyDriftResult& result) {
  std::string text = "Applied " + std::to_string(result.applied.size()) + " delete(s).\n";
  for (const models::ApplyError& error : result.errors) {
    text += "ERROR: " + error.entry.tool + " " + error.entry.model_name +
            " (datasource: " + error.entry.data_source + "): " + error.code + ": " + error.error +
            "\n";
  }
  if (!result.residual.empty()) {
    text += "Residual drift:\n" + entries_text(result.residual, {});
  }
  return text;
}

Json ingest_json(const models::IdempotentIngestResult& result) {
  Json additions = Json::array();
  for (const models::IngestAddition& addition : result.additions) {
    additions.push(addition_json(addition));
  }
  Json errors = Json::array();
  for (const models::IngestError& error : result.errors) {
    Json item;
    item.set("model_name", error.model_name);
    item.set("data_source", error.data_source);
    item.set("code", error.code);
    item.set("error", error.error);
    errors.push(std::move(item));
  }
  Json json;
  json.set("additions", std::move(additions));
  json.set("to_delete", models::to_json(result.to_delete));
  json.set("errors", std::move(errors));
  return json;
}

std::string ingest_text(const models::IdempotentIngestResult& result) {
  std::string text;
  for (const models::IngestAddition& addition : result.additions) {
    text += std::string(addition.created ? "NEW MODEL: " : "EXTENDED MODEL: ") +
            addition.model_name + " (datasource: " + addition.data_source + ")\n";
    add_list(text, "new columns", addition.new_columns);
    add_list(text, "new joins", addition.new_joins);
  }
  if (result.additions.empty()) {
    text += "Nothing to add.\n";
  }
  for (const models::IngestError& error : result.errors) {
    text += "ERROR: " + error.model_name + ": " + error.code + ": " + error.error + "\n";
  }
  if (!result.to_delete.empty()) {
    text += "Pending deletes (kedge validate-models --force-clean applies them):\n" +
            entries_text(result.to_delete, {});
  }
  return text;
}

Json renames_json(const std::vector<models::RenameCandidate>& renames) {
  Json list = Json::array();
  for (const models::RenameCandidate& rename : renames) {
    Json json;
    json.set("model_name", rename.model.second);
    json.set("data_source", rename.model.first);
    json.set("column", rename.column);
    json.set("missing", rename.missing);
    json.set("candidate", rename.candidate);
    json.set("score", rename.score);
    json.set("reasons", names_json(rename.reasons));
    Json edit;
    edit.set("column", rename.column);
    edit.set("sql", rename.sql);
    json.set("edit", std::move(edit));
    list.push(std::move(json));
  }
  return list;
}

std::string renames_text(const std::vector<models::RenameCandidate>& renames) {
  if (renames.empty()) {
    return "No rename found.\n";
  }
  std::string text;
  for (const models::RenameCandidate& rename : renames) {
    text += "RENAME: " + rename.model.second + "." + rename.column +
            " (datasource: " + rename.model.first + "): '" + rename.missing + "' -> '" +
            rename.candidate + "' (" + std::to_string(rename.score) + "%" +
            (rename.reasons.empty() ? "" : ": " + base::join(rename.reasons, ", ")) + ")\n";
  }
  return text;
}

Json import_json(const app::ImportModelsResult& result) {
  Json written = Json::array();
  for (const models::ModelId& id : result.written) {
    Json item;
    item.set("model_name", id.second);
    item.set("data_source", id.first);
    written.push(std::move(item));
  }
  Json skipped = Json::array();
  for (const Finding& finding : result.skipped) {
    skipped.push(problem_json(finding.problem));
  }
  Json errors = Json::array();
  for (const models::IngestError& error : result.refused) {
    Json item;
    item.set("model_name", error.model_name);
    item.set("data_source", error.data_source);
    item.set("code", error.code);
    item.set("error", error.error);
    errors.push(std::move(item));
  }
  Json json;
  json.set("written", std::move(written));
  json.set("skipped", std::move(skipped));
  json.set("errors", std::move(errors));
  return json;
}

std::string import_text(const app::ImportModelsResult& result) {
  std::string text;
  for (const models::ModelId& id : result.written) {
    text += "NEW MODEL: " + id.second + " (datasource: " + id.first + ")\n";
  }
  for (const models::IngestError& error : result.refused) {
    text += "ERROR: " + error.model_name + ": " + error.code + ": " + error.error + "\n";
  }
  if (!result.skipped.empty()) {
    text += "Not carried over:\n";
    for (const Finding& finding : result.skipped) {
      text += finding_text(finding);
    }
  }
  return text;
}

}  // namespace kedge::report
