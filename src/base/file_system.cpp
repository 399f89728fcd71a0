#include "base/file_system.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/text.h"
#include "kedge/codes.h"

namespace kedge::base {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, const std::string& path, int error) {
  throw Error(codes::ERR_IO, what + " '" + path + "': " + std::strerror(error));
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) {
      ::close(value_);
    }
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      fail("cannot write", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void flush_folder(const std::string& folder) {
  const Descriptor descriptor(
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (descriptor.value() >= 0) {
    ::fsync(descriptor.value());  // some file systems refuse this; the rename itself has happened
  }
}

constexpr std::string_view kTemporary = ".kedge-tmp-";
constexpr std::size_t kRandom = 6;  // what mkostemp fills in

bool is_temporary(std::string_view name) {
  return name.size() > kTemporary.size() + kRandom &&
         name.substr(name.size() - kTemporary.size() - kRandom, kTemporary.size()) == kTemporary;
}

// A file of a random name beside the target. Its lock says that somebody is writing it.
int make_temporary(const std::string& target, std::string& path) {
  for (;;) {
    path = target + std::string(kTemporary) + std::string(kRandom, 'X');
    const int descriptor = ::mkostemp(path.data(), O_CLOEXEC);
    if (descriptor < 0) {
      return descriptor;
    }
    const bool lost = ::flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    struct stat info {};
    if (!lost && ::fstat(descriptor, &info) == 0 && info.st_nlink > 0) {
      return descriptor;
    }
    ::close(descriptor);  // somebody cleaned up before it was locked
    ::unlink(path.c_str());
  }
}

// Removes what killed programs left in the folder: temporary files that nobody writes.
void remove_leftovers(const std::string& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
       it.increment(error)) {
    if (!is_temporary(it->path().filename().string())) {
      continue;
    }
    const Descriptor descriptor(
        ::open(it->path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
    struct stat info {};
    if (descriptor.value() >= 0 && ::fstat(descriptor.value(), &info) == 0 &&
        S_ISREG(info.st_mode) && ::flock(descriptor.value(), LOCK_EX | LOCK_NB) == 0) {
      ::unlink(it->path().c_str());
    }
  }
}

// What the shell hands over (process substitution, standard input) is read to its end; any other
// pipe or device could keep the program waiting for ever.
bool is_handed_over(const std::string& path) {
  return path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/") ||
         path == "/dev/stdin" || path == "/dev/null";
}

class RealFileSystem final : public FileSystem {
 public:
  std::optional<std::string> read(const std::string& path) const override {
    const bool handed_over = is_handed_over(path);
    // Without O_NONBLOCK the opening of a pipe that nobody writes to waits already.
    const Descriptor descriptor(
        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (handed_over ? 0 : O_NONBLOCK)));
    if (descriptor.value() < 0) {
      if (errno == ENOENT || errno == ENOTDIR) {
        return std::nullopt;
      }
      fail("cannot read", path, errno);
    }
    struct stat info {};
    if (::fstat(descriptor.value(), &info) != 0) {
      fail("cannot read", path, errno);
    }
    if (S_ISDIR(info.st_mode)) {
      fail("cannot read", path, EISDIR);
    }
    if (!S_ISREG(info.st_mode) && !handed_over) {
      throw Error(codes::ERR_IO, "cannot read '" + path + "': it is not a regular file");
    }
    std::string bytes;
    if (info.st_size > 0) {
      bytes.reserve(static_cast<std::size_t>(info.st_size));
    }
    char buffer[1 << 16];
    for (;;) {
      const ssize_t count = ::read(descriptor.value(), buffer, sizeof buffer);
      if (count < 0 && errno != EINTR) {
        fail("cannot read", path, errno);
      }
      if (count == 0) {
        return bytes;
      }
      if (count > 0) {
        bytes.append(buffer, static_cast<std::size_t>(count));
      }
    }
  }

  void write(const std::string& path, std::string_view bytes) override {
    struct stat there {};
    if (::stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode)) {
      write_through(path, there.st_mode, bytes);
      return;
    }
    const std::string folder = parent_path(path);
    if (!folder.empty()) {
      make_folder(folder);
    }
    std::string target = path;
    std::error_code ignored;
    if (fs::is_symlink(path, ignored)) {
      target = real_path(path);  // keep the link, replace what it points to
    }
    clean_once(parent_path(target));
    std::string temporary;
    const Descriptor descriptor(make_temporary(target, temporary));
    if (descriptor.value() < 0) {
      fail("cannot write", path, errno);
    }
    try {
      struct stat info {};
      const mode_t mode =
          ::stat(target.c_str(), &info) == 0 ? info.st_mode & 07777U : default_mode();
      ::fchmod(descriptor.value(), mode);
      write_all(descriptor.value(), bytes, path);
      if (::fsync(descriptor.value()) != 0) {
        fail("cannot flush", path, errno);
      }
      if (::rename(temporary.c_str(), target.c_str()) != 0) {
        fail("cannot write", path, errno);
      }
    } catch (...) {
      ::unlink(temporary.c_str());
      throw;
    }
    flush_folder(parent_path(target));
  }

  void remove(const std::string& path) override {
    std::error_code error;
    fs::remove_all(path, error);
    if (error) {
      fail("cannot remove", path, error.value());
    }
    flush_folder(parent_path(path));
  }

  std::optional<EntryKind> kind(const std::string& path) const override {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      return std::nullopt;
    }
    if (fs::is_directory(status)) {
      return EntryKind::Folder;
    }
    return fs::is_regular_file(status) ? EntryKind::File : EntryKind::Other;
  }

  std::vector<FolderEntry> list(const std::string& folder) const override {
    std::vector<FolderEntry> entries;
    std::error_code error;
    for (fs::directory_iterator it(folder.empty() ? "." : folder, error), end; !error && it != end;
         it.increment(error)) {
      const std::string name = it->path().filename().string();
      const std::optional<EntryKind> found = kind(join_path(folder, name));
      entries.push_back({name, found.value_or(EntryKind::Other)});
    }
    if (error && error.value() != ENOENT && error.value() != ENOTDIR) {
      fail("cannot list", folder, error.value());
    }
    std::sort(entries.begin(), entries.end(),
              [](const FolderEntry& a, const FolderEntry& b) { return a.name < b.name; });
    return entries;
  }

  void make_folder(const std::string& path) override {
    std::error_code error;
    fs::create_directories(path, error);
    if (error) {
      fail("cannot make the folder", path, error.value());
    }
  }

  void rename(const std::string& from, const std::string& to) override {
    const std::string folder = parent_path(to);
    if (!folder.empty()) {
      make_folder(folder);
    }
    if (::rename(from.c_str(), to.c_str()) != 0) {
      fail("cannot rename to '" + to + "' the file", from, errno);
    }
    flush_folder(folder);
  }

  std::string real_path(const std::string& path) const override {
    std::error_code error;
    const fs::path real = fs::weakly_canonical(path, error);
    return error ? path : real.string();
  }

 private:
  // Asked once: the only way to ask sets the mask of the whole process for a moment.
  static mode_t default_mode() {
    static const mode_t kMode = [] {
      const mode_t mask = ::umask(0);
      ::umask(mask);
      return 0666U & ~mask;
    }();
    return kMode;
  }

  // A device or a pipe takes the bytes; a file in its place would be one device less.
  static void write_through(const std::string& path, mode_t mode, std::string_view bytes) {
    if (S_ISDIR(mode)) {
      fail("cannot write", path, EISDIR);
    }
    if (!S_ISCHR(mode) && !S_ISFIFO(mode)) {
      throw Error(codes::ERR_IO, "cannot write '" + path + "': it is not a regular file");
    }
    // Without O_NONBLOCK the opening of a pipe that nobody reads waits for ever.
    const Descriptor descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    if (descriptor.value() < 0) {
      fail("cannot write", path, errno);
    }
    ::fcntl(descriptor.value(), F_SETFL, 0);
    write_all(descriptor.value(), bytes, path);
  }

  void clean_once(const std::string& folder) {
    {
      const std::lock_guard guard(mutex_);
      if (!cleaned_.insert(folder).second) {
        return;
      }
    }
    remove_leftovers(folder);
  }

  std::mutex mutex_;
  std::set<std::string> cleaned_;
};

}  // namespace

std::unique_ptr<FileSystem> make_file_system() {
  return std::make_unique<RealFileSystem>();
}

TemporaryFolder::TemporaryFolder(std::string_view prefix) {
  const char* base = std::getenv("TMPDIR");
  std::string pattern =
      join_path(base != nullptr && *base != '\0' ? base : "/tmp", std::string(prefix) + "-XXXXXX");
  if (::mkdtemp(pattern.data()) == nullptr) {
    fail("cannot make a temporary folder", pattern, errno);
  }
  path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
  if (!path_.empty()) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

FileLock::FileLock(const std::string& path, double seconds, Code busy) {
  const std::string folder = parent_path(path);
  if (!folder.empty()) {
    std::error_code ignored;
    fs::create_directories(folder, ignored);
  }
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    fail("cannot open the lock", path, errno);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int error = errno;
    if (error != EWOULDBLOCK && error != EINTR) {
      ::close(descriptor_);
      fail("cannot lock", path, error);
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      ::close(descriptor_);
      throw Error(busy, "another kedge holds the lock '" + path + "'",
                  "wait for it to end; nothing was changed");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

}  // namespace kedge::base
