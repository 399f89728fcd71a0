// A service that carries its metadata folder along: it loads the folder at start through kedge's
// core library and compares it with the tables that its code was generated from. Argument: the
// project.
#include <cstdio>

#include "kedge/error.h"
#include "kedge/startup.hpp"
#include "kedge/startup_metadata.h"
#include "kedge_startup.hpp"

namespace {

kedge::MetadataSource metadata_folder(const std::string& project) {
  try {
    return kedge::model_text(kedge::load_startup_model(project));
  } catch (const kedge::Error& error) {
    return {"", project, "the metadata of '" + project + "' cannot be loaded: " + error.what()};
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: harbour-metadata-service PROJECT\n");
    return 2;
  }
  try {
    kedge::require_startup(harbour::kedge_tables(), metadata_folder(argv[1]));
  } catch (const kedge::StartupDriftError& error) {
    std::fprintf(stderr, "not started:\n%s\n", error.what());
    return 1;
  }
  std::puts("started");
}
