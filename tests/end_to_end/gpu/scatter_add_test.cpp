// test: deep emulator gpu
// scatter_add on a GPU: atomic, or in a fixed order.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <vector>

#include "cuda_emulator/gpus.hpp"
#include "gpu.hpp"

using namespace gpu;

// An emulated GPU reports data races.
#define RACES_TEST(machine)         \
  const compiler::FreshCache fresh; \
  SINTER_GPUS(machine, 1)({.all_races = true})

namespace {

// Indices from 0 to `end` - 1, most of them repeated.
Tensor places(int count, int end) {
  std::vector<std::int64_t> result;
  for (int i = 0; i < count; ++i) result.push_back(std::int64_t{i} * 5 % end);
  return list(result);
}

Tensor counted(const Tensor& x, const Tensor& at, const Tensor& y) {
  return scatter_add(x, 0, at, y);
}

// The gradient of a gather of table rows `at`, most of them gathered repeatedly.
Tensor of_table(const Tensor& table, const Tensor& at, const Tensor& weights) {
  return grad([&](const Tensor& t) { return sum(index_select(t, 0, at) * weights); })(table);
}

template <class F>
std::string text_of(const F& compiled) {
  std::string result;
  for (const KernelInfo& kernel : compiled.explain().kernels) result += kernel.source;
  return result;
}

// Whether `f` on a GPU agrees with the eager backend on the host, with atomics if allowed.
template <class F>
void check(const F& f, const Tensor& x, const Tensor& at, const Tensor& y) {
  const Tensor expected = compile(f, {.backend = Backend::eager})(x, at, y);
  for (const Numerics numerics : {Numerics::fast, Numerics::strict}) {
    const auto there = compile(f, {.mode = Mode::reduce_overhead, .numerics = numerics});
    for (int call = 0; call < 3; ++call) {
      const Tensor got = there(x.to(cuda()), at.to(cuda()), y.to(cuda()));
      CHECK(relative_difference(got, expected) < (x.dtype() == f16 ? 2e-2 : 1e-5));
    }
    const bool in_order = numerics == Numerics::strict && is_floating(x.dtype());
    CHECK(has(text_of(there), "atomic_add_") == !in_order);
  }
}

}  // namespace

TEST_CASE("scatter add: many numbers added to few elements") {
  RACES_TEST(machine);
  const Tensor at = places(3000, 7), y = sample({3000});
  for (const DType dtype : {f32, f64, f16, i32, i64}) {
    CAPTURE(to_string(dtype));
    check(counted, zeros({7}).to(dtype), at, (y * 8.0f).to(dtype));
  }
}

TEST_CASE("scatter add: the gradient of a table whose rows are gathered") {
  RACES_TEST(machine);
  check(of_table, sample({20, 48}), places(300, 20), sample({300, 48}, 0.1));
}

TEST_CASE("scatter add: an index out of range throws and leaves state unchanged") {
  const compiler::FreshCache fresh;
  SINTER_GPUS(machine, 1);
  const auto f = compile([](Tensor& state, const Tensor& at, const Tensor& y) {
    state = scatter_add(state, 0, at, y);
  });
  Tensor state = zeros({7}).to(cuda());
  const Tensor good = places(500, 7).to(cuda()), y = ones({500}).to(cuda());
  f(state, good, y);
  f(state, good, y);
  const std::vector<float> before = state.to_vector<float>();
  CHECK(sum(state).item<float>() == 1000.0f);
  const std::string message = message_of([&] {
    f(state, places(500, 8).to(cuda()), y);
    (void)state.to_vector<float>();
  });
  CHECK(has(message, "out of range"));
  CHECK(has(message, "scatter_add_test.cpp"));
  CHECK(state.to_vector<float>() == before);
}
