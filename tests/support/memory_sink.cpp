#include "memory_sink.h"

namespace kedge::test {

void MemorySink::write(std::string_view bytes) { text_ += bytes; }

}  // namespace kedge::test
