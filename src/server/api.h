// The endpoints and the MCP server of one project, made from the operations.
#pragma once

#include <vector>

#include "app/context.h"
#include "server/mcp.h"
#include "server/metrics.h"
#include "server/operations.h"
#include "server/router.h"

namespace kedge::server {

// `context` and `metrics` must outlive what is made.
std::vector<Endpoint> make_endpoints(app::Context& context, const Metrics& metrics);
McpServer make_mcp_server(app::Context& context);

}  // namespace kedge::server
