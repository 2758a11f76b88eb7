#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda_copy.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/runtime/cuda_replay.hpp>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaReplay;

namespace {

// A program of x * y + x, where x has 4 elements and y is a number.
struct Scaled {
  Scaled() {
    Graph graph;
    Builder builder(graph);
    const Value x = builder.input({f32, {4}}), y = builder.input({f32, {}});
    const Value wide = builder.expand(builder.reshape(y, {1}), {4});
    graph.outputs = {builder.add(builder.mul(x, wide), x)};
    program = jit::lower(graph, {.device = cuda(), .graphs = true}).program;
  }
  // What element 3 is for x = {1, 2, 3, 4}.
  float run(float number) const {
    const float numbers[]{1, 2, 3, 4};
    const Storage x = copied_to(Storage::borrow(numbers, sizeof(numbers)), cuda());
    const Storage y = Storage::allocate(16, cuda());
    void* const inputs[]{x.data(), &number};
    void* const outputs[]{y.data()};
    program->run(inputs, outputs, {});
    return static_cast<const float*>(host_bytes(y))[3];
  }
  std::shared_ptr<const jit::Program> program;
};

}  // namespace

TEST_CASE("cuda_replay: a number is of the host in one call and of the GPU in another") {
  const emulator::Emulator machine;
  const Scaled scaled;
  CHECK(scaled.run(0) == 4);
  CHECK(scaled.run(2) == 12);
  const float values[]{1, 2, 3, 4}, nine = 9;
  const Storage x = copied_to(Storage::borrow(values, 16), cuda()),
                y = Storage::allocate(16, cuda()),
                number = copied_to(Storage::borrow(&nine, 4), cuda());
  void* const inputs[]{x.data(), number.data()};
  void* const outputs[]{y.data()};
  scaled.program->run(inputs, outputs, {});
  CHECK(static_cast<const float*>(host_bytes(y))[3] == 40);
  CHECK(scaled.run(2) == 12);
  CHECK(machine.graph_launches() == 4);
}

TEST_CASE("cuda_replay: more threads than have graphs launch one by one") {
  emulator::Emulator machine;
  emulator::CountedDriver driver;
  const Scaled scaled;
  constexpr int count = static_cast<int>(CudaReplay::most_streams) + 2;
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
  std::thread([&] { CHECK(scaled.run(1) == 8); }).join();  // on a stream that was left
  CHECK(driver.calls<&CudaDriver::instantiate_graph>() == count - 2);
}

TEST_CASE("cuda_replay: graphs are made anew where the driver is another one") {
  std::unique_ptr<Scaled> scaled;
  for (int i = 0; i < 2; ++i) {
    emulator::Emulator machine;
    emulator::CountedDriver driver;
    if (scaled == nullptr) scaled = std::make_unique<Scaled>();
    CHECK(scaled->run(2) == 12);
    CHECK(driver.calls<&CudaDriver::instantiate_graph>() == 1);
  }
}

TEST_CASE("cuda_replay: graphs go with the program") {
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

TEST_CASE("cuda_replay: copies of what the host gave go with the call, also where it fails") {
  const emulator::Emulator machine;
  emulator::CountedDriver driver;
  const Scaled scaled;
  float x[]{1, 2, 3, 4}, number = 2;
  const Storage y = Storage::allocate(16, cuda());
  const auto call = [&] {
    void* const inputs[]{x, &number};
    void* const outputs[]{y.data()};
    scaled.program->run(inputs, outputs, {});
  };
  call();
  const std::int64_t held = memory_stats(cuda()).live_bytes;
  driver.fail<&CudaDriver::launch_graph>(999);
  for (int i = 0; i < 3; ++i) {
    CHECK_THROWS_AS(call(), DeviceError);
    CHECK(memory_stats(cuda()).live_bytes == held);
  }
  driver.fail<&CudaDriver::launch_graph>(0);
  call();
  CHECK(static_cast<const float*>(host_bytes(y))[3] == 12);
  CHECK(memory_stats(cuda()).live_bytes == held);
}

TEST_CASE("cuda_replay: why a plan keeps to a list of launches") {
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
  CHECK(CudaReplay::why_not(plan, {}, {.forms = {0}}).empty());
}
