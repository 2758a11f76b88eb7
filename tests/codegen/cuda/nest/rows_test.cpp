// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/rows.hpp>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "runner.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

Kernel softmax_of(std::int64_t rows, std::int64_t length, DType dtype = f32) {
  Sizes sizes({rows, length}, false);
  return softmax(text("softmax_", rows, "_", length), sizes, dtype);
}

}  // namespace

TEST_CASE("cuda_rows: a row is read once, and stays in registers between its stages") {
  const Kernel kernel = softmax_of(64, 1024);
  const std::string text = cuda_text(kernel);
  CHECK(count(text, "load_row_f32x4<512>(") == 1);
  CHECK(count(text, "store_row_f32x4<512>(") == 1);
  CHECK_FALSE(contains(text, "p0["));
  CHECK(contains(text, "f32x4 row2[2];"));
  CHECK(count(text, "block_max_f32(") + count(text, "block_sum_f32(") == 2);
  CHECK(count(text, "__syncthreads();") == 1);  // reductions contain one each
  CHECK(codegen::cuda_launch(kernel).threads == 128);
  CHECK(same(codegen::cuda_launch(kernel).shared_bytes, 0));
}

TEST_CASE("cuda_rows: rows of a warp or part of a warp need no block barrier") {
  for (const std::int64_t length : {2, 3, 10, 31, 33, 77, 128, 256}) {
    INFO("length ", length);
    const Kernel kernel = softmax_of(1000, length);
    const std::string text = cuda_text(kernel);
    CHECK_FALSE(contains(text, "__syncthreads"));
    CHECK_FALSE(contains(text, "__shared__"));
    CHECK(codegen::cuda_launch(kernel).threads == 128);
  }
  CHECK(contains(cuda_text(softmax_of(64, 10)), "= row_max_f32<2>(a1);"));
  CHECK(contains(cuda_text(softmax_of(64, 256)), "= row_sum_f32<32>(a"));
  CHECK(same(codegen::cuda_launch(softmax_of(64, 256)).blocks, 16));
}

TEST_CASE("cuda_rows: packs have 16 bytes if all rows are aligned to them") {
  CHECK(contains(cuda_text(softmax_of(64, 1024, bf16)), "load_row_u16x8<"));
  CHECK(contains(cuda_text(softmax_of(64, 1024, f64)), "load_row_f64x2<"));
  CHECK(contains(cuda_text(softmax_of(64, 1026)), "load_row_f32x2<"));
  CHECK(contains(cuda_text(softmax_of(64, 1025)), "load_row_f32<"));
}

TEST_CASE("cuda_rows: rows of unknown length or too long for registers are read in each stage") {
  Sizes any({64, 1024}, true);
  const Kernel unknown = softmax("softmax", any, f32), large = softmax_of(8, 100000);
  for (const Kernel& kernel : {unknown, large}) {
    const std::string text = cuda_text(kernel);
    CHECK(contains(text, "extern __shared__ __align__(16) unsigned char shared[];"));
    CHECK(count(text, "load_row_f32x4<") == 3);  // the input twice, the local row once
    CHECK(count(text, "store_row_f32x4<") == 2);
    CHECK(contains(text, "; first += "));
  }
}

TEST_CASE("cuda_rows: the result of a row is stored by one of its threads") {
  Sizes block({64, 1000}, false), warp({64, 100}, false), thread({64, 3}, false);
  const auto of = [](Sizes& sizes) {
    return cuda_text(reduction("r", sizes, Op::sum, f32, VectorAxis::stage));
  };
  CHECK(in_order(of(block), "if (threadIdx.x == 0) {", "out1[i0] = v1;"));
  CHECK(in_order(of(warp), "if (threadIdx.x % 16 == 0) {", "out1[i0] = v1;"));
  CHECK_FALSE(contains(of(thread), "if (threadIdx.x"));
}

TEST_CASE("cuda_rows: strict sums are computed in element order") {
  Sizes sizes({64, 1000}, false);
  const Kernel kernel = reduction("r", sizes, Op::sum, f64, VectorAxis::stage);
  const std::string text = codegen::emit_cuda(kernel, {.strict = true}).text;
  CHECK(contains(text, "a1 = ordered_sum_f64(a1, v0, 1000 - k0 + threadIdx.x % 32);"));
  CHECK(contains(text, "= __shfl_sync(~0u, a1, 0);"));
  CHECK_FALSE(contains(text, "block_sum"));
}

TEST_CASE("cuda_rows: every length and type computes the reference result") {
  for (const DType dtype : {f32, f64, bf16, f16}) {
    Vector<Kernel> all;
    for (const std::int64_t length : {1, 2, 3, 31, 33, 77, 256, 1000, 1025, 5000}) {
      all.push_back(softmax_of(length < 100 ? 45 : 3, length, dtype));
    }
    check_emulated(all, dtype == f64 ? 1e-12 : dtype == f32 ? 4e-6 : 3e-2);
  }
  Vector<Kernel> all;
  for (const std::int64_t length : {31, 77, 1000, 5000}) {
    for (const DType dtype : {boolean, i8, i32, i64}) {
      Sizes sizes({45, length}, false);
      const std::string name = text("argmax_", length, "_", dtype);
      all.push_back(reduction(name, sizes, Op::argmax, dtype, VectorAxis::stage));
    }
  }
  for (const std::int64_t length : {3, 31, 1000, 5000}) {
    Sizes sizes({45, length}, false);
    all.push_back(max_and_position(text("both_", length), sizes, VectorAxis::stage));
  }
  check_emulated(all, 0);
}

TEST_CASE("cuda_rows: one kernel is right for every length") {
  Sizes any({3, 1000}, true);
  const Kernel kernel = softmax("softmax", any, f32);
  const Vector<std::vector<std::int64_t>> sizes{{3, 1},    {3, 2},    {3, 31},  {3, 77},
                                                {3, 1000}, {3, 1025}, {2, 5000}};
  check_emulated({kernel}, 4e-6, sizes);
}

TEST_CASE("cuda_rows: strict sums equal those of one thread, bit for bit") {
  Vector<Kernel> all;
  for (const std::int64_t length : {3, 33, 1000, 5000}) {
    Sizes sizes({5, length}, false);
    all.push_back(reduction(text("r", length), sizes, Op::sum, f64, VectorAxis::stage));
  }
  check_emulated(all, 0, {}, {.strict = true});
}

TEST_CASE("cuda_rows: NVRTC keeps rows of any length in registers, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Vector<Source> sources;
  for (const DType dtype : {f32, bf16, f64}) {
    for (const std::int64_t length : {10, 77, 512, 1024, 8192, 16384, 100000}) {
      sources.push_back(codegen::emit_cuda(softmax_of(64, length, dtype), {}));
    }
  }
  check_no_spills(cuda_program(sources));
}
