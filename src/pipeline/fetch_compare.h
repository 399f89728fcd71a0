// The comparison half of tier 5: what was fetched of one connection against what is declared,
// accepted or remembered. Pure.
#pragma once

#include "pipeline/fetch.h"

namespace kedge::pipeline {

// What one connection gave; filled by its own thread.
struct Probe {
  const project::Connection* connection = nullptr;
  std::vector<std::size_t> reads;
  std::vector<std::size_t> writes;
  std::optional<Problem> failure;  // of the whole connection
  std::map<std::size_t, contracts::FetchedShape> shapes;
  std::map<std::size_t, Problem> unfetched;   // reads that could not be described
  std::map<std::size_t, Problem> uncaptured;  // those whose changes the server does not give
  std::map<std::size_t, contracts::Target> targets;
};

void compare_probe(const FetchRequest& request, const Probe& probe, FetchResult& result);

}  // namespace kedge::pipeline
