// test: deep emulator
// Each call of the driver that fails while a compiled function runs is a DeviceError; the function
// can be called again, and no GPU memory leaks.

#include <doctest/doctest.h>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/sinter.hpp>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

CudaDriver real;
int calls_until_failure = 0;  // including the failing one; 0 or less if none will fail

bool fails() { return calls_until_failure > 0 && --calls_until_failure == 0; }

template <auto Function, class... A>
void wrap(CudaDriver& table, int (*CudaDriver::*)(A...)) {
  table.*Function = [](A... arguments) -> int {
    constexpr int unknown_error = 999;
    return fails() ? unknown_error : (real.*Function)(arguments...);
  };
}

template <auto... Functions>
void wrap_all(CudaDriver& table) {
  (wrap<Functions>(table, Functions), ...);
}

/// The installed driver, with calls that fail.
class FailingDriver {
 public:
  FailingDriver() {
    real = table_ = *cuda_driver();
    using D = CudaDriver;
    wrap_all<&D::retain_context, &D::set_context, &D::load_module, &D::function,
             &D::set_function_attribute, &D::launch, &D::allocate, &D::memory_info,
             &D::allocate_host, &D::copy_to_device_async, &D::copy_to_host_async,
             &D::copy_on_device_async, &D::set_bytes_async, &D::create_stream,
             &D::synchronize_stream, &D::wait_event, &D::create_event, &D::record_event,
             &D::query_event, &D::synchronize_event, &D::create_graph, &D::add_kernel_node,
             &D::add_copy_node, &D::add_set_node, &D::add_child_node, &D::instantiate_graph,
             &D::launch_graph, &D::set_kernel_node, &D::set_copy_node, &D::set_set_node,
             &D::create_condition, &D::add_node>(table_);
    before_ = replace_cuda_driver(&table_);
  }
  FailingDriver(const FailingDriver&) = delete;
  FailingDriver& operator=(const FailingDriver&) = delete;
  ~FailingDriver() {
    calls_until_failure = 0;
    replace_cuda_driver(before_);
  }

 private:
  CudaDriver table_{};
  const CudaDriver* before_ = nullptr;
};

// Copies, computes, updates, gathers with an index that may be out of range, and reads.
std::vector<float> use(Mode mode) {
  const auto f = compile(
      [](Tensor& state, const Tensor& x, const Tensor& index) {
        state = state * 0.5f + sum(softmax(matmul(x, x), 1), 0);
        return index_select(x, 0, index) + state;
      },
      {.mode = mode});
  Tensor state = ones({4}).to(cuda());
  const Tensor x = ones({4, 4}).to(cuda());
  const Tensor index = from_vector(std::vector<std::int64_t>{3, 1}, {2}).to(cuda());
  Tensor found;
  for (int i = 0; i < 3; ++i) found = f(state, x, index);
  return (found + state).to_vector<float>();
}

// Fails the call after `calls` others; returns false if there were fewer. A live graph holds `held`
// bytes.
bool fails_in(Mode mode, int calls, const std::vector<float>& expected, std::int64_t held) {
  const FailingDriver driver;
  calls_until_failure = calls + 1;
  try {
    const std::vector<float> found = use(mode);
    CHECK(found == expected);  // the result of some calls is ignored
  } catch (const DeviceError&) {
    CHECK(calls_until_failure == 0);
  }
  const bool failed = calls_until_failure == 0;
  calls_until_failure = 0;
  CHECK(use(mode) == expected);
  CHECK(memory_stats(cuda()).live_bytes <= held);
  return failed;
}

// Call number `call`, from 0 on, of a function that is compiled here. Its inputs move between
// calls, and so does the state, which changes only if a call succeeds.
using Calls = std::function<Tensor(int call)>;
Calls calls_of(Mode mode) {
  const auto f = compile(
      [](Tensor& state, const Tensor& x) {
        const auto add = [&](const Tensor& sum_before, const Tensor& row) {
          const Tensor next = sum_before + sum(row * state);
          return std::pair{next, next};
        };
        state = state + 1.0f;
        return scan(add, 0.0f, x).second;
      },
      {.mode = mode});
  return [f, state = ones({4}).to(cuda())](int call) mutable {
    return f(state, full({3, 4}, static_cast<float>(call + 1)).to(cuda()));
  };
}

