// Any text is parsed, checked and rendered, with itself as its partial: bounded time and memory.
// What follows a record separator (0x1E) is the payload.
#include <cstddef>
#include <cstdint>
#include <string>

#include "templates/render.h"

using namespace kedge::templates;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string input(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = input.find('\x1e');
  const std::string text = input.substr(0, cut);
  const std::string payload = cut != std::string::npos
                                  ? input.substr(cut + 1)
                                  : R"({"a":"<x>","b":{"c":-1.5e300},"l":[{"a":1},{"a":null}]})";
  const Parsed parsed = parse(text, "fuzz");
  if (!parsed.value) {
    return 0;
  }
  static const PayloadType tree = payload_from_tree(
      R"([{"name":"a"},{"name":"b","fields":[{"name":"a"},{"name":"c"}]},{"name":"l","fields":[{"name":"a"}]}])");
  const MemoryProvider provider(
      {{"p", text}, {"q", "{{a}} {{> p}}\n  {{> r}}\n"}, {"r", "{{#l}}{{> q}}{{/l}}"}});
  VerifyOptions options;
  options.provider = &provider;
  options.required_tags = {"a"};
  options.required_slots = {"b.c"};
  options.max_chars = 100;
  options.limits.steps = 100'000;
  static_cast<void>(verify(*parsed.value, tree, options));
  RenderOptions render_options;
  render_options.limits.steps = 100'000;
  render_options.limits.output_bytes = 1U << 20U;
  render_options.format = static_cast<Format>(size % 7);
  try {
    static_cast<void>(render(*parsed.value, payload, &provider, render_options));
  } catch (const kedge::Error&) {
    // Refused.
  }
  return 0;
}
