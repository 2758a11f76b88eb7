#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/schedule/named_target.hpp>

#include "cuda_product_kernels.hpp"
#include "texts.hpp"

using namespace kernels;
using codegen::CudaOptions;
using schedule::Target;

TEST_CASE("cuda options: the threads of a block are those that the target allows") {
  const auto threads = [](int most) {
    Sizes sizes({4, 100000}, false);
    CudaOptions options;
    options.target.cuda.threads_of_row = options.target.cuda.many_threads = most;
    return codegen::cuda_launch(softmax("r", sizes, f32), options).threads;
  };
  CHECK(threads(128) == 128);
  CHECK(threads(256) == 256);
}

TEST_CASE("cuda options: kernels for other GPUs are written on any machine") {
  const Kernel kernel =
      product_of("p", {1, 1536, 1408, 1024}, KnownSizes::exactly, {.dtype = f32, .sum = f32});
  const auto text_for = [&](const char* name) {
    return codegen::emit_cuda(kernel, {.target = Target::named(name)}).text;
  };
  // 132 tiles of 128 x 128 are one wave on 132 multiprocessors, and two on 108.
  CHECK(contains(text_for("sm_90"), "128 x 128"));
  CHECK(contains(text_for("sm_80"), "64 x 128"));
}
