#include "metadata/diagnostics.h"

#include <algorithm>
#include <tuple>

namespace kedge::metadata {
namespace {

auto key_of(const Diagnostic& diagnostic) {
  const Problem& problem = diagnostic.finding.problem;
  static const Position nowhere;
  const Position& where = problem.where ? *problem.where : nowhere;
  const int rank = diagnostic.is_error() ? 0 : 1;
  return std::tuple(std::string_view(where.file), where.line, where.column, rank,
                    std::string_view(problem.message));
}

}  // namespace

Diagnostic& Diagnostics::add(Code code, Severity severity, std::string message, const Place& place,
                             std::string hint) {
  Diagnostic diagnostic;
  Problem& problem = diagnostic.finding.problem;
  problem.code = code;
  problem.message = std::move(message);
  if (!place.where.file.empty()) {
    problem.where = place.where;
  }
  problem.hint = std::move(hint);
  diagnostic.finding.severity = severity;
  diagnostic.finding.guard = "metadata";
  diagnostic.pointer = place.pointer;
  list_.push_back(std::move(diagnostic));
  return list_.back();
}

std::vector<Diagnostic> Diagnostics::take_sorted() {
  std::stable_sort(list_.begin(), list_.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return key_of(a) < key_of(b); });
  const auto same = [](const Diagnostic& a, const Diagnostic& b) {
    return key_of(a) == key_of(b) && a.finding.problem.code == b.finding.problem.code;
  };
  list_.erase(std::unique(list_.begin(), list_.end(), same), list_.end());
  return std::move(list_);
}

bool Diagnostics::has_errors() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Diagnostic& diagnostic) { return diagnostic.is_error(); });
}

}  // namespace kedge::metadata
