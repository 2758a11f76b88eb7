#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/runtime/interpreter.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// exp(x) + 1 of `size` floats, written at the line that is given.
Graph example(Extent size, Where where = Where::current()) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, {size}});
  const Value one = build.constant(constant(1.0f), {f32, {size}});
  graph.outputs = {build.elementwise(Op::add, {build.elementwise(Op::exp, {x}), one})};
  for (Node& node : graph.nodes) node.where = where;
  return graph;
}

std::vector<float> run(const jit::Program& program, std::vector<float> x,
                       std::vector<std::int64_t> symbols = {}) {
  std::vector<float> result(x.size());
  void* const inputs[] = {x.data()};
  void* const outputs[] = {result.data()};
  program.run(inputs, outputs, symbols);
  return result;
}

// No call of the interpreter passes while it lives.
struct Forbidden {
  Forbidden() { runtime::interpreter_is_forbidden() = true; }
  ~Forbidden() { runtime::interpreter_is_forbidden() = false; }
};

}  // namespace

TEST_CASE("lower: all backends compute the same, only the fused one has kernels") {
  for (const Backend backend : {Backend::eager, Backend::aot_eager, Backend::fused}) {
    const jit::Lowered lowered = jit::lower(example(2), {.backend = backend});
    const std::vector<float> result = run(*lowered.program, {0, 1});
    CHECK(result[0] == doctest::Approx(2));
    CHECK(result[1] == doctest::Approx(3.7182818));
    CHECK((lowered.program->executable() != nullptr) == (backend == Backend::fused));
    CHECK(lowered.program->sources().size() == (backend == Backend::fused ? 1 : 0));
  }
}

TEST_CASE("lower: kernels run without the interpreter") {
  const jit::Lowered lowered = jit::lower(example(3), {});
  const Forbidden forbidden;
  CHECK(run(*lowered.program, {0, 0, 0})[2] == doctest::Approx(2));
}

TEST_CASE("lower: one program serves every size of a symbol") {
  const jit::Lowered lowered = jit::lower(example(Extent::symbol(0, {})), {});
  for (const std::size_t size : {0u, 1u, 2u, 17u, 1000u}) {
    const std::vector<float> result =
        run(*lowered.program, std::vector<float>(size), {static_cast<std::int64_t>(size)});
    for (const float value : result) CHECK(value == doctest::Approx(2));
  }
}

TEST_CASE("lower: equal programs are shared, other options or lines make another one") {
  const ScopedFreshCache fresh;
  const Where line = Where::current();
  const jit::Lowered first = jit::lower(example(4, line), {});
  CHECK(first.work.kernels_compiled == 1);
  const jit::Lowered second = jit::lower(example(4, line), {});
  CHECK(second.program == first.program);
  CHECK(second.work.compiler_runs == 0);
  const jit::Lowered strict = jit::lower(example(4, line), {.numerics = Numerics::strict});
  CHECK(strict.program != first.program);
  const jit::Lowered moved = jit::lower(example(4), {});
  CHECK(moved.program != first.program);  // faults would name other lines
  CHECK(moved.work.kernels_compiled == 0);
}

TEST_CASE("lower: SINTER_LOGS=memory says what each plan takes, of sizes that vary as well") {
  const ScopedVariable logs("SINTER_LOGS", "memory");
  const std::string fixed = said([] { jit::lower(example(777), {}); });
  CHECK(contains(fixed, "sinter[memory]: 0 bytes on the way, 3108 of inputs, 3108 of results; "));
  const std::string varying = said([] { jit::lower(example(Extent::symbol(0)), {}); });
  CHECK(contains(varying, "sinter[memory]: 0 bytes on the way, 4*s0 of inputs, 4*s0 of results\n"));
}

TEST_CASE("lower: programs that were forgotten are made again from kernels that are there") {
  const Where line = Where::current();
  const jit::Lowered first = jit::lower(example(5, line), {});
  jit::forget_programs();
  const jit::Lowered second = jit::lower(example(5, line), {});
  CHECK(second.program != first.program);
  CHECK(second.work.compiler_runs == 0);
  CHECK(run(*first.program, {0, 0, 0, 0, 0}) == run(*second.program, {0, 0, 0, 0, 0}));
}

TEST_CASE("lower: the interpreted program writes outputs that are their inputs") {
  const jit::Lowered lowered = jit::lower(example(2), {.backend = Backend::eager});
  std::vector<float> x{0, 0};
  void* const memory[] = {x.data()};
  lowered.program->run(memory, memory, {});
  CHECK(x[1] == doctest::Approx(2));
}

TEST_CASE("lower: SINTER_VECTOR_BITS says how wide vectors are, and nothing but their widths" *
          doctest::test_suite("host: its vectors")) {
  const auto texts = [] {
    const ScopedFreshCache fresh;
    const auto f = compile([](const Tensor& x) { return exp(x) + 1.0f; });
    CHECK(near_tensor(f(zeros({100})), full({100}, 2.0f)));
    return f.explain().kernels.at(0).source;
  };
  for (const auto& [bits, type] : std::vector<std::pair<const char*, const char*>>{
           {"512", "f32x16"}, {"256", "f32x8"}, {"128", "f32x4"}}) {
    setenv("SINTER_VECTOR_BITS", bits, 1);
    CHECK(texts().find(type) != std::string::npos);
  }
  setenv("SINTER_VECTOR_BITS", "0", 1);
  CHECK(texts().find("f32x") == std::string::npos);
  setenv("SINTER_VECTOR_BITS", "640", 1);
  const auto f = compile([](const Tensor& x) { return exp(x) + 7.0f; });
  CHECK_THROWS_WITH_AS(f(zeros({3})), doctest::Contains("value 640"), ValueError);
  unsetenv("SINTER_VECTOR_BITS");
  CHECK(near_tensor(f(zeros({3})), full({3}, 8.0f)));
}
