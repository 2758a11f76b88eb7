// test: deep emulator gpu
#include <doctest/doctest.h>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/jit/lower/lower.hpp>

#include <cstring>
#include <thread>
#include <vector>

#include "cuda_emulator/gpus.hpp"

using namespace sinter;
using namespace sinter::detail;

namespace {

// A program for a GPU of x * y + x, where x has the shape and y is a number.
SharedPtr<const jit::Program> program(const Shape& shape) {
  Graph graph;
  Builder builder(graph);
  const Value x = builder.input({f32, shape}), y = builder.input({f32, {}});
  Shape ones;
  for (int i = 0; i < shape.size(); ++i) ones.push_back(1);
  const Value wide = builder.expand(builder.reshape(y, ones), shape);
  graph.outputs = {builder.add(builder.mul(x, wide), x)};
  return jit::lower(graph, {.device = cuda()}).program;
}

Storage host(const std::vector<float>& values) {
  Storage result = Storage::allocate(values.size() * sizeof(float));
  std::memcpy(result.data(), values.data(), result.bytes());
  return result;
}

float element(const Storage& there, std::size_t i) {
  return static_cast<const float*>(host_bytes(there))[i];
}

}  // namespace

TEST_CASE("cuda_executable: submits its launches to the stream of the thread without waiting") {
  SINTER_GPUS(machine, 1);
  const auto known = program({4});
  REQUIRE(known->plan() != nullptr);
  CHECK(known->device() == cuda());
  Storage x = copied_to(host({1, 2, 3, 4}), cuda());
  float number = 10;
  for (int i = 0; i < 3; ++i) {
    const Storage y = Storage::allocate(16, cuda());
    void* const inputs[]{x.data(), &number};  // of the GPU, and of the host
    void* const outputs[]{y.data()};
    known->run(inputs, outputs, {});
    number = 1;  // was read
    x = y;
  }
  CHECK(element(x, 0) == 44);
  CHECK(element(x, 3) == 176);
  CHECK(machine.launches() == 3);
}

TEST_CASE("cuda_executable: calls of several threads are ordered by the memory that they use") {
  SINTER_GPUS(machine, 1);
  const auto known = program({4});
  Storage x = copied_to(host({1, 2, 3, 4}), cuda());
  float number = 1;
  const auto double_it = [&] {
    const Storage y = Storage::allocate(16, cuda());
    void* const inputs[]{x.data(), &number};
    void* const outputs[]{y.data()};
    known->run(inputs, outputs, {});
    x = y;
  };
  std::thread([&] {
    double_it();
    std::thread([&] {
      double_it();
      std::thread(double_it).join();
    }).join();
  }).join();
  CHECK(element(x, 0) == 8);
  CHECK(element(x, 3) == 32);
}

TEST_CASE("cuda_executable: loads its kernels again after the driver is replaced") {
  SharedPtr<const jit::Program> known;
  for (int i = 0; i < 2; ++i) {
    SINTER_GPUS(machine, 1);
    if (known == nullptr) known = program({2});
    const Storage x = copied_to(host({1, 2}), cuda()), y = Storage::allocate(8, cuda());
    float number = 2;
    void* const inputs[]{x.data(), &number};
    void* const outputs[]{y.data()};
    known->run(inputs, outputs, {});
    CHECK(element(y, 1) == 6);
  }
}
