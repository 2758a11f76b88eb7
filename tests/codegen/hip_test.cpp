#include <doctest/doctest.h>

#include "cuda_emulated.hpp"
#include "hip.hpp"
#include "planned.hpp"

using namespace kernels;

namespace {

// Products, attention, rows, columns, scans and transposed reads.
schedule::Plan plan_of_layers(DType dtype) {
  const TensorType x{dtype, {128, 64}}, w{dtype, {64, 128}}, bias{dtype, {128}};
  return planned(
      {x, w, bias},
      [](const Tensors& in) {
        const Tensor h = gelu(matmul(in[0], in[1]) + in[2]);
        const Tensor q = reshape(h, {4, 32, 128});
        const Tensor scores = softmax(matmul(q, transpose(q, 1, 2)) * 0.125f, 2);
        return Tensors{layer_norm(matmul(scores, q), {128}), sum(h, 0), cumsum(h, 1),
                       transpose(in[0], 0, 1) * 2.0f};
      },
      hip::target());
}

std::string program_of(const schedule::Plan& plan) {
  Vector<Source> sources;
  for (const schedule::Kernel& kernel : plan.kernels)
    sources.push_back(codegen::emit_cuda(kernel, hip::options()));
  return cuda_program(sources, hip::options());
}

}  // namespace

TEST_CASE("hip: a second kind of GPU is a target and some helpers") {
  for (const DType dtype : {DType(f32), DType(f16)}) {
    const std::string text = program_of(plan_of_layers(dtype));
    CHECK(contains(text, "__HIP_PLATFORM_AMD__"));
    CHECK(contains(text, "copy_16"));
    for (const char* const of_cuda : {"asm", "mma_", "tensor cores", "cp.async"}) {
      INFO(of_cuda);
      CHECK_FALSE(contains(text, of_cuda));
    }
  }
}

TEST_CASE("hip: its kernels compute the same") {
  for (const DType dtype : {DType(f32), DType(f16)}) {
    const schedule::Plan plan = plan_of_layers(dtype);
    Vector<schedule::Kernel> alone;
    for (const schedule::Kernel& kernel : plan.kernels) {
      // Those in row tiles, as attention is, have no definition to compare with.
      if (kernel.batch_capacity == 0 && !is_row_tiled(kernel)) alone.push_back(kernel);
    }
    REQUIRE(alone.size() >= 4);
    check_emulated(alone, dtype == f16 ? 2e-2 : 1e-4, {}, hip::options());
  }
}
