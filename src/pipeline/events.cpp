#include "pipeline/events.h"

#include <cerrno>
#include <cstring>

#include "kedge/codes.h"

namespace kedge::pipeline {

EventLog::EventLog(const std::string& file, std::string run_id, const base::Clock& clock,
                   Stream stream)
    : file_(std::fopen(file.c_str(), "ae")),
      run_id_(std::move(run_id)),
      clock_(clock),
      stream_(std::move(stream)) {
  if (file_ == nullptr) {
    const bool full = errno == ENOSPC;
    throw Error(full ? codes::PZ0532 : codes::PZ0531,
                std::string("the event file of the run cannot be written: ") +
                    std::strerror(errno));  // NOLINT(concurrency-mt-unsafe)
  }
}

EventLog::~EventLog() {
  std::fclose(file_);
}

void EventLog::on_publish(std::function<void(const std::string&, const std::string&)> hook) {
  hook_ = std::move(hook);
}

void EventLog::publish(std::string_view event, const document::Json& fields, Audience audience) {
  document::Json json;
  json.set("event", event);
  json.set("at", base::format_utc(clock_.now_milliseconds()));
  json.set("run_id", run_id_);
  if (const auto* members = fields.as_object()) {
    for (const auto& [name, value] : *members) {
      json.set(name, value);
    }
  }
  const std::string line = document::write_json(json, -1) + "\n";
  const std::lock_guard<std::mutex> guard(mutex_);
  std::fwrite(line.data(), 1, line.size(), file_);
  std::fflush(file_);
  if (audience == Audience::Everybody && stream_) {
    stream_(line);
  }
  if (hook_) {
    hook_(std::string(event), line);
  }
}

}  // namespace kedge::pipeline
