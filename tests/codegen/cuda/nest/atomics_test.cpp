// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/nest/atomics.hpp>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

// scatter_add as it is lowered: adds `count` rows of `width` elements to `rows` rows. Each grid
// point owns a column, and adds in row order.
Kernel addition(std::int64_t rows, std::int64_t count, std::int64_t width, DType dtype,
                VectorAxis axis, bool symbolic = false) {
  Sizes sizes({rows, count, width}, symbolic);
  KernelBuilder b(text("addition_", dtype, "_", count, "_", width), axis);
  const Extent to = sizes(b), from = sizes(b), columns = sizes(b);
  const auto y = b.argument(dtype, Access::read_write, to * columns);
  const auto at = b.argument(i64, Access::read, from);
  const auto x = b.argument(dtype, Access::read, from * columns);
  const Extent j = width == 1 ? Extent(0) : b.grid(columns);
  b.stage();
  const Extent i = b.loop(from);
  const Extent row = b.bind(b.load(at, i), to, i);
  b.store(y, row * columns + j, b.load(x, i * columns + j), true);
  return b.kernel;
}

Kernel of_numbers(DType dtype) { return addition(7, 500, 1, dtype, VectorAxis::stage); }
Kernel of_rows(DType dtype) { return addition(7, 90, 48, dtype, VectorAxis::grid); }

Kernel transposed_addition() { return addition(7, 90, 48, f32, VectorAxis::stage); }

std::string strict_text(const Kernel& kernel) {
  return codegen::emit_cuda(kernel, {.strict = true}).text;
}

Vector<Kernel> all_kernels() {
  Vector<Kernel> result;
  for (const DType dtype : {i8, u8, i16, i32, i64, f16, bf16, f32, f64}) {
    result.push_back(of_numbers(dtype));
    result.push_back(of_rows(dtype));
  }
  result.push_back(transposed_addition());
  result.push_back(addition(5, 33, 17, f32, VectorAxis::grid, true));
  return result;
}

}  // namespace

TEST_CASE("cuda_atomics: every iteration is a grid point, and adds atomically") {
  const std::string numbers = cuda_text(of_numbers(f32)), rows = cuda_text(of_rows(bf16));
  CHECK(contains(numbers, "const int tasks = 250;"));
  CHECK(count(numbers, "atomic_add_f32(&") == 2);
  CHECK(contains(rows, "const int tasks = 2160;"));
  CHECK(contains(rows, "atomic_add_bf16(&p"));
  CHECK_FALSE(contains(numbers, "for (int k0"));
  CHECK(same(codegen::cuda_launch(of_rows(f32)).blocks, 17));
}

TEST_CASE("cuda_atomics: neighbouring threads add to neighbouring elements") {
  CHECK(contains(cuda_text(of_rows(f32)), "int i1 = (task % 24) * 2;"));
  CHECK(contains(cuda_text(transposed_addition()), "__shared__ float tile"));
}

TEST_CASE("cuda_atomics: strict sums keep their order, with one thread per element") {
  const std::string numbers = strict_text(of_numbers(f32)), rows = strict_text(of_rows(f16));
  CHECK(contains(numbers, "if (blockIdx.x != 0 || threadIdx.x != 0) return;"));
  CHECK(contains(numbers, "for (int k0 = 0; k0 < 500; ++k0)"));
  CHECK(contains(rows, "const int tasks = 48;"));
  CHECK(contains(rows, "for (int k0 = 0; k0 < 90; ++k0)"));
  CHECK_FALSE(contains(numbers + rows, "atomic"));
  CHECK(codegen::cuda_launch(of_numbers(f32), {.strict = true}).threads == 1);
  CHECK(contains(strict_text(of_numbers(i32)), "atomic_add_i32(&"));
}

TEST_CASE("cuda_atomics: bytes are added in order, as GPUs have no atomics for them") {
  CHECK_FALSE(contains(cuda_text(of_numbers(i8)), "atomic"));
  CHECK(codegen::cuda_launch(of_numbers(u8)).threads == 1);
}

TEST_CASE("cuda_atomics: every size and type computes the reference result") {
  const Vector<std::vector<std::int64_t>> sizes{{1, 1, 1}, {3, 40, 5}, {9, 0, 4}, {2, 7, 64}};
  check_emulated(all_kernels(), 1e-1, sizes);
  check_emulated(all_kernels(), 1e-1, sizes, {.strict = true});
}

TEST_CASE("cuda_atomics: NVRTC compiles atomic additions for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  Vector<Source> sources;
  for (const Kernel& kernel : all_kernels()) sources.push_back(codegen::emit_cuda(kernel, {}));
  check_no_spills(cuda_program(sources));
}
