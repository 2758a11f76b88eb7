// Whole plans as generated C++, against the interpreter: many graphs share a translation unit.

#include "../schedule/random_graph.hpp"

#include <doctest/doctest.h>
#include <sinter/codegen/cpp.hpp>

#include "../schedule/against_interpreter.hpp"
#include "harness.hpp"

using namespace sinter;
using against_interpreter::Symbols;
using kernels::Context;
using random_graph::Maker;

namespace {

struct Planned {
  unsigned seed;
  Graph graph;
  schedule::Plan plan;
  std::vector<Source> sources;
  std::vector<Symbols> symbols;
};

Planned planned(unsigned seed, bool symbolic, const codegen::CppOptions& options) {
  const int operations = 4 + static_cast<int>(seed % 30);
  const std::vector<Symbols> known{{}}, any{{4, 6}, {1, 5}, {7, 2}, {0, 3}, {21, 40}};
  Planned result{seed,
                 Maker(seed, {.symbolic = symbolic, .operations = operations}).make(),
                 {},
                 {},
                 symbolic ? any : known};
  result.plan = schedule::plan(result.graph, {.strict = options.strict});
  for (const schedule::Kernel& kernel : result.plan.kernels) {
    result.sources.push_back(codegen::emit_cpp(kernel, options));
  }
  return result;
}

void run(const Planned& one, const kernels::Library& library, const Symbols& symbols) {
  const auto inputs = against_interpreter::random_inputs(one.graph, symbols, one.seed);
  const auto expected = runtime::interpret(one.graph, inputs, symbols);
  execute::Call call{one.plan, against_interpreter::copies_of(inputs), symbols};
  call.arena = Storage::allocate(static_cast<std::size_t>(call.number(one.plan.arena_bytes)));
  if (call.arena.bytes() > 0) std::memset(call.arena.data(), 0xff, call.arena.bytes());
  for (const schedule::Launch& launch : one.plan.launches) {
    std::vector<void*> buffers;
    for (const std::int32_t id : launch.buffers) buffers.push_back(call.block(id).data);
    std::vector<long> sizes;
    for (const Extent size : launch.sizes) sizes.push_back(call.number(size));
    Context context;
    const Source& source = one.sources[static_cast<std::size_t>(launch.kernel)];
    for (long thread = 0; thread < 2; ++thread) {
      library.function(source.name)(buffers.data(), sizes.data(), &context, thread, 2);
    }
    REQUIRE(context.fault == 0);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("output " << i);
    CHECK(against_interpreter::difference(expected[i], call.output(i)) < 5e-5);
  }
}

void check(const std::vector<Planned>& all) {
  std::vector<Source> sources;
  for (const Planned& one : all) {
    for (const Source& source : one.sources) {
      const auto same = [&](const Source& other) { return other.name == source.name; };
      if (std::none_of(sources.begin(), sources.end(), same)) sources.push_back(source);
    }
  }
  std::string text = codegen::cpp_prelude(sources);
  for (const Source& source : sources) text += source.text;
  const kernels::Library library(text);
  for (const Planned& one : all) {
    for (const Symbols& symbols : one.symbols) {
      INFO("seed " << one.seed << "\n" << to_string(one.graph) << to_string(one.plan));
      run(one, library, symbols);
    }
  }
}

}  // namespace

TEST_CASE("emit_cpp: plans of random graphs compute what the interpreter computes") {
  std::vector<Planned> all;
  for (unsigned seed = 0; seed < 150; ++seed) {
    const int bits[] = {512, 256, 128, 0};
    all.push_back(
        planned(seed, seed % 3 == 0, {.vector_bits = bits[seed % 4], .strict = seed % 5 == 0}));
  }
  check(all);
}
