// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/lower/host.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

#include "jit/lowered_example.hpp"

using namespace testing;

namespace {

// During its lifetime calls of the interpreter fail.
struct Forbidden {
  Forbidden() { runtime::interpreter_is_forbidden() = true; }
  ~Forbidden() { runtime::interpreter_is_forbidden() = false; }
};

}  // namespace

TEST_CASE("host: kernels run without the interpreter") {
  const jit::LoweredProgram lowered = jit::lower(example(3), {});
  const Forbidden forbidden;
  CHECK(run(*lowered.program, {0, 0, 0})[2] == doctest::Approx(2));
}

TEST_CASE("host: SINTER_VECTOR_BITS sets the vector width, and rejects other values" *
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
