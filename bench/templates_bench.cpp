// Template check and render: MB of template text a second. Everything grows linearly with the text.
#include <benchmark/benchmark.h>

#include <string>

#include "kedge/templates.h"

namespace {

using namespace kedge::templates;  // NOLINT(google-build-using-namespace): the program's own file

// What prompts look like: mostly words, a tag every line or two, sections now and then.
std::string text_of(std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    text +=
        "Dear {{holder}}, your sailing {{sailing.route}} leaves on {{sailing.departsAt}} from the "
        "pier.\n"
        "Please be there half an hour before, with all of your bags and this card.\n"
        "{{#bags}}\n  - bag {{tag}} of {{weight}} kg for {{holder}}\n{{/bags}}\n"
        "{{^bags}}You have no bags, so you may go on board at once.{{/bags}}\n\n";
  }
  return text;
}

PayloadType payload() {
  const auto text = [](const char* name) {
    return PayloadField{name, FieldShape::Text, false, false, 0, "string", {}, {}};
  };
  PayloadType type;
  type.objects.push_back({"Boarding", {text("holder")}});
  type.objects.push_back({"Sailing", {text("route"), text("departsAt")}});
  type.objects.push_back({"Bag", {text("tag"), text("weight")}});
  type.objects[0].fields.push_back(
      {"sailing", FieldShape::Object, false, false, 1, "object", {}, {}});
  type.objects[0].fields.push_back({"bags", FieldShape::Object, true, false, 2, "object", {}, {}});
  return type;
}

void check(benchmark::State& state) {
  const std::string text = text_of(static_cast<std::size_t>(state.range(0)));
  const PayloadType type = payload();
  Limits limits;
  limits.text_bytes = text.size();
  VerifyOptions options;
  for (auto _ : state) {
    const Parsed parsed = parse(text, "bench", limits);
    benchmark::DoNotOptimize(verify(*parsed.value, type, options));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(check)->Arg(10'000)->Arg(100'000)->Arg(1'000'000);

}  // namespace

BENCHMARK_MAIN();
