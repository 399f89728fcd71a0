// A server process that cannot outlive us. It runs below a small watcher (sh) that holds the read
// end of a pipe: when this object goes, or this program ends in whatever way (SIGKILL too), the
// watcher sees the end of the pipe, stops the server and deletes its folder.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace kedge::scratch {

// The account a server runs under; not set: our own.
struct Account {
  std::string name;
  uid_t user = 0;
  gid_t group = 0;
};
std::optional<Account> find_account(const std::string& name);

// A private folder (0700), owned by the account, with a path short enough for a socket in it.
// Nothing is deleted by itself: that is the watcher's work, or remove_folder()'s.
std::string make_private_folder(const std::optional<Account>& account);
void remove_folder(const std::string& folder);
// Copies a folder with all its content, without flushing; the copy belongs to the account.
void copy_folder(const std::string& from, const std::string& to,
                 const std::optional<Account>& account);

struct ToolResult {
  int exit_code = -1;
  std::string output;  // both streams
};
// Runs a program to its end under the account, in `folder`, with a minimal environment.
ToolResult run_tool(const std::vector<std::string>& arguments, const std::string& folder,
                    const std::optional<Account>& account);

// A private folder that cannot outlive us either: a watcher of the same kind deletes it.
class GuardedFolder {
 public:
  enum class AtEnd { Delete, Keep };
  GuardedFolder(const std::optional<Account>& account, AtEnd at_end);
  ~GuardedFolder();
  GuardedFolder(const GuardedFolder&) = delete;
  GuardedFolder& operator=(const GuardedFolder&) = delete;
  const std::string& path() const { return path_; }
  void release();  // somebody else deletes it from now on

 private:
  void dismiss();
  std::string path_;
  pid_t watcher_ = -1;
  int hold_ = -1;
};

class GuardedProcess {
 public:
  enum class AtEnd { DeleteFolder, KeepFolder };
  // `folder` is where it runs and what is deleted at the end; its output goes to folder/log. It is
  // stopped with `stop_signal` ("INT"), then QUIT, then KILL.
  GuardedProcess(const std::vector<std::string>& arguments, const std::string& folder,
                 const std::optional<Account>& account, const std::string& stop_signal,
                 AtEnd at_end);
  ~GuardedProcess();
  GuardedProcess(const GuardedProcess&) = delete;
  GuardedProcess& operator=(const GuardedProcess&) = delete;
  bool has_ended();         // the server has stopped by itself
  std::string log() const;  // the end of its output

 private:
  std::string folder_;
  AtEnd at_end_;
  pid_t watcher_ = -1;
  int hold_ = -1;    // closing it ends the watcher
  int notice_ = -1;  // readable once the server has ended
};

}  // namespace kedge::scratch
