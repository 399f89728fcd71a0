// Numbers of items by their names: filled once, then asked often. Flat, so that a table of thirty
// columns costs two allocations and not thirty.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kedge::models {

using Number = std::uint32_t;  // of an item in its list
inline constexpr Number kNone = ~Number{0};

class NameTable {
 public:
  void reserve(std::size_t count) {
    entries_.reserve(count);
    if (2 * count > slots_.size()) {
      resize(count);
    }
  }

  // Of equal names the first wins in find().
  void add(std::string name, Number number) {
    if (2 * (entries_.size() + 1) > slots_.size()) {
      resize(entries_.size() + 1);
    }
    entries_.emplace_back(std::move(name), number);
    place(entries_.size() - 1);
  }

  Number find(std::string_view name) const {
    Number found = kNone;
    visit(name, [&](Number number) {
      found = number;
      return false;
    });
    return found;
  }
  bool contains(std::string_view name) const { return find(name) != kNone; }

  std::vector<Number> find_all(std::string_view name) const {  // in the order of adding
    std::vector<Number> found;
    visit(name, [&](Number number) {
      found.push_back(number);
      return true;
    });
    return found;
  }

 private:
  static std::size_t hash(std::string_view name) { return std::hash<std::string_view>{}(name); }

  // Equal names are met in the order of adding: all start at one slot, and none ever leaves.
  template <typename Visit>
  void visit(std::string_view name, Visit&& visit) const {
    if (slots_.empty()) {
      return;
    }
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t slot = hash(name) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
      const auto& [known, number] = entries_[slots_[slot] - 1];
      if (known == name && !visit(number)) {
        return;
      }
    }
  }

  void place(std::size_t entry) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash(entries_[entry].first) & mask;
    while (slots_[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = static_cast<std::uint32_t>(entry + 1);
  }

  void resize(std::size_t count) {
    std::size_t size = 8;
    while (size < 2 * count) {
      size *= 2;
    }
    slots_.assign(size, 0);
    for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
      place(entry);
    }
  }

  std::vector<std::pair<std::string, Number>> entries_;
  std::vector<std::uint32_t> slots_;  // a power of two: number of the entry + 1, 0 when free
};

}  // namespace kedge::models
