// Random sequences of metadata changes, hand edits and runs: no hand edit is ever lost, conflicts
// are marked, a second run changes nothing, the check is right each time.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "base/text.h"
#include "codegen/merge.h"
#include "codegen/run.h"
#include "kedge/codes.h"
#include "metadata/load.h"
#include "project/project.h"
#include "test_environment.h"

namespace kedge::codegen {
namespace {

const std::string kFile = "/p/gen/harbour/Sailing.txt";

class Sequence {
 public:
  explicit Sequence(unsigned seed) : random_(seed) {
    files_->write("/p/project.yml", "gen: {targets: [{name: t, pack: ./pack, out: gen}]}\n");
    files_->write(
        "/p/pack/pack.yml",
        "pack: demo\nversion: 1\ncomment: {line: \"//\"}\ntypes: {int: int, string: text}\n"
        "files: [{template: o, scope: object, out: \"{package}/{Name}.txt\"}]\n");
    files_->write("/p/pack/o.mustache",
                  "start\none\ntwo\n{{#fields}}\nfield {{name}} {{lang}}\nof "
                  "{{Name}}\n\n{{/fields}}\nmiddle\nlast\n");
    change_metadata();
    run();
  }

  void step() {
    switch (random_() % 4) {
      case 0:
        change_metadata();
        break;
      case 1:
        edit();
        break;
      default:
        run();
    }
  }

  void run() {
    const CodegenCheck before = check();
    const GenResult result = gen();
    const FileOutcome& outcome = result.targets[0].files[0];
    const bool conflict = outcome.status == FileStatus::Conflict;
    EXPECT_EQ(conflict, holds_markers(text())) << text();
    expect_edits();
    EXPECT_EQ(check().findings.empty(), !conflict);
    const std::string written = text();
    static_cast<void>(gen());
    EXPECT_EQ(text(), written) << "a second run changed the file";
    if (conflict) {
      EXPECT_EQ(check().findings.at(0).code, codes::ERR_GEN_CONFLICT_UNRESOLVED);
      ++conflicts;
      resolve();
      run();
    }
    EXPECT_TRUE(before.findings.size() <= 1);
  }

  int conflicts = 0;

 private:
  std::string text() const { return files_->read(kFile).value_or(""); }

  Workspace workspace() {
    if (loaded_ != metadata_) {
      project_ = project::load_project(*files_, environment_, "/p").project;
      model_ = metadata::load_texts({{"metadata/h.yml", metadata_}}, {}).model;
      loaded_ = metadata_;
    }
    return {*files_, *processes_, *clock_, project_, model_};
  }
  GenResult gen() { return run_gen(workspace(), {}); }
  CodegenCheck check() { return check_codegen(workspace(), Edits::Allowed); }

  void change_metadata() {
    metadata_ =
        "package: harbour\nchildren:\n  - object.value:\n      name: Sailing\n      children:\n";
    bool any = false;
    for (int i = 0; i < 6; ++i) {
      if (random_() % 3 != 0 || (i == 5 && !any)) {
        any = true;
        metadata_ += std::string("        - field.") + (random_() % 2 == 0 ? "int" : "string") +
                     ": f" + std::to_string(i) + "\n";
      }
    }
  }

  // A line of one's own at some place behind the header, or a generated line that is changed.
  void edit() {
    std::vector<std::string> lines = base::split(text(), '\n');
    const std::string mark = "mine " + std::to_string(edits_.size()) + ";";
    const std::size_t at = 2 + random_() % (lines.size() - 2);
    if (random_() % 3 == 0 && !lines[at].empty()) {
      lines[at] += " " + mark;
    } else {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at), mark);
    }
    files_->write(kFile, base::join(lines, "\n"));
    edits_.push_back(mark);
  }

  void expect_edits() const {
    for (const std::string& edit : edits_) {
      EXPECT_NE(text().find(edit), std::string::npos) << edit << " is lost in\n" << text();
    }
  }

  // Both sides, one side and the own lines, or something third: the own lines always stay.
  void resolve() {
    const bool keep_theirs = random_() % 2 == 0;
    std::string result;
    int side = 0;
    for (const std::string& line : base::split(text(), '\n')) {
      const bool marker = line.starts_with("<<<<<<< ") || line.starts_with("||||||| ") ||
                          line == "=======" || line.starts_with(">>>>>>> ");
      side = line.starts_with("<<<<<<< ")   ? 1
             : line.starts_with("||||||| ") ? 2
             : line == "======="            ? 3
             : line.starts_with(">>>>>>> ") ? 0
                                            : side;
      const bool own = line.find("mine ") != std::string::npos && side != 2;
      if (!marker && (side == 0 || own || (side == 3 && keep_theirs))) {
        result += line + "\n";
      }
    }
    result.pop_back();
    files_->write(kFile, result);
  }

  std::mt19937 random_;
  std::unique_ptr<base::FileSystem> files_ = base::make_memory_file_system();
  std::unique_ptr<base::ProcessRunner> processes_ = base::make_process_runner();
  std::unique_ptr<base::Clock> clock_ = base::make_clock();
  TestEnvironment environment_{{}};
  project::Project project_;
  metadata::Model model_;
  std::string metadata_;
  std::string loaded_;  // the metadata that project_ and model_ are of
  std::vector<std::string> edits_;
};

// KEDGE_LONG_TESTS=1 runs a thousand.
unsigned sequence_count() {
  return std::getenv("KEDGE_LONG_TESTS") != nullptr ? 1'000 : 100;
}

TEST(SequenceTest, RandomSequencesLoseNoHandEdit) {
  unsigned conflicts = 0;
  for (unsigned seed = 0; seed < sequence_count() && !HasFailure(); ++seed) {
    Sequence sequence(seed);
    for (int i = 0; i < 8 && !HasFailure(); ++i) {
      sequence.step();
    }
    conflicts += sequence.conflicts;
    EXPECT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(conflicts, sequence_count() / 20);
}

}  // namespace
}  // namespace kedge::codegen
