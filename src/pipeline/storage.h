// Failures of the disk below a run: permission and space (spec/contracts.md 19).
#pragma once

#include "kedge/error.h"

namespace kedge::pipeline {

// What was being done: a source that may not be read is that source's failure.
enum class StorageUse { Source, Own };

// The problem with code PZ0531 or PZ0532 where the system's own words say so; else as it is.
Problem storage_problem(Problem problem, StorageUse use = StorageUse::Own);

}  // namespace kedge::pipeline