// The results of three calls, each repeated if it fails; the driver fails after `calls` calls of
// its own. The result says whether it failed.
std::pair<std::vector<std::vector<float>>, bool> insist(const Calls& call, int calls) {
  std::vector<std::vector<float>> found;
  Tensor result;
  calls_until_failure = calls + 1;
  while (found.size() < 3) {
    try {
      if (!result.defined()) result = call(static_cast<int>(found.size()));
      found.push_back(result.to_vector<float>());
      result = Tensor();
    } catch (const DeviceError&) {
      REQUIRE(calls_until_failure == 0);
      calls_until_failure = -1;
    }
  }
  return {found, calls_until_failure <= 0};
}

}  // namespace

TEST_CASE(
    "gpu driver failures: each call of the driver fails in turn, in the first use and later") {
  const compiler::FreshCache fresh;
  emulator::Emulator machine;
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const std::vector<float> expected = use(mode);
    const std::int64_t held = mode == Mode::standard ? 0 : 256;  // a buffer for faults
    int calls = 0;
    while (fails_in(mode, calls, expected, held)) ++calls;
    CHECK(calls > 50);
    // All memory was freed, except that of graphs whose driver was replaced.
    CHECK(static_cast<std::int64_t>(machine.used_memory(0)) <= 2 * held * (calls + 1));
  }
}

TEST_CASE(
    "gpu driver failures: a failed function can be called again, and repeats the incomplete work") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine;
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const auto expected = insist(calls_of(mode), -1).first;
    CHECK(expected[0] == std::vector<float>{8, 16, 24});
    CHECK(expected[2] == std::vector<float>{48, 96, 144});
    int calls = 0;
    for (bool failed = true; failed; ++calls) {
      CAPTURE(calls);
      const FailingDriver driver;
      const auto found = insist(calls_of(mode), calls);
      CHECK(found.first == expected);
      failed = found.second;
    }
    CHECK(calls > 50);
  }
}

TEST_CASE(
    "gpu driver failures: out of memory reports the memory of the call, by line, and the memory in "
    "use") {
  const compiler::FreshCache fresh;
  const emulator::Emulator machine({.devices = 1, .memory = std::size_t{6} << 20});
  for (const Mode mode : {Mode::standard, Mode::reduce_overhead}) {
    const auto small =
        compile([](const Tensor& t) { return softmax(cumsum(t, 1), 1); }, {.mode = mode});
    small(ones({8, 8}).to(cuda())).to_vector<float>();
    const auto f =
        compile([](const Tensor& t) { return sum(softmax(matmul(t, t), 1), 0); }, {.mode = mode});
    const std::string line = text("gpu_driver_failures_test.cpp:", __LINE__ - 1);
    const Tensor x = ones({1024, 1024}).to(cuda());
    std::string message;
    try {
      f(x);
    } catch (const ValueError& error) {
      message = error.what();
    }
    CAPTURE(message);
    const auto says = [&](const std::string& part) {
      return message.find(part) != std::string::npos;
    };
    CHECK(says("allocate: not enough memory on cuda:0\n"));
    CHECK(says("asked 5242880 bytes"));  // the product, and partial sums of its columns
    CHECK(says("others about 0 bytes"));
    CHECK(says(" bytes of intermediates, 4194304 of inputs, 4096 of results (0 updated in place"));
    CHECK(says("4194304 bytes, input 0"));
    CHECK(says("4194304 bytes, intermediate value of "));
    CHECK(says(line));
    CHECK(says("graphs keep ") == (mode == Mode::reduce_overhead));
    CHECK(says("with Mode::standard nothing is kept") == (mode == Mode::reduce_overhead));
  }
}
