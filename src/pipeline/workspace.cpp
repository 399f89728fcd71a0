#include "pipeline/workspace.h"

#include <algorithm>

#include "base/secrets.h"
#include "db/connection.h"
#include "kedge/codes.h"

namespace kedge::pipeline {

const project::Connection& Workspace::connection(const std::string& name) const {
  const project::Connection* found = connections.find(name);
  if (found == nullptr) {
    throw Error(codes::PZ0500, "connection '" + name + "' is not known");
  }
  return *found;
}

std::optional<std::size_t> Workspace::find_pipeline(const std::string& name) const {
  for (std::size_t i = 0; i < pipelines.size(); ++i) {
    if (pipelines[i].name == name) {
      return i;
    }
  }
  return std::nullopt;
}

std::optional<std::size_t> Workspace::find_read(const std::string& label) const {
  for (std::size_t i = 0; i < reads.size(); ++i) {
    if (reads[i].label == label) {
      return i;
    }
  }
  return std::nullopt;
}

namespace {

// Failures whose words are about names and places. All others may say values of rows, in any words.
bool speaks_of_values(db::FailureClass failure) {
  switch (failure) {
    case db::FailureClass::Schema:
    case db::FailureClass::Permission:
    case db::FailureClass::Connection:
    case db::FailureClass::Timeout:
    case db::FailureClass::Cancelled:
    case db::FailureClass::Resource:
    case db::FailureClass::Lock:
      return false;
    case db::FailureClass::Data:
    case db::FailureClass::Other:
      return true;
  }
  return true;
}

// "Conversion Error" of DuckDB, else the number that the engine gives it.
std::string kind_of(const db::DatabaseError& error) {
  const std::string& words = error.driver_message();
  const std::string head = words.substr(0, std::min(words.find(": "), words.size()));
  if (head.ends_with(" Error") && head.find_first_of("'\"\n") == std::string::npos) {
    return head;
  }
  return error.native_code().empty() ? "the engine refused a value"
                                     : "error " + error.native_code();
}

}  // namespace

std::string Workspace::said(const db::DatabaseError& error, std::optional<bool> samples) const {
  if (!samples.value_or(project.engine.check_samples) && speaks_of_values(error.failure())) {
    return kind_of(error) + " (samples are off: what the engine said is not shown)";
  }
  const std::string words = hide(error.driver_message());
  return words.substr(0, words.find('\n'));
}

std::string Workspace::hide(std::string text) const {
  return base::hide_secrets(std::move(text), secrets);
}

}  // namespace kedge::pipeline
