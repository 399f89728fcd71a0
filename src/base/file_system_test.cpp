#include "base/file_system.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kedge/codes.h"

namespace kedge::base {
namespace {

TEST(RealFiles, WriteMakesFoldersAndReplaces) {
  const TemporaryFolder folder;
  const auto files = make_file_system();
  const std::string path = join_path(folder.path(), "a/b/c.txt");
  files->write(path, "one");
  files->write(path, "two");
  EXPECT_EQ(files->read(path), "two");
  EXPECT_EQ(files->list(parent_path(path)).size(), 1U) << "no temporary file is left";
}

TEST(RealFiles, WriteRemovesWhatAKilledProgramLeft) {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return join_path(folder.path(), name); };
  const std::string left = path("a.yml.kedge-tmp-1Gm35J");
  const std::string busy = path("a.yml.kedge-tmp-2Gm35J");
  const std::string own = path("a.yml.kedge-tmp-notes.txt");
  for (const std::string& name : {left, busy, own}) {
    ::close(::open(name.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
  }
  const int writer = ::open(busy.c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(writer, LOCK_EX | LOCK_NB), 0);
  const auto files = make_file_system();
  files->write(path("b.yml"), "one");
  EXPECT_EQ(files->kind(left), std::nullopt);
  EXPECT_TRUE(files->kind(busy)) << "another program is writing it";
  EXPECT_TRUE(files->kind(own));
  ::close(writer);
}

TEST(RealFiles, WriteKeepsTheMode) {
  const TemporaryFolder folder;
  const auto files = make_file_system();
  const std::string path = join_path(folder.path(), "x.sh");
  files->write(path, "one");
  ::chmod(path.c_str(), 0750);
  files->write(path, "two");
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0750U);
}

TEST(RealFiles, WriteLeavesAPipeAPipe) {
  const TemporaryFolder folder;
  const auto files = make_file_system();
  const std::string path = join_path(folder.path(), "pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THROW(files->write(path, "lost"), Error) << "nobody reads it";
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  files->write(path, "told");
  char bytes[8] = {};
  EXPECT_EQ(::read(reader, bytes, sizeof bytes), 4);
  ::close(reader);
  EXPECT_EQ(std::string(bytes), "told");
  struct stat there {};
  ASSERT_EQ(::stat(path.c_str(), &there), 0);
  EXPECT_TRUE(S_ISFIFO(there.st_mode));
}

TEST(RealFiles, AMissingFileIsNoErrorAFolderIs) {
  const TemporaryFolder folder;
  const auto files = make_file_system();
  EXPECT_EQ(files->read(join_path(folder.path(), "none")), std::nullopt);
  EXPECT_THROW(files->read(folder.path()), Error);
}

TEST(ListFiles, FollowsLinksOnceAndSorts) {
  const TemporaryFolder folder;
  const auto files = make_file_system();
  files->write(join_path(folder.path(), "b/2"), "");
  files->write(join_path(folder.path(), "a/1"), "");
  ASSERT_EQ(::symlink(folder.path().c_str(), join_path(folder.path(), "loop").c_str()), 0);
  const std::vector<std::string> expected = {join_path(folder.path(), "a/1"),
                                             join_path(folder.path(), "b/2")};
  EXPECT_EQ(list_files(*files, folder.path()), expected);
}

TEST(FileLock, ASecondHolderIsRefusedWithTheGivenCode) {
  const TemporaryFolder folder;
  const std::string path = join_path(folder.path(), ".kedge/lock");
  const FileLock first(path, 0, codes::ERR_IO);
  try {
    const FileLock second(path, 0.05, codes::ERR_CANCELLED);
    FAIL() << "the lock was given twice";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), codes::ERR_CANCELLED);
  }
}

TEST(Paths, PartsOfAPath) {
  EXPECT_EQ(join_path("a/", "b"), "a/b");
  EXPECT_EQ(join_path("a", "/b"), "/b");
  EXPECT_EQ(parent_path("/x"), "/");
  EXPECT_EQ(extension("m/Vessel.YAML"), "yaml");
  EXPECT_EQ(stem(".hidden"), ".hidden");
}

}  // namespace
}  // namespace kedge::base
