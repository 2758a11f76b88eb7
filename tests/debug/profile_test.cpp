// test: emulator
#include <doctest/doctest.h>
#include <sinter/debug/profile.hpp>
#include <sinter/sinter.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Tensor softmax_and_product(const Tensor& x, const Tensor& w) {
  return matmul(softmax(x, -1), w) + 1.0f;
}

}  // namespace

TEST_CASE("profile: each kernel is counted in each call except warm-up calls") {
  auto function = compile(softmax_and_product);
  const Tensor x = randn({16, 32}), w = randn({32, 8});
  const Profile seen = profile([&] { function(x, w); }, {.calls = 4, .warm_up = 2});
  const Explanation explanation = function.explain();
  REQUIRE(seen.kernels.size() == explanation.kernels.size());
  CHECK(seen.calls.size() == 4);
  for (const KernelInfo& expected : explanation.kernels) {
    bool is_there = false;
    for (const KernelProfile& kernel : seen.kernels) {
      if (kernel.name != expected.name) continue;
      is_there = true;
      CHECK(kernel.runs == 4);
      CHECK(kernel.bytes_read == 4 * expected.bytes_read);
      CHECK(kernel.bytes_written == 4 * expected.bytes_written);
      CHECK(kernel.seconds > 0);
      CHECK(kernel.least > 0);
      CHECK(kernel.least <= kernel.seconds / 4);  // of 4 runs, not above the mean
      REQUIRE_FALSE(kernel.lines.empty());
      CHECK(contains(to_string(kernel.lines[0]), "profile_test.cpp"));
    }
    CHECK(is_there);
  }
}

TEST_CASE("profile: arithmetic is counted, a multiply-add as two") {
  auto function = compile([](const Tensor& a, const Tensor& b) { return matmul(a, b); });
  const Tensor a = randn({6, 10}), b = randn({10, 4});
  const Profile seen = profile([&] { function(a, b); }, {.calls = 1});
  REQUIRE(seen.kernels.size() == 1);
  CHECK(seen.kernels[0].operations == 2 * 6 * 10 * 4);
}

TEST_CASE("profile: runs with varying sizes count with their own bytes") {
  auto function = compile([](const Tensor& x) { return x + 1.0f; });
  Tensor small = ones({100}), large = ones({300});
  mark_dynamic(small, 0);
  mark_dynamic(large, 0);
  const Profile seen = profile([&] { function(small), function(large); }, {.calls = 3});
  REQUIRE(seen.kernels.size() == 1);
  CHECK(seen.kernels[0].runs == 6);
  CHECK(seen.kernels[0].bytes_read == 3 * 4 * (100 + 300));
  double shortest = 1e9;
  REQUIRE(seen.events.size() == 6);  // one thread each
  for (const KernelEvent& event : seen.events)
    shortest = std::min(shortest, event.end - event.start);
  CHECK(seen.kernels[0].least == doctest::Approx(shortest).epsilon(1e-9));
}

TEST_CASE("profile: threads that share a kernel each have an event, within the call") {
  set_num_threads(2);
  auto function = compile([](const Tensor& x) { return exp(x); });
  const Tensor x = ones({1 << 20});
  const Profile seen = profile([&] { function(x); }, {.calls = 5});
  set_num_threads(0);
  REQUIRE(seen.kernels.size() == 1);
  CHECK(seen.kernels[0].threads == 2);
  CHECK(seen.events.size() == 10);
  for (const KernelEvent& event : seen.events) {
    CHECK(event.kernel == 0);
    CHECK(event.start <= event.end);
    CHECK(event.start >= 0);
    CHECK(event.end <= seen.calls.back().end);
  }
}

TEST_CASE("profile: kernels of loops are counted in each step") {
  auto function = compile([](const Tensor& x) {
    return std::get<0>(
        scan([](const Tensor& c, const Tensor& y) { return std::pair(c + y, c); }, zeros({8}), x));
  });
  const Tensor x = ones({5, 8});
  const Profile seen = profile([&] { function(x); }, {.calls = 2});
  std::int64_t most = 0;
  for (const KernelProfile& kernel : seen.kernels) most = std::max(most, kernel.runs);
  CHECK(most == 10);
}

TEST_CASE("profile: kernels of a GPU are timed in each call, replayed as a graph or not") {
  SINTER_GPUS(machine, 2);
  const Tensor x = randn({16, 32}).to(cuda(1)), w = randn({32, 8}).to(cuda(1));
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    auto function = compile(softmax_and_product, {.mode = mode});
    const std::vector<float> expected = function(x, w).to_vector<float>();
    Tensor last;
    const Profile seen = profile([&] { last = function(x, w); }, {.calls = 3});
    CHECK(last.to_vector<float>() == expected);
    const Explanation explanation = function.explain();
    REQUIRE(seen.kernels.size() == explanation.kernels.size());
    for (const KernelProfile& kernel : seen.kernels) {
      CHECK(kernel.gpu == 1);
      CHECK(kernel.runs == 3);
      CHECK(kernel.bytes_read > 0);
      CHECK(kernel.seconds > 0);
      CHECK(contains(to_string(kernel.lines.at(0)), "profile_test.cpp"));
      CHECK(share_of_roof(kernel, {1, 100, 100}) == 0);  // that of the host says nothing
    }
    for (const KernelEvent& event : seen.events) CHECK(event.end <= seen.calls.back().end);
    CHECK_FALSE(contains(to_string(seen), "roof:"));
    CHECK(contains(to_string(seen), " gpu "));
    CHECK(contains(to_chrome_trace(seen), "\"args\": {\"name\": \"cuda:1\"}"));
    const std::size_t graphs = machine.graph_launches();
    function(x, w);
    CHECK(machine.graph_launches() - graphs == (mode == Mode::reduce_overhead ? 1 : 0));
  }
}

