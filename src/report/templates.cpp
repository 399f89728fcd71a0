#include "report/templates.h"

#include "report/problem.h"

namespace kedge::report {
namespace {

using document::Json;
using templates::TemplateFinding;

Json optional_text(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json();
}

std::string place_of(const app::PartFinding& item) {
  if (!item.finding.at) {
    return item.finding.source.empty() ? to_string(item.declared_at) : item.finding.source;
  }
  return item.finding.source + ":" + std::to_string(item.finding.at->line) + ":" +
         std::to_string(item.finding.at->column);
}

Json via_json(const std::vector<templates::Inclusion>& via) {
  Json list = Json::array();
  for (const templates::Inclusion& step : via) {
    list.push(Json()
                  .set("file", step.source)
                  .set("line", step.at.line)
                  .set("column", step.at.column)
                  .set("ref", step.reference));
  }
  return list;
}

Json position_json(const Position& where) {
  return where.file.empty()
             ? Json()
             : Json().set("file", where.file).set("line", where.line).set("column", where.column);
}

Json finding_json_of(const app::PartFinding& item) {
  const TemplateFinding& finding = item.finding;
  Json context = Json::array();
  for (const std::string& type : finding.context) {
    context.push(type);
  }
  const std::string& reference = finding.reference.empty() ? item.reference : finding.reference;
  Json json;
  json.set("severity", to_string(finding.severity));
  json.set("code", finding.code.name());
  json.set("detail", optional_text(finding.detail));
  json.set("template", item.template_name);
  json.set("part", item.part.empty() ? Json() : Json(item.part));
  json.set("ref", reference.empty() ? Json() : Json(reference));
  json.set("file", finding.source.empty() ? Json() : Json(finding.source));
  json.set("line", finding.at ? Json(finding.at->line) : Json());
  json.set("column", finding.at ? Json(finding.at->column) : Json());
  json.set("path", optional_text(finding.path));
  json.set("context", std::move(context));
  json.set("via", via_json(finding.via));
  json.set("suggestion", optional_text(finding.suggestion));
  json.set("declared_at", position_json(item.declared_at));
  json.set("message", finding.message);
  return json;
}

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

std::string template_finding_line(const TemplateFinding& finding) {
  std::string line = to_string(finding.severity) + " " + std::string(finding.code.name());
  line += finding.path ? "  " + *finding.path : "";
  line += "   " + finding.message;
  line += finding.suggestion ? "; did you mean '" + *finding.suggestion + "'?" : "";
  return line;
}

std::string templates_text(const app::VerifyTemplatesResult& result) {
  if (result.templates == 0 && result.texts == 0) {
    return "templates: the metadata has no template nodes, nothing was checked\n";
  }
  std::string text;
  for (const app::PartFinding& item : result.findings) {
    text += item.template_name + (item.part.empty() ? "" : " (" + item.part + ")") + "  " +
            place_of(item) + "\n";
    text += "  " + template_finding_line(item.finding) + "\n";
    for (std::size_t i = item.finding.via.size(); i-- > 0;) {
      const templates::Inclusion& step = item.finding.via[i];
      text += "    included by " + step.source + ":" + std::to_string(step.at.line) + ":" +
              std::to_string(step.at.column) + "\n";
    }
  }
  return text + "templates: " + plural(result.templates, "template") + ", " +
         plural(result.texts, "text") + ", " + plural(result.count(Severity::Error), "error") +
         ", " + plural(result.count(Severity::Warning), "warning") + "\n";
}

Json templates_gate_json(const app::VerifyTemplatesResult& result) {
  Json findings = Json::array();
  for (const app::PartFinding& item : result.findings) {
    findings.push(finding_json_of(item));
  }
  Json json;
  json.set("checked", Json().set("templates", result.templates).set("texts", result.texts));
  json.set("summary", Json()
                          .set("errors", result.count(Severity::Error))
                          .set("warnings", result.count(Severity::Warning)));
  json.set("findings", std::move(findings));
  return json;
}

Json render_error_json(const templates::RenderError& error, const std::string& template_name) {
  Json findings = Json::array();
  for (const TemplateFinding& finding : error.findings) {
    findings.push(finding_json_of({template_name, "", "", finding, {}}));
  }
  Json problems = Json::array();
  for (const templates::PayloadProblem& problem : error.problems) {
    problems.push(Json().set("pointer", problem.pointer).set("reason", problem.reason));
  }
  Json json;
  json.set("error", error.code().name()).set("message", error.problem().message);
  json.set("path", optional_text(error.path));
  json.set("findings", std::move(findings)).set("problems", std::move(problems));
  return json;
}

std::string template_list_text(const std::vector<app::ListedTemplate>& list) {
  std::string text;
  for (const app::ListedTemplate& item : list) {
    text += item.name + "  template." + item.subtype + "  payload " + item.payload;
    for (const app::TemplatePart& part : item.parts) {
      text += "  " + part.name + "=" + part.reference;
    }
    text += "\n";
  }
  return text.empty() ? "the metadata has no template nodes\n" : text;
}

Json template_list_json(const std::vector<app::ListedTemplate>& list) {
  Json items = Json::array();
  for (const app::ListedTemplate& item : list) {
    Json parts = Json::array();
    for (const app::TemplatePart& part : item.parts) {
      parts.push(Json().set("part", part.name).set("ref", part.reference));
    }
    items.push(Json()
                   .set("name", item.name)
                   .set("subtype", item.subtype)
                   .set("payload", item.payload)
                   .set("format", item.format)
                   .set("parts", std::move(parts))
                   .set("file", item.declared_at.file)
                   .set("line", item.declared_at.line)
                   .set("column", item.declared_at.column));
  }
  return items;
}

}  // namespace kedge::report
