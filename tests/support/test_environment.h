// Environment variables from a map, for tests.
#pragma once

#include <map>
#include <string>

#include "base/environment.h"

namespace kedge {

class TestEnvironment : public base::Environment {
 public:
  explicit TestEnvironment(std::map<std::string, std::string> variables)
      : variables_(std::move(variables)) {}
  std::optional<std::string> get(const std::string& name) const override {
    const auto found = variables_.find(name);
    return found != variables_.end() ? std::optional(found->second) : std::nullopt;
  }
  std::string random_hex(std::size_t digits) override { return std::string(digits, '0'); }

 private:
  std::map<std::string, std::string> variables_;
};

}  // namespace kedge