TEST_CASE("profile: kernels of loops on a GPU are counted in each step, in a graph or not") {
  SINTER_GPUS(machine, 1);
  auto function = compile(
      [](const Tensor& x) {
        const auto add = [](const Tensor& c, const Tensor& y) { return std::pair(c + y, c); };
        return std::get<0>(scan(add, zeros({8}), x));
      },
      {.mode = Mode::reduce_overhead});
  const Tensor x = ones({5, 8}).to(cuda());
  function(x);
  const Profile seen = profile([&] { function(x); }, {.calls = 2});
  std::int64_t most = 0;
  for (const KernelProfile& kernel : seen.kernels) most = std::max(most, kernel.runs);
  CHECK(most == 10);
}

TEST_CASE("profile: code outside of compile() is not a kernel") {
  const Profile seen = profile([] { (ones({4}) + 1.0f).to_vector<float>(); }, {.calls = 2});
  CHECK(seen.kernels.empty());
  CHECK(seen.calls.size() == 2);
  CHECK(contains(to_string(seen), "2 calls"));
}

TEST_CASE("profile: the share of the roof is the larger of memory and arithmetic") {
  const debug::Roofline roof{.threads = 1, .bytes_per_second = 100, .operations_per_second = 10};
  KernelProfile kernel;
  kernel.seconds = 2, kernel.bytes_read = 60, kernel.bytes_written = 40, kernel.operations = 5;
  CHECK(share_of_roof(kernel, roof) == doctest::Approx(0.5));
  kernel.operations = 20;
  CHECK(share_of_roof(kernel, roof) == doctest::Approx(1.0));
  CHECK(share_of_roof(kernel, {}) == 0);
}

TEST_CASE("profile: the text and the trace name kernels, threads and lines") {
  Profile made;
  made.kernels = {{.name = "mul_\"add\"_f32",
                   .runs = 2,
                   .threads = 2,
                   .least = 1.5e-3,
                   .seconds = 4e-3,
                   .bytes_read = 3'000'000,
                   .bytes_written = 1'000'000,
                   .operations = 8'000'000,
                   .lines = {Where::current()}}};
  made.calls = {{0, 4e-3}, {4e-3, 8e-3}};
  made.events = {{0, 0, 1e-3, 2e-3}, {0, 1, 1e-3, 3e-3}};
  made.roof = {.threads = 2, .bytes_per_second = 2e9, .operations_per_second = 1e11};
  const std::string table = to_string(made);
  CHECK(contains(table,
                 "2 calls, 4 ms each: 2 ms in 1 kernel, 2 ms outside of them\n"
                 "roof: 2.0 GB/s, 100 GFLOP/s, 2 threads\n"));
  CHECK(contains(table,
                 " 50.0%       2    2      2 ms    1.5 ms     1.00     2.00    50%  "
                 "mul_\"add\"_f32\n"));
  CHECK(contains(table, "profile_test.cpp:"));
  made.calls.resize(1);
  for (const auto& [seconds, told] : {std::pair(999.4e-9, "999 ns"),
                                      {999.7e-9, "1 us"},
                                      {999.7e-6, "1 ms"},
                                      {1.0, "1 s"},
                                      {2345.0, "2345 s"}}) {
    made.calls[0].end = seconds;
    CHECK(contains(to_string(made), text("1 call, ", told, " each")));
  }
  made.calls = {{0, 4e-3}, {4e-3, 8e-3}};
  const std::string trace = to_chrome_trace(made);
  CHECK(contains(trace,
                 "{\"name\": \"mul_\\\"add\\\"_f32\", \"cat\": \"kernel\", \"ph\": \"X\", "
                 "\"pid\": 1, \"tid\": 1, \"ts\": 1000.000, \"dur\": 2000.000, "
                 "\"args\": {\"bytes_read\": 1500000, "));
  CHECK(contains(trace, "\"args\": {\"name\": \"thread 1\"}"));
  CHECK(contains(trace, "{\"name\": \"call 1\", \"cat\": \"call\""));
  const std::string path = SINTER_TEST_DIR "/profile_test.trace.json";
  save_chrome_trace(path, made);
  std::ostringstream written;
  written << std::ifstream(path).rdbuf();
  CHECK(written.str() == trace);
}

TEST_CASE("profile: nested profiles are refused, and profiling is off afterwards") {
  CHECK_THROWS_WITH_AS(profile([] { profile([] {}); }, {.warm_up = 0}),
                       doctest::Contains("another profile is being taken"), ValueError);
  CHECK_THROWS_AS(profile([] { throw std::runtime_error("mine"); }, {.warm_up = 0}),
                  std::runtime_error);
  CHECK(profile([] {}, {.calls = 1}).calls.size() == 1);
}

TEST_CASE("profile: invalid options are refused before the first call") {
  int called = 0;
  const auto f = [&] { ++called; };
  CHECK_THROWS_WITH_AS(profile(f, {.calls = 0}), doctest::Contains("rule  calls >= 1"), ValueError);
  CHECK_THROWS_WITH_AS(profile(f, {.warm_up = -3}), doctest::Contains("rule  warm_up >= 0"),
                       ValueError);
  CHECK_THROWS_AS(profile([&] { profile(f); }, {.warm_up = 0}), ValueError);
  CHECK(called == 0);
  CHECK(profile([] {}, {.calls = 1}).calls.size() == 1);
}
