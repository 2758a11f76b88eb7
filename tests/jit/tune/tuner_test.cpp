// The choices of Mode::max_autotune, and what it does not tune.

#include <doctest/doctest.h>
#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/jit/tune/tuner.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// The clock reports `fast_time` for the tuning `fast`, and `slow_time` for all others.
std::string_view fast;
std::int64_t fast_time = 0, slow_time = 0;

struct GivenTimes {
  explicit GivenTimes(std::string_view tuning, std::int64_t quick = 100'000,
                      std::int64_t slow = 200'000) {
    fast = tuning, fast_time = quick, slow_time = slow;
    jit::exchange_kernel_times([](std::string_view, std::string_view found) {
      return found == fast ? fast_time : slow_time;
    });
  }
  GivenTimes(const GivenTimes&) = delete;
  GivenTimes& operator=(const GivenTimes&) = delete;
  ~GivenTimes() { jit::exchange_kernel_times(nullptr); }
};

constexpr CompileOptions tuned{.mode = Mode::max_autotune};

const auto curve = [](const Tensor& x) { return tanh(x) * 3.0f + x; };

template <class F>
std::string sources(const F& f) {
  std::string result;
  for (const KernelInfo& kernel : f.explain().kernels) result += kernel.source;
  return result;
}

bool is_tuned(const std::string& source, std::string_view tuning) {
  return source.find(text("// tuned: ", tuning, "\n")) != std::string::npos;
}

}  // namespace

TEST_CASE("tuner: the fastest way to write a kernel is chosen, and computes the same") {
  const ScopedFreshCache fresh;
  const GivenTimes times("unroll 4");
  const auto f = compile(curve, tuned);
  const Tensor x = randn({3000}), expected = curve(x);
  CHECK(near_tensor(f(x), expected, 1e-6));
  CHECK(is_tuned(sources(f), "unroll 4"));
  CHECK(f.explain().kernels[0].name.find("_tuned_") != std::string::npos);
  CHECK(near_tensor(f(x), expected, 1e-6));
  CHECK(f.stats().recordings == 1);
  const auto standard = compile(curve);
  standard(x);
  CHECK(sources(standard).find("// tuned") == std::string::npos);
}

TEST_CASE("tuner: the next process times nothing, nor one that loads a saved cache") {
  const compiler::TemporaryDirectory directory;
  const std::string file = directory.path() + "/cache";
  const Tensor x = randn({3000});
  const auto check_known = [&] {
    const std::int64_t before = jit::timed_runs();
    const auto f = compile(curve, tuned);
    f(x);
    CHECK(jit::timed_runs() == before);
    CHECK(is_tuned(sources(f), "unroll 2"));
    CHECK(f.stats().compiler_runs == 0);
  };
  {
    const ScopedFreshCache fresh;
    {
      const GivenTimes times("unroll 2");
      compile(curve, tuned)(x);
    }
    save_cache(file);
    reset();
    check_known();
  }
  const ScopedFreshCache fresh;
  load_cache(file);
  check_known();
}

TEST_CASE("tuner: a win of the default is cached as well") {
  const ScopedFreshCache fresh;
  const GivenTimes times("default");
  const Tensor x = randn({3000});
  const auto f = compile(curve, tuned);
  f(x);
  CHECK(sources(f).find("// tuned") == std::string::npos);
  reset();
  const std::int64_t before = jit::timed_runs();
  compile(curve, tuned)(x);
  CHECK(jit::timed_runs() == before);
}

TEST_CASE("tuner: tuning ends with the budget, and the default stays") {
  const ScopedFreshCache fresh;
  const GivenTimes times("unroll 4", 400'000'000, 500'000'000);
  const std::int64_t before = jit::timed_runs();
  const auto f = compile(curve, {.mode = Mode::max_autotune, .autotune_seconds = 2});
  f(randn({3000}));
  CHECK(jit::timed_runs() == before + 4);
  CHECK(sources(f).find("// tuned") == std::string::npos);
  const auto none = compile([](const Tensor& x) { return exp(x) - 1.0f; },
                            {.mode = Mode::max_autotune, .autotune_seconds = 0});
  none(randn({3000}));
  CHECK(jit::timed_runs() == before + 4);
}

TEST_CASE("tuner: state is updated once, and random numbers are those of a call") {
  const ScopedFreshCache fresh;
  const GivenTimes times("unroll 2");
  const auto step = [](Tensor& total, const Tensor& x) {
    total = total + x * 2.0f;
    return dropout(total, 0.5f);
  };
  const auto run = [&](const CompileOptions& options) {
    random::manual_seed(7);
    const auto f = compile(step, options);
    Tensor total = zeros({2000});
    const Tensor x = ones({2000});
    std::vector<Tensor> results;
    for (int i = 0; i < 3; ++i) results.push_back(f(total, x));
    results.push_back(total);
    return results;
  };
  const std::vector<Tensor> expected = run({}), found = run(tuned);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(near_tensor(found[i], expected[i], 1e-6));
  }
}

TEST_CASE("tuner: invalid data is reported by the call, which tunes nothing") {
  const ScopedFreshCache fresh;
  const GivenTimes times("vector_bits 256");
  const auto f = compile(
      [](const Tensor& x, const Tensor& rows) { return exp(index_select(x, 0, rows)); }, tuned);
  const Tensor x = randn({50, 40});
  const Tensor good = from_vector(std::vector<std::int64_t>{3, 1}, {2});
  CHECK_THROWS_AS(f(x, from_vector(std::vector<std::int64_t>{3, 50}, {2})), IndexError);
  CHECK(near_tensor(f(x, good), exp(index_select(x, 0, good)), 1e-6));
}

TEST_CASE("tuner: the choice for the first size gives correct results for all sizes") {
  const ScopedFreshCache fresh;
  const GivenTimes times("unroll 8");
  const auto f = compile(curve, tuned);
  for (const std::int64_t size : {3000, 0, 1, 17, 131, 5000}) {
    Tensor x = randn({size});
    mark_dynamic(x, 0, {.min = 0});
    CHECK(near_tensor(f(x), curve(x), 1e-6));
  }
  CHECK(f.stats().recordings == 1);
  CHECK(is_tuned(sources(f), "unroll 8"));
}

TEST_CASE("tuner: in the background, calls continue with the default") {
  const ScopedFreshCache fresh;
  const GivenTimes times("unroll 4");
  const auto f = compile(curve, {.mode = Mode::max_autotune, .background = true});
  const Tensor x = randn({3000}), expected = curve(x);
  CHECK(near_tensor(f(x), expected, 1e-6));
  wait_for_background();
  CHECK(near_tensor(f(x), expected, 1e-6));
  wait_for_background();
  CHECK(near_tensor(f(x), expected, 1e-6));
  CHECK(is_tuned(sources(f), "unroll 4"));
}

TEST_CASE("tuner: without a compiler, nothing is tuned") {
  const ScopedFreshCache fresh;
  const ScopedVariable compiler("SINTER_CXX", "/nonexistent");
  const GivenTimes times("unroll 4");
  const std::int64_t before = jit::timed_runs();
  const auto f = compile(curve, tuned);
  const Tensor x = randn({300});
  CHECK(near_tensor(f(x), curve(x), 1e-6));
  CHECK(jit::timed_runs() == before);
}
