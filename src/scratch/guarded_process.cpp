#include "scratch/guarded_process.h"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/text.h"
#include "kedge/codes.h"
#include "kedge/error.h"

namespace kedge::scratch {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestTemporaryFolder = 70;  // socket paths end at 107 bytes

// $1 = delete|keep, $2 = folder, $3 = first signal, the rest = the server's command. Descriptor 0
// is the pipe that we hold, descriptor 3 tells us that the server has ended.
constexpr const char* kWatcher = R"(
end=$1; folder=$2; signal=$3; shift 3
{
  "$@" </dev/null >>"$folder/log" 2>&1 3>&- &
  echo $! >"$folder/server.pid"
  wait
  echo ended >&3
} </dev/null >/dev/null 2>&1 &
trap '' HUP INT TERM
exec 3>&- 2>/dev/null
cat >/dev/null
while [ ! -s "$folder/server.pid" ]; do sleep 0.02; done
read -r server <"$folder/server.pid"
kill "-$signal" "$server"
n=0
while kill -0 "$server" && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.01; done
kill -QUIT "$server"
n=0
while kill -0 "$server" && [ $n -lt 200 ]; do n=$((n+1)); sleep 0.01; done
kill -KILL "$server"
wait
[ "$end" = keep ] || rm -rf -- "$folder"
)";

// $1 = folder. What still runs in it when we are killed may write for a moment.
constexpr const char* kFolderWatcher = R"(
trap '' HUP INT TERM
PATH=$PATH:/usr/bin:/bin
read -r word && exit 0
[ -e "$1" ] || exit 0
for again in 1 2 3 4 5 6 7 8; do
  rm -rf -- "$1"
  sleep 0.25
done
)";

[[noreturn]] void fail(const std::string& what) {
  throw Error(codes::ERR_IO, what + ": " + std::strerror(errno));
}

std::vector<char*> pointers_of(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) {
    result.push_back(text.data());
  }
  result.push_back(nullptr);
  return result;
}

// What the account sees of our environment: nothing that could point a server elsewhere (PGDATA,
// MYSQL_HOME, ...).
std::vector<std::string> environment_of(const std::string& folder) {
  const char* path = std::getenv("PATH");
  return {std::string("PATH=") + (path == nullptr ? "/usr/bin:/bin" : path), "LC_ALL=C", "TZ=UTC",
          "HOME=" + folder, "TMPDIR=" + folder};
}

struct Streams {
  int in = -1;
  int out = -1;
  int notice = -1;
};

// A tool ends with us; a watcher is there for what comes after.
enum class Outlives { No, Yes };

// In the child, between fork and exec: system calls only.
[[noreturn]] void become(const std::optional<Account>& account, const char* folder, Streams streams,
                         Outlives outlives, char* const* arguments, char* const* environment) {
  ::setsid();
  if (account && (::setgroups(0, nullptr) != 0 || ::setgid(account->group) != 0 ||
                  ::setuid(account->user) != 0)) {
    ::_exit(126);
  }
#ifdef __linux__
  if (outlives == Outlives::No) {  // after the change of the user, which forgets it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
#endif
  const int nothing = ::open("/dev/null", O_RDWR);
  ::dup2(streams.in >= 0 ? streams.in : nothing, 0);
  ::dup2(streams.out >= 0 ? streams.out : nothing, 1);
  ::dup2(streams.out >= 0 ? streams.out : nothing, 2);
  if (streams.notice >= 0 && ::dup2(streams.notice, 3) == 3 && streams.notice == 3) {
    ::fcntl(3, F_SETFD, 0);
  }
  if (::chdir(folder) == 0) {
    ::execve(arguments[0], arguments, environment);
  }
  ::_exit(127);
}

pid_t start(std::vector<std::string> arguments, const std::string& folder,
            const std::optional<Account>& account, Streams streams,
            Outlives outlives = Outlives::Yes) {
  std::vector<std::string> environment = environment_of(folder);
  const std::vector<char*> argument_pointers = pointers_of(arguments);
  const std::vector<char*> environment_pointers = pointers_of(environment);
  const pid_t child = ::fork();
  if (child == 0) {
    become(account, folder.c_str(), streams, outlives, argument_pointers.data(),
           environment_pointers.data());
  }
  if (child < 0) {
    fail("cannot start a process");
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      return -1;
    }
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    fail("cannot make a pipe");
  }
  return ends;
}

// Can the account walk into it?
bool is_open_to_all(const std::string& folder) {
  struct stat info {};
  fs::path path = fs::absolute(folder);
  while (true) {
    if (::stat(path.c_str(), &info) != 0 || (info.st_mode & S_IXOTH) == 0) {
      return false;
    }
    if (path == path.parent_path()) {
      return true;
    }
    path = path.parent_path();
  }
}

std::string temporary_root(const std::optional<Account>& account) {
  const char* own = std::getenv("TMPDIR");
  if (own != nullptr && *own != '\0' && std::strlen(own) <= kLongestTemporaryFolder &&
      (!account || is_open_to_all(own))) {
    return own;
  }
  return "/tmp";
}

