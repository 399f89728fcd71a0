#include "db/library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

#include "base/file_system.h"
#include "db/failure.h"
#include "kedge/codes.h"

namespace kedge::db {

Library::Library(const ConnectionSettings& settings, const std::string& driver,
                 std::span<const std::string> candidates)
    : driver_(driver) {
  std::string reasons;
  for (const std::string& candidate : candidates) {
    handle_ = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      return;
    }
    const char* reason = ::dlerror();
    reasons += (reasons.empty() ? "" : "; ") + std::string(reason == nullptr ? candidate : reason);
  }
  throw_failure(settings, {codes::ERR_CONNECT,
                           "the driver of connection '" + settings.name + "' (" + driver +
                               ") cannot be loaded",
                           reasons,
                           FailureClass::Connection,
                           "",
                           "install " + driver,
                           {}});
}

void* Library::find(const char* name) const {
  void* address = ::dlsym(handle_, name);
  if (address == nullptr) {
    throw Error(codes::ERR_CONNECT, driver_ + " has no function '" + name + "': it is too old");
  }
  return address;
}

std::string program_folder() {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink("/proc/self/exe", path.data(), path.size());
  return size <= 0
             ? std::string(".")
             : base::parent_path(std::string_view(path.data(), static_cast<std::size_t>(size)));
}

}  // namespace kedge::db
