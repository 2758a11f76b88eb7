// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/prelude/streaming.hpp>

#include <vector>

#include "cuda_emulated.hpp"
#include "nvrtc_check.hpp"
#include "texts.hpp"

#include "cuda_emulator/emulator.hpp"

using namespace kernels;

namespace {

std::string with_helpers(const std::string& kernel) {
  const Source source{Language::cuda, "", kernel, {}};
  return codegen::cuda_prelude({&source, 1}) + kernel;
}

// Computes, for each of 32 rows and 16 columns, the sum of left(row, step) * right(step, column),
// where left is the dot product of rows of two matrices of width 16; then doubles odd rows.
std::string products(const std::string& lines, const std::string& number, const std::string& one) {
  return with_helpers(R"(
extern "C" __global__ void f(float* out) {
  using Lines = )" + lines +
                      R"(;
  using Scores = Lines::Scores;
  using Left = Operand<)" +
                      number + R"(, 32, 16, true>;
  using Right = Operand<)" +
                      number + R"(, 16, 16, true>;
  __shared__ Left left;
  __shared__ Right right;
  __shared__ Lines::Memory memory;
  for (int i = threadIdx.x; i < 32 * 16; i += Lines::threads) {
    left.line[i / 16][i % 16] = )" +
                      one + R"(((float)(i / 16 % 5 - i % 3));
    if (i < 256) right.line[i / 16][i % 16] = )" +
                      one + R"(((float)(i / 16 % 4 + i % 2 - 1));
  }
  __syncthreads();
  const Lines lines(&memory);
  Scores scores;
  lines.dot(scores, left, right);
  Lines::Sums<Turned<Right>> sums;
  using Sums = decltype(sums);
  lines.add(sums, scores, (const Turned<Right>&)right);
  float by[Scores::slots];
  for (int i = 0; i < Scores::slots; ++i) by[i] = 1.0f + Scores::row_of(i) % 2;
  scale_lines(lines, sums, by);
  for (int i = 0; i < Sums::slots; ++i) {
    for (int e = 0; e < Sums::elements; ++e) {
      out[Sums::row_of(i) * 16 + Sums::column_of(e)] = sums.at(i, e);
    }
  }
})");
}

int left(int row, int k) { return row % 5 - (row * 16 + k) % 3; }
int right(int step, int k) { return step % 4 + (step * 16 + k) % 2 - 1; }

int expected(int row, int column) {
  int sum = 0;
  for (int step = 0; step < 16; ++step) {
    int dot = 0;
    for (int k = 0; k < 16; ++k) dot += left(row, k) * right(step, k);
    sum += dot * right(step, column);
  }
  return sum * (1 + row % 2);
}

void check_products(const std::string& text, int threads) {
  emulator::Emulator machine;
  emulator::use_device(0);
  const emulator::Program program(text);
  const emulator::Buffer<float> out(32 * 16);
  REQUIRE(program.run("f", {.threads = static_cast<unsigned>(threads)}, out) == 0);
  const std::vector<std::string> reports = machine.reports();
  CHECK((reports.empty() ? "" : reports[0]) == "");
  const std::vector<float> is = out.values();
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 16; ++column) {
      const float found = is[static_cast<std::size_t>(row * 16 + column)];
      CHECK(found == static_cast<float>(expected(row, column)));
    }
  }
}

}  // namespace

TEST_CASE("cuda_streaming_helpers: scores of a warp are left operands without a shuffle") {
  for (const int high : {1, 2}) {
    for (const std::string type : {"bf16", "f16"}) {
      const std::string lines = text("MmaLines_", type, "<32, 16, ", high, ">");
      check_products(products(lines, "unsigned short", type + "_of_f32"), 64 / high);
    }
  }
}

TEST_CASE("cuda_streaming_helpers: TF32 scores are left operands in the same lanes") {
  for (const int high : {1, 2}) {
    check_products(products(text("MmaLines_f32<32, 16, ", high, ">"), "float", ""), 64 / high);
  }
}

TEST_CASE("cuda_streaming_helpers: threads exchange scores through shared memory") {
  check_products(products("RegisterLines<float, 32, 16>", "float", ""), 256);
}

TEST_CASE("cuda_streaming_helpers: NVRTC compiles every helper") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  const std::string words = calls_of(codegen::detail::cuda_streaming_helpers, {1}, false);
  const Source source{Language::cuda, "", words, {}};
  bool succeeded = false;
  const std::string log = nvrtc_log(codegen::cuda_prelude({&source, 1}), "sm_80", succeeded);
  CHECK_MESSAGE(succeeded, log.substr(0, 2000));
}
