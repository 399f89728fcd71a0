// `events: {on, command}` of project.yml (spec/contracts.md 14.4): a command that gets an event's
// JSON on its standard input. Its failure is a warning.
#pragma once

#include "pipeline/engine.h"
#include "pipeline/events.h"

namespace kedge::pipeline {

void install_hooks(EventLog& events, const Engine& engine);

}  // namespace kedge::pipeline
