// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/runtime/cuda/execute/stream_replay.hpp>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"
#include "scaled_on_gpu.hpp"

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("stream_replay: a scalar may be on the host in one call and on the GPU in another") {
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

TEST_CASE("stream_replay: copies of host inputs are freed after the call, also when it fails") {
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
