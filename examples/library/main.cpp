// Prints what has drifted in the models of a project: kedge-example FOLDER. Exit code 0, 1 for
// drift, 2 for a failure.
#include <kedge/engine.h>
#include <kedge/error.h>

#include <cstdio>
#include <variant>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: kedge-example FOLDER\n", stderr);
    return 2;
  }
  try {
    const kedge::models::Engine engine(argv[1]);
    const kedge::models::ValidateResult result = engine.validate_models(std::nullopt);
    for (const kedge::models::ToDeleteEntry& entry : result.entries) {
      std::visit([](const auto& each) { std::printf("%s\n", each.model_name.c_str()); }, entry);
    }
    for (const kedge::models::CheckFailure& failure : result.failures) {
      std::fprintf(stderr, "%s: %s\n", failure.data_source.c_str(), failure.message.c_str());
    }
    return !result.failures.empty() ? 2 : !result.entries.empty() ? 1 : 0;
  } catch (const kedge::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
