// Which files differ from a revision of git, for `kedge check --changed-since`.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"

namespace kedge::app {

// What a guard reads, as files and folders from the project folder or absolute.
struct Inputs {
  // What git cannot answer for (outside the repository, ignored there, in a submodule) counts as
  // changed: nobody knows that it is not.
  std::vector<std::string> files;
  std::vector<std::string> kept;  // count only where git keeps them: live databases, own state
};

class RevisionChanges {
 public:
  // Throws ERR_USAGE for what cannot be a revision, ERR_SOURCE when git cannot compare with it.
  RevisionChanges(const Context& context, const std::string& revision);
  bool touch(const Inputs& inputs) const;

 private:
  struct Answer {
    int exit_code = 0;
    std::string output;
  };
  Answer run(std::vector<std::string> arguments, int most, const std::string& input = {}) const;
  std::string in_repository(const std::string& input) const;
  bool is_unknown(const std::vector<std::string>& paths) const;

  const Context& context_;
  std::string revision_;
  std::string top_;                   // of the repository, links resolved
  std::vector<std::string> changed_;  // from there
};

}  // namespace kedge::app
