#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/environment.h"
#include "kedge/error.h"

namespace kedge::base {
namespace {

TEST(Process, InputOutputAndExitCode) {
  ProcessRequest request;
  request.arguments = {"sh", "-c", "cat; echo oops >&2; exit 3"};
  request.standard_input = std::string(300000, 'x');
  const ProcessResult result = make_process_runner()->run(request);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.standard_output.size(), 300000U);
  EXPECT_EQ(result.standard_error, "oops\n");
}

TEST(Process, AProgramThatDoesNotExistIsAnError) {
  ProcessRequest request;
  request.arguments = {"kedge-no-such-program"};
  EXPECT_THROW(make_process_runner()->run(request), Error);
}

TEST(Process, ATimeoutKills) {
  ProcessRequest request;
  request.arguments = {"sleep", "30"};
  request.timeout_seconds = 0.2;
  const ProcessResult result = make_process_runner()->run(request);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_code, 128 + 9);
}

// Each thread has a child that reads nothing; SIGPIPE would end the program.
TEST(Process, ChildrenThatDoNotReadEndNoneOfSeveralThreads) {
  std::vector<std::thread> threads;
  std::atomic<int> ended = 0;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&ended] {
      for (int turn = 0; turn < 25; ++turn) {
        ProcessRequest request;
        request.arguments = {"true"};
        request.standard_input = std::string(1U << 20U, 'x');
        ended += make_process_runner()->run(request).exit_code == 0 ? 1 : 0;
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(ended, 100);
}

TEST(Clock, FormatsUtc) {
  EXPECT_EQ(format_utc(1805012102117), "2027-03-14T08:15:02.117Z");
  EXPECT_EQ(format_utc_compact(1805012102117), "20270314T081502117Z");
}

}  // namespace
}  // namespace kedge::base
