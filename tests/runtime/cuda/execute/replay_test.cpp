// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/jit/lower/program_cache.hpp>
#include <sinter/runtime/cuda/execute/replay.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"
#include "scaled_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaReplay;

TEST_CASE("cuda_replay: threads beyond max_streams launch one by one") {
  emulator::Emulator machine;
  emulator::CountedDriver driver;
  const Scaled scaled;
  constexpr int count = static_cast<int>(CudaReplay::max_streams) + 2;
  std::atomic<int> arrived = 0, wrong = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      wrong += scaled.run(static_cast<float>(i)) != static_cast<float>(4 * i + 4);
      ++arrived;  // all streams are in use until all have run
      while (arrived != count) std::this_thread::yield();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(driver.calls<&CudaDriver::instantiate_graph>() == count - 2);
  CHECK(driver.calls<&CudaDriver::launch>() == 2);
  std::thread([&] { CHECK(scaled.run(1) == 8); }).join();  // on a stream that an ended thread left
  CHECK(driver.calls<&CudaDriver::instantiate_graph>() == count - 2);
}

TEST_CASE("cuda_replay: graphs are created again after the driver is replaced") {
  UniquePtr<Scaled> scaled;
  for (int i = 0; i < 2; ++i) {
    emulator::Emulator machine;
    emulator::CountedDriver driver;
    if (scaled == nullptr) scaled = make_unique_ptr<Scaled>();
    CHECK(scaled->run(2) == 12);
    CHECK(driver.calls<&CudaDriver::instantiate_graph>() == 1);
  }
}

TEST_CASE("cuda_replay: graphs are destroyed with the program") {
  emulator::Emulator machine;
  emulator::CountedDriver driver;
  {
    const Scaled scaled;
    scaled.run(2);
    jit::forget_programs();
  }
  CHECK(driver.calls<&CudaDriver::destroy_executable>() == 1);
  CHECK(driver.calls<&CudaDriver::destroy_graph>() == 1);
  CHECK(memory_stats(cuda()).live_bytes == 0);
}

TEST_CASE("cuda_replay: why a plan is launched one by one") {
  schedule::Plan plan;
  CHECK(CudaReplay::why_not(plan, {}, {}) == "nothing is launched");
  plan.buffers = {{.dtype = f32, .elements = 4, .home = schedule::Home::input, .position = 0},
                  {.dtype = f32, .elements = 4, .home = schedule::Home::output, .position = 0}};
  plan.inputs = {0};
  plan.outputs = {1};
  plan.launches = {{.buffers = {0, 1}}, {.buffers = {0, 1}}};
  CHECK(CudaReplay::why_not(plan, {}, {}).empty());
  plan.launches[1].checks.resize(1);
  CHECK(CudaReplay::why_not(plan, {}, {}).empty());
  const schedule::Update update{.input = 0, .output = 0};
  const std::string reason = CudaReplay::why_not(plan, {&update, 1}, {});
  CHECK(reason == "data can be at fault after state is updated");
  plan.launches[1].is_checked = true;
  CHECK(CudaReplay::why_not(plan, {&update, 1}, {}).empty());
  plan.launches[1] = {.control = 0};
  plan.controls = {{.op = Op::scan}};
  const runtime::CudaBodies without{.missing = "there is no library"};
  CHECK(CudaReplay::why_not(plan, {}, without) == "scan needs the host: there is no library");
  CHECK(CudaReplay::why_not(plan, {}, {.variants = {0}}).empty());
}
