// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/graph/capture.hpp>

#include <stdexcept>

#include "cuda_emulator/counted_driver.hpp"
#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// Enqueues nothing: the content of the capture does not matter here.
const auto nothing = [](CudaDriver::Handle) {};

}  // namespace

TEST_CASE("capture: captures end also when an exception is thrown, all on one stream") {
  const emulator::Emulator machine;
  const emulator::CountedDriver driver;
  CudaContext& context = CudaContext::of(cuda());
  CudaDriver::Handle first = nullptr;
  const auto throws = [&](CudaDriver::Handle stream) {
    first = stream;
    throw std::runtime_error("on purpose");
  };
  CHECK_THROWS_AS(runtime::capture_graph(context, throws), std::runtime_error);
  const auto graph = runtime::capture_graph(context, [&](CudaDriver::Handle stream) {
    CHECK(stream == first);
    CHECK(stream != context.stream({}).handle);
  });
  CHECK(graph != nullptr);
  CHECK(driver.calls<&CudaDriver::begin_capture>() == 2);
  CHECK(driver.calls<&CudaDriver::end_capture>() == 2);
}

TEST_CASE("capture: a failure of the driver is a DeviceError") {
  const emulator::Emulator machine;
  emulator::CountedDriver driver;
  CudaContext& context = CudaContext::of(cuda());
  driver.fail<&CudaDriver::begin_capture>(999);
  CHECK_THROWS_AS(runtime::capture_graph(context, nothing), DeviceError);
  driver.fail<&CudaDriver::begin_capture>(0);
  CHECK(runtime::capture_graph(context, nothing) != nullptr);
}
