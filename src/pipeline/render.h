// A pipeline's template as SQL (spec/contracts.md 6.2): a text expansion, nothing more. Ephemeral
// pipelines become CTEs around the statement.
#pragma once

#include <functional>
#include <string>

#include "base/environment.h"
#include "pipeline/workspace.h"

namespace kedge::pipeline {

enum class EnvironmentValues { Real, Hidden };  // Hidden: printed SQL shows ***

struct RenderContext {
  const Workspace& workspace;
  const base::Environment& environment;
  std::string run_id;
  std::string run_started_at;
  // The literal for a watermark() use of a pipeline (index into PipelineSpec::watermarks).
  std::function<std::string(const PipelineSpec&, std::size_t)> watermark;
  EnvironmentValues values = EnvironmentValues::Real;
  // How tables of the run are named; push-down replaces it.
  std::function<std::string(const std::string&)> table;
};

std::string quote_name(std::string_view name);     // "a""b"
std::string quote_literal(std::string_view text);  // 'it''s'
std::string staging_table(std::string_view name);  // staging."name"

// The SELECT of a pipeline, without its sink and its trailing semicolon. PZ0103 for an unset env.
std::string render_pipeline(const RenderContext& context, std::size_t pipeline);

}  // namespace kedge::pipeline
