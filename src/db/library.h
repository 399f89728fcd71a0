// Client libraries that are opened on first use, so that starting kedge stays cheap and a missing
// driver is an error of the connection, not of the program.
#pragma once

#include <span>
#include <string>

#include "db/connection.h"

namespace kedge::db {

class Library {
 public:
  // Opens the first candidate that can be opened; throws ERR_CONNECT (class Connection) naming the
  // driver when none can.
  Library(const ConnectionSettings& settings, const std::string& driver,
          std::span<const std::string> candidates);
  // Throws ERR_CONNECT when the library has no such function.
  template <class Function>
  void load(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(find(name));
  }

 private:
  void* find(const char* name) const;
  void* handle_ = nullptr;  // never closed: drivers keep threads and handlers
  std::string driver_;
};

// The folder of the running program.
std::string program_folder();

}  // namespace kedge::db
