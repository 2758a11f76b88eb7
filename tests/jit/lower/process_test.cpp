// test: moved
#include <doctest/doctest.h>
#include <sinter/jit/lower/process.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

#include <filesystem>

#include "jit/support.hpp"
#include "moved.hpp"

using namespace testing;

namespace {

const auto function = [](const Tensor& x) { return tanh(sin(x)) * 3.0f; };

}  // namespace

TEST_CASE("process: a fresh cache is empty, and the old one is restored") {
  const Tensor x = zeros({123});
  compile(function)(x);
  {
    const ScopedFreshCache fresh;
    const auto f = compile(function);
    f(x);
    CHECK(f.stats().kernels_compiled == 1);
  }
  const auto f = compile(function);
  f(x);
  CHECK(f.stats().compiler_runs == 0);
}

TEST_CASE("process: reset() clears kernels in memory, also those of functions in use") {
  const ScopedFreshCache fresh;
  const auto f = compile(function);
  CHECK(near_tensor(f(zeros({124})), zeros({124})));
  CHECK(f.stats().compiler_runs == 1);
  reset();
  CHECK(near_tensor(f(zeros({124})), zeros({124})));
  CHECK(f.stats().recordings == 2);
  CHECK(f.stats().compiler_runs == 1);
  CHECK(f.stats().disk_hits == 1);
  reset();
  const auto again = compile(function);
  again(zeros({124}));
  CHECK(again.stats().compiler_runs == 0);
  CHECK(again.stats().disk_hits == 1);
}

TEST_CASE("process: a saved cache serves a process with empty caches" *
          doctest::test_suite("host: the programs of a GPU are counted as well")) {
  const std::string path = sinter_test::directory() + "/process_test.cache";
  std::filesystem::create_directories(sinter_test::directory());
  {
    const ScopedFreshCache fresh;
    compile(function)(zeros({125}));
    save_cache(path);
  }
  const ScopedFreshCache fresh;
  const CacheContents found = load_cache(path);
  CHECK(found.usable == 1);
  CHECK(found.unusable == 0);
  CHECK(found.reasons.empty());
  const auto f = compile(function);
  CHECK(near_tensor(f(zeros({125})), zeros({125})));
  CHECK(f.stats().compiler_runs == 0);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(load_cache(path), IoError);
}

#ifdef __x86_64__
TEST_CASE("process: one file serves several vector widths; unusable kernels are kept in it" *
          doctest::test_suite("host: the programs of a GPU are counted as well")) {
  const std::string path = sinter_test::directory() + "/process_test_targets.cache";
  std::filesystem::create_directories(sinter_test::directory());
  {
    const ScopedFreshCache fresh;
    const ScopedVariable narrow("SINTER_VECTOR_BITS", "128");
    compile(function)(zeros({126}));
    save_cache(path);
  }
  {
    const ScopedFreshCache fresh;
    CHECK(load_cache(path).usable == 1);
    compile(function)(zeros({126}));
    save_cache(path);
  }
  for (const char* const bits : {"128", ""}) {
    const ScopedFreshCache fresh;
    const ScopedVariable width("SINTER_VECTOR_BITS", bits);
    CHECK(load_cache(path).usable == 2);
    const auto f = compile(function);
    CHECK(near_tensor(f(zeros({126})), zeros({126})));
    CHECK(f.stats().compiler_runs == 0);
  }
  std::filesystem::remove(path);
}
#endif

TEST_CASE("process: results do not depend on the number of threads") {
  const Tensor x = randn({300, 700});
  const auto f = compile([](const Tensor& v) { return softmax(v * 2.0f, -1) + sum(v, {0}); });
  set_num_threads(1);
  const Tensor one = f(x);
  for (const int threads : {2, 3, 5}) {
    set_num_threads(threads);
    CHECK(runtime::num_threads() == threads);
    CHECK(near_tensor(f(x), one, 1e-4));
  }
  set_num_threads(0);
}

TEST_CASE("process: a negative number of threads is an error at the user's line") {
  std::string told;
  try {
    set_num_threads(-3);
  } catch (const ValueError& error) {
    told = error.what();
  }
  CHECK(told.find("threads -3") != std::string::npos);
  CHECK(told.find("set_num_threads(0)") != std::string::npos);
  CHECK(told.find("process_test.cpp") != std::string::npos);
}
