// The events of a run (spec/contracts.md 14): one compact JSON object a line, in publication order,
// appended to the run's file as they happen and handed to a stream where one is asked for.
#pragma once

#include <cstdio>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "base/environment.h"
#include "document/json.h"

namespace kedge::pipeline {

class EventLog {
 public:
  using Stream = std::function<void(std::string_view line)>;  // with its newline

  EventLog(const std::string& file, std::string run_id, const base::Clock& clock, Stream stream);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  enum class Audience { Everybody, FileOnly };
  // `fields` follow event, at and run_id.
  void publish(std::string_view event, const document::Json& fields,
               Audience audience = Audience::Everybody);
  // Called for every event, after it was written: hooks (14.4).
  void on_publish(std::function<void(const std::string& event, const std::string& line)> hook);

 private:
  std::FILE* file_;
  std::string run_id_;
  const base::Clock& clock_;
  Stream stream_;
  std::function<void(const std::string&, const std::string&)> hook_;
  std::mutex mutex_;
};

}  // namespace kedge::pipeline