void give_to(const fs::path& path, const std::optional<Account>& account) {
  if (account && ::lchown(path.c_str(), account->user, account->group) != 0) {
    fail("cannot give '" + path.string() + "' to " + account->name);
  }
}

void copy_bytes(const fs::path& from, const fs::path& to) {
  const int in = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
  const int out = ::open(to.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  ssize_t count = in < 0 || out < 0 ? -1 : 1;
  while (count > 0) {
    count = ::copy_file_range(in, nullptr, out, nullptr, 1U << 30U, 0);
  }
  ::close(in);
  ::close(out);
  if (count < 0) {
    std::error_code error;  // file systems without copy_file_range
    if (!fs::copy_file(from, to, fs::copy_options::overwrite_existing, error)) {
      throw Error(codes::ERR_IO, "cannot copy '" + from.string() + "': " + error.message());
    }
  }
}

}  // namespace

std::optional<Account> find_account(const std::string& name) {
  const passwd* entry = ::getpwnam(name.c_str());
  return entry == nullptr ? std::nullopt
                          : std::optional(Account{name, entry->pw_uid, entry->pw_gid});
}

std::string make_private_folder(const std::optional<Account>& account) {
  std::string path = temporary_root(account) + "/kedge-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    fail("cannot make a temporary folder");
  }
  give_to(path, account);
  return path;
}

void remove_folder(const std::string& folder) {
  std::error_code ignored;
  fs::remove_all(folder, ignored);
}

void copy_folder(const std::string& from, const std::string& to,
                 const std::optional<Account>& account) {
  fs::create_directory(to);
  fs::permissions(to, fs::perms::owner_all);
  give_to(to, account);
  for (const auto& entry : fs::directory_iterator(from)) {
    const fs::path target = fs::path(to) / entry.path().filename();
    if (entry.is_directory()) {
      copy_folder(entry.path(), target, account);
    } else {
      copy_bytes(entry.path(), target);
      give_to(target, account);
    }
  }
}

ToolResult run_tool(const std::vector<std::string>& arguments, const std::string& folder,
                    const std::optional<Account>& account) {
  const std::array<int, 2> output = make_pipe();
  const pid_t child = start(arguments, folder, account, {-1, output[1], -1}, Outlives::No);
  ::close(output[1]);
  ToolResult result;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = ::read(output[0], buffer.data(), buffer.size());
    if (count > 0) {
      result.output.append(buffer.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      break;
    }
  }
  ::close(output[0]);
  result.exit_code = wait_for(child);
  return result;
}

GuardedFolder::GuardedFolder(const std::optional<Account>& account, AtEnd at_end)
    : path_(make_private_folder(account)) {
  if (at_end == AtEnd::Keep) {
    return;
  }
  const std::array<int, 2> hold = make_pipe();
  watcher_ = start({"/bin/sh", "-c", kFolderWatcher, "kedge-scratch", path_}, "/", std::nullopt,
                   {hold[0], -1, -1});
  ::close(hold[0]);
  hold_ = hold[1];
}

void GuardedFolder::release() {
  if (watcher_ > 0) {
    const ssize_t told = ::write(hold_, "keep\n", 5);
    static_cast<void>(told);  // a watcher that is gone deletes nothing
    dismiss();
  }
}

void GuardedFolder::dismiss() {
  ::close(hold_);
  wait_for(watcher_);
  watcher_ = -1;
}

GuardedFolder::~GuardedFolder() {
  if (watcher_ > 0) {
    remove_folder(path_);
    dismiss();
  }
}

GuardedProcess::GuardedProcess(const std::vector<std::string>& arguments, const std::string& folder,
                               const std::optional<Account>& account,
                               const std::string& stop_signal, AtEnd at_end)
    : folder_(folder), at_end_(at_end) {
  const std::array<int, 2> hold = make_pipe();
  const std::array<int, 2> notice = make_pipe();
  std::vector<std::string> command = {"/bin/sh",
                                      "-c",
                                      kWatcher,
                                      "kedge-scratch",
                                      at_end == AtEnd::KeepFolder ? "keep" : "delete",
                                      folder,
                                      stop_signal};
  command.insert(command.end(), arguments.begin(), arguments.end());
  watcher_ = start(std::move(command), folder, account, {hold[0], -1, notice[1]});
  ::close(hold[0]);
  ::close(notice[1]);
  hold_ = hold[1];
  notice_ = notice[0];
}

GuardedProcess::~GuardedProcess() {
  ::close(hold_);
  ::close(notice_);
  wait_for(watcher_);
  if (at_end_ == AtEnd::DeleteFolder) {
    remove_folder(folder_);  // what the account itself may not remove
  }
}

bool GuardedProcess::has_ended() {
  pollfd notice{notice_, POLLIN, 0};
  return ::poll(&notice, 1, 0) > 0;
}

std::string GuardedProcess::log() const {
  constexpr std::size_t kMost = 2000;
  const int file = ::open((folder_ + "/log").c_str(), O_RDONLY | O_CLOEXEC);
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t count = 0;
  while (file >= 0 && (count = ::read(file, buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(count));
    text.erase(0, text.size() > kMost ? text.size() - kMost : 0);
  }
  ::close(file);
  return text;
}

}  // namespace kedge::scratch
