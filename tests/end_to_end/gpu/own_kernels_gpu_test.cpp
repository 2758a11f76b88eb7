// test: emulator gpu
// Kernels of the user on a GPU: nodes of the CUDA Graph.

#include <doctest/doctest.h>

#include "../cuda_graph.hpp"

using namespace gpu_graph;

namespace {

Tensor swish_of(const Tensor& x) { return x / (1.0f + exp(-x)); }
Tensor steps_of(const Tensor& x) { return x * 2.0f + 1.0f; }

const auto swish = custom_op<"gpu::swish">(
    {.cuda = "__device__ float swish(float x) { return x / (1 + expf(-x)); }",
     .reference = swish_of});

const auto steps = custom_op<"gpu::steps">(
    {.cuda =
         "__global__ void steps(const float* x, float* y, long n) {\n"
         "  const long first = blockIdx.x * (long)blockDim.x + threadIdx.x;\n"
         "  for (long i = first; i < n; i += gridDim.x * (long)blockDim.x) y[i] = 2 * x[i] + 1;\n"
         "}",
     .reference = steps_of});

const auto halved = custom_op<"gpu::halved">({.reference = [](const Tensor& x) { return x / 2; }});

Tensor own(const Tensor& x) { return sum(halved(steps(swish(sin(x)) * 3.0f)) - x, 1); }
Tensor usual(const Tensor& x) { return sum(steps_of(swish_of(sin(x)) * 3.0f) / 2 - x, 1); }

}  // namespace

TEST_CASE("own kernels: on a GPU they are nodes of one CUDA Graph, for all sizes") {
  GPU_TEST(machine, driver);
  const auto f =
      compile(own, {.mode = Mode::reduce_overhead, .dynamic = Dynamic::on, .fullgraph = true});
  for (const std::int64_t rows : {4, 6, 4}) {
    const Tensor x = sample({rows, 40});
    CHECK(difference(f(x.to(cuda())), usual(x)) < 1e-4);
  }
  CHECK(f.stats().breaks == 0);
  CHECK(f.stats().recompiles == 0);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(machine.graph_launches() == 3);
}

TEST_CASE("own kernels: gradients and batches on a GPU are those of the reference") {
  GPU_TEST(machine, driver);
  const Tensor x = sample({3, 8});
  const auto loss = [](const Tensor& v) { return sum(own(v)); };
  const auto expected = [](const Tensor& v) { return sum(usual(v)); };
  CHECK(difference(compile(grad(loss))(x.to(cuda())), grad(expected)(x)) < 1e-4);
  const Tensor batch = sample({2, 3, 8});
  CHECK(difference(compile(vmap(own))(batch.to(cuda())), vmap(usual)(batch)) < 1e-4);
}

TEST_CASE("own kernels: without a kernel for GPUs the error says what to do") {
  GPU_TEST(machine, driver);
  const auto host = custom_op<"gpu::host">(
      {.call = [](std::span<const RawTensor>, std::span<const RawTensor>) {}});
  try {
    compile([=](const Tensor& v) { return host(v); })(sample({3}).to(cuda()));
    FAIL_CHECK("nothing was thrown");
  } catch (const DeviceError& error) {
    CHECK(has(error.what(), "gpu::host"));
    CHECK(has(error.what(), ".cuda"));
  }
}
