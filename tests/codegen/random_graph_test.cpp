// test: deep emulator gpu
// Whole plans as generated C++, against the interpreter: many graphs share a translation unit.

#include "../schedule/random_graph.hpp"

#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>

#include "../schedule/against_interpreter.hpp"
#include "cuda_emulated.hpp"
#include "harness.hpp"

using namespace sinter;
using namespace sinter::detail;
using against_interpreter::Symbols;
using kernels::Context;
using random_graph::Maker;

namespace {

struct Planned {
  unsigned seed;
  Graph graph;
  schedule::Plan plan;
  Vector<Source> sources;
  std::vector<Symbols> symbols;
};

using Emit = std::function<Source(const schedule::Kernel&)>;
using Call = std::function<void(void* const*, const long*, Context*, long, long)>;
/// The generated function of one kernel of a plan.
using Find = std::function<Call(const Source&, const schedule::Kernel&)>;

Planned planned(unsigned seed, bool strict, const Emit& emit) {
  const bool symbolic = seed % 3 == 0;
  const int operations = 4 + static_cast<int>(seed % 30);
  const std::vector<Symbols> known{{}}, any{{4, 6}, {1, 5}, {7, 2}, {0, 3}, {21, 40}};
  const Graph graph =
      pass::simplify_control(Maker(seed, {.symbolic = symbolic, .operations = operations}).make());
  Planned result{
      seed, graph, schedule::plan(graph, {.strict = strict}), {}, symbolic ? any : known};
  for (const schedule::Kernel& kernel : result.plan.kernels) result.sources.push_back(emit(kernel));
  return result;
}

// Each kernel once, even if many plans contain it.
Vector<Source> sources_of(const std::vector<Planned>& all) {
  Vector<Source> sources;
  for (const Planned& one : all) {
    for (const Source& source : one.sources) {
      const auto same = [&](const Source& other) { return other.name == source.name; };
      if (std::none_of(sources.begin(), sources.end(), same)) sources.push_back(source);
    }
  }
  return sources;
}

void run(const Planned& one, const Symbols& symbols, const Find& find, long threads) {
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
    const auto kernel = static_cast<std::size_t>(launch.kernel);
    const Call function = find(one.sources[kernel], one.plan.kernels[kernel]);
    for (long thread = 0; thread < threads; ++thread) {
      function(buffers.data(), sizes.data(), &context, thread, threads);
    }
    REQUIRE(context.fault == 0);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    INFO("output " << i);
    CHECK(against_interpreter::difference(expected[i], call.output(i)) < 5e-5);
  }
}

void check(const std::vector<Planned>& all, const Find& find, long threads) {
  for (const Planned& one : all) {
    for (const Symbols& symbols : one.symbols) {
      INFO("seed " << one.seed << "\n" << to_string(one.graph) << to_string(one.plan));
      run(one, symbols, find, threads);
    }
  }
}

}  // namespace

TEST_CASE("emit_cpp: plans of random graphs agree with the interpreter" *
          doctest::test_suite("host")) {
  std::vector<Planned> all;
  for (unsigned seed = 0; seed < 150; ++seed) {
    const int bits[] = {512, 256, 128, 0};
    const codegen::CppOptions options{.target = {.vectors = {.bits = bits[seed % 4]}},
                                      .strict = seed % 5 == 0};
    all.push_back(planned(seed, options.strict, [&](const schedule::Kernel& kernel) {
      return codegen::emit_cpp(kernel, options);
    }));
  }
  const Vector<Source> sources = sources_of(all);
  std::string text = codegen::cpp_prelude(sources);
  for (const Source& source : sources) text += source.text;
  const kernels::HostLibrary library(text);

  const auto find = [&](const Source& source, const schedule::Kernel&) {
    return library.function(source.name);
  };
  check(all, find, 2);
}

TEST_CASE("emit_cuda: plans of random graphs agree with the interpreter") {
  std::vector<Planned> all;
  for (unsigned seed = 1000; seed < 1100; ++seed) {
    all.push_back(planned(seed, false, [](const schedule::Kernel& kernel) {
      return codegen::emit_cuda(kernel, {});
    }));
  }
  SINTER_GPUS(machine, 1);
  emulator::use_device(0);
  const emulator::Program program(kernels::cuda_program(sources_of(all)));

  const auto find = [&](const Source& source, const schedule::Kernel& kernel) {
    return kernels::call_emulated(program, source, kernel, kernels::Outputs::as_on_host);
  };
  check(all, find, 1);
}
