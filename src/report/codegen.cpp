#include "report/codegen.h"

#include <map>

#include "report/problem.h"

namespace kedge::report {
namespace {

using codegen::CodegenFinding;
using codegen::FileOutcome;
using codegen::FileStatus;
using document::Json;

std::map<std::string, std::size_t> counts_of(const codegen::GenResult& result) {
  std::map<std::string, std::size_t> counts;
  for (const codegen::TargetOutcome& target : result.targets) {
    for (const FileOutcome& file : target.files) {
      ++counts[codegen::to_string(file.status)];
    }
  }
  return counts;
}

std::string file_line(const FileOutcome& file) {
  std::string line = codegen::to_string(file.status) + " " + file.path;
  if (file.status == FileStatus::Conflict && file.regions > 0) {
    line += ":" + std::to_string(file.line) + " (" + std::to_string(file.regions) + " region" +
            (file.regions == 1 ? "" : "s") + ")";
  }
  line += file.code.name().empty() ? "" : "  " + std::string(file.code.name());
  return line + (file.message.empty() ? "" : ": " + file.message) + "\n";
}

Json finding_json_of(const CodegenFinding& finding) {
  return Json()
      .set("severity", to_string(finding.severity))
      .set("code", finding.code.name())
      .set("target", finding.target)
      .set("path", finding.path)
      .set("line", finding.line == 0 ? Json() : Json(finding.line))
      .set("pointer", finding.pointer.empty() ? Json() : Json(finding.pointer))
      .set("message", finding.message);
}

Json findings_json(const std::vector<CodegenFinding>& findings) {
  Json list = Json::array();
  for (const CodegenFinding& finding : findings) {
    list.push(finding_json_of(finding));
  }
  return list;
}

std::string findings_text(const std::vector<CodegenFinding>& findings) {
  std::string text;
  for (const CodegenFinding& finding : findings) {
    text += finding.path + (finding.line > 0 ? ":" + std::to_string(finding.line) : "") + "\n  " +
            to_string(finding.severity) + " " + std::string(finding.code.name()) +
            (finding.pointer.empty() ? "" : "  " + finding.pointer) + "  " + finding.message + "\n";
  }
  return text;
}

Json texts_json(const std::vector<std::string>& texts) {
  Json list = Json::array();
  for (const std::string& text : texts) {
    list.push(text);
  }
  return list;
}

}  // namespace

std::string gen_text(const codegen::GenResult& result) {
  std::string text;
  for (const codegen::TargetOutcome& target : result.targets) {
    for (const FileOutcome& file : target.files) {
      text += file.status == FileStatus::Unchanged ? "" : file_line(file);
    }
  }
  std::string summary;
  for (const auto& [status, count] : counts_of(result)) {
    summary += (summary.empty() ? "" : ", ") + std::to_string(count) + " " + status;
  }
  text += "gen: " + (summary.empty() ? "nothing to generate" : summary);
  text += result.dry_run   ? " (dry run, nothing written)"
          : result.written ? ""
                           : " (a conflict: nothing written)";
  return text + "\n";
}

Json gen_json(const codegen::GenResult& result) {
  Json targets = Json::array();
  for (const codegen::TargetOutcome& target : result.targets) {
    Json files = Json::array();
    for (const FileOutcome& file : target.files) {
      files.push(Json()
                     .set("path", file.path)
                     .set("status", codegen::to_string(file.status))
                     .set("code", file.code.name().empty() ? Json() : Json(file.code.name()))
                     .set("regions", file.regions)
                     .set("message", file.message.empty() ? Json() : Json(file.message)));
    }
    targets.push(
        Json().set("name", target.name).set("pack", target.pack).set("files", std::move(files)));
  }
  Json summary = Json::object();
  for (const auto& [status, count] : counts_of(result)) {
    summary.set(status, count);
  }
  Json warnings = Json::array();
  for (const Finding& warning : result.warnings) {
    warnings.push(finding_json(warning));
  }
  Json json;
  json.set("command", "gen").set("exit_code", result.exit()).set("dry_run", result.dry_run);
  json.set("model", result.model_sha)
      .set("targets", std::move(targets))
      .set("summary", std::move(summary));
  return json.set("warnings", std::move(warnings));
}

std::string codegen_check_text(const codegen::CodegenCheck& check, ShowEdits edits) {
  std::string text = findings_text(check.findings);
  for (const codegen::EditedFile& file : check.edited) {
    text += edits == ShowEdits::Yes ? "edited " + file.path + "\n" : "";
    for (const std::string& line :
         edits == ShowEdits::Yes ? file.changes : std::vector<std::string>{}) {
      text += "  " + line + "\n";
    }
  }
  return text + "codegen: " + std::to_string(check.checked) + " files compared, " +
         std::to_string(check.edited.size()) + " edited, " + std::to_string(check.ignored) +
         " ignored, " + std::to_string(check.findings.size()) + " findings\n";
}

Json codegen_gate_json(const codegen::CodegenCheck& check) {
  Json edits = Json::array();
  for (const codegen::EditedFile& file : check.edited) {
    edits.push(Json().set("path", file.path).set("changes", texts_json(file.changes)));
  }
  return Json()
      .set("checked", check.checked)
      .set("edited", check.edited.size())
      .set("ignored", check.ignored)
      .set("edits", std::move(edits))
      .set("findings", findings_json(check.findings));
}

std::string docs_text(const codegen::DocsResult& result) {
  std::string text;
  for (const std::string& path : result.written) {
    text += "written " + path + "\n";
  }
  for (const std::string& path : result.removed) {
    text += "removed " + path + "\n";
  }
  for (const std::string& path : result.kept_aside) {
    text += "edited page replaced, its text is below .kedge/gen/discarded: " + path + "\n";
  }
  return text + "docs: " + std::to_string(result.written.size()) + " written, " +
         std::to_string(result.unchanged.size()) + " unchanged, " +
         std::to_string(result.removed.size()) + " removed\n";
}

Json docs_json(const codegen::DocsResult& result) {
  return Json()
      .set("command", "docs")
      .set("exit_code", 0)
      .set("written", texts_json(result.written))
      .set("unchanged", texts_json(result.unchanged))
      .set("removed", texts_json(result.removed))
      .set("kept_aside", texts_json(result.kept_aside));
}

std::string docs_check_text(const codegen::DocsCheck& check) {
  return findings_text(check.findings) + "docs: " + std::to_string(check.checked) +
         " pages compared, " + std::to_string(check.ignored) + " ignored by git, " +
         std::to_string(check.findings.size()) + " findings\n";
}

Json docs_gate_json(const codegen::DocsCheck& check) {
  return Json()
      .set("checked", check.checked)
      .set("edited", 0)
      .set("ignored", check.ignored)
      .set("findings", findings_json(check.findings));
}

std::string packs_text(const std::vector<app::PackInfo>& packs) {
  std::string text;
  for (const app::PackInfo& pack : packs) {
    text += pack.name + " (version " + pack.version + ")" +
            (pack.ejected.empty() ? "" : "  ejected copy: " + pack.ejected) + "\n";
    for (const codegen::PackOption& option : pack.options) {
      text += "  " + option.name + ": " + option.type;
      for (const std::string& value : option.values) {
        text += " " + value;
      }
      text += option.fallback.empty() ? "\n" : ", default " + option.fallback + "\n";
    }
  }
  return text;
}

Json packs_json(const std::vector<app::PackInfo>& packs) {
  Json list = Json::array();
  for (const app::PackInfo& pack : packs) {
    Json options = Json::array();
    for (const codegen::PackOption& option : pack.options) {
      options.push(Json()
                       .set("name", option.name)
                       .set("type", option.type)
                       .set("values", texts_json(option.values))
                       .set("default", option.fallback));
    }
    list.push(Json()
                  .set("pack", pack.name)
                  .set("version", pack.version)
                  .set("options", std::move(options))
                  .set("ejected", pack.ejected.empty() ? Json() : Json(pack.ejected)));
  }
  return list;
}

}  // namespace kedge::report
