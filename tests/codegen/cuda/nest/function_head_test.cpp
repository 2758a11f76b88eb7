// test: deep
#include <doctest/doctest.h>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/device/cuda/nvrtc_table.hpp>
#include <sinter/schedule/launch/batched.hpp>

#include "nvrtc_check.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

Kernel sum_of(int parts, bool sized = false) {
  Sizes sizes({1024}, sized);
  Kernel kernel = binary("a", sizes, Op::add, f32);
  kernel.batch_capacity = parts;
  return kernel;
}

std::string written(const Kernel& kernel, bool in_body = false) {
  codegen::Writer out;
  codegen::CudaFunction{kernel, in_body}.write(out, "f_12", "128, 1", [&] { out.line("body();"); });
  return out.str();
}

}  // namespace

TEST_CASE("function_head: a kernel takes its arguments, its sizes and the fault record") {
  Sizes sizes({1024}, true);
  CHECK(
      written(binary("a", sizes, Op::add, f32)) ==
      "extern \"C\" __global__ void __launch_bounds__(128, 1) f_12(const float* in0, const float* "
      "in1,\n    float* out2, long n0, Context* context) {\n"
      "  body();\n"
      "}\n");
}

TEST_CASE("function_head: in a body the arguments are words in memory") {
  Sizes sizes({1024}, true);
  CHECK(written(binary("a", sizes, Op::add, f32), true) ==
        "extern \"C\" __global__ void __launch_bounds__(128, 1) f_12(const unsigned long long* "
        "words,\n    long word0, long word1, long word2, long word3, long word4) {\n"
        "  const float* in0 = (const float*)words[word0];\n"
        "  const float* in1 = (const float*)words[word1];\n"
        "  float* out2 = (float*)words[word2];\n"
        "  long n0 = (long)words[word3];\n"
        "  Context* context = (Context*)words[word4];\n"
        "  body();\n"
        "}\n");
}

TEST_CASE("function_head: a block finds its entry in the table, and reads its arguments there") {
  CHECK(written(sum_of(8)) ==
        "// Up to 8 batched launches. Each entry: first block, then arguments.\n"
        "// The last word is the total number of blocks.\n"
        "struct parts_12 {\n  long words[33];\n};\n"
        "extern \"C\" __global__ void __launch_bounds__(128, 1) f_12(const __grid_constant__ "
        "parts_12 table) {\n"
        "  int part = 0;  // first word of the entry\n"
        "  for (int step = 16; step >= 4; step /= 2) {\n"
        "    if (table.words[part + step] <= blockIdx.x) part += step;\n"
        "  }\n"
        "  const unsigned block = blockIdx.x - table.words[part];\n"
        "  const unsigned blocks = table.words[part + 4] - table.words[part];\n"
        "  const float* in0 = (const float*)table.words[part + 1];\n"
        "  const float* in1 = (const float*)table.words[part + 2];\n"
        "  float* out2 = (float*)table.words[part + 3];\n"
        "  body();\n"
        "}\n");
}

TEST_CASE("function_head: indices that may not fit in 31 bits are long") {
  const Kernel kernel = sum_of(0);
  CHECK(codegen::index_type(kernel, {1024}) == "int");
  CHECK(codegen::index_type(kernel, {std::int64_t{1} << 31}) == "long");
  Sizes sizes({1024}, true);
  CHECK(codegen::index_type(binary("a", sizes, Op::add, f32), {}) == "long");
}

TEST_CASE("function_head: a capacity that is no power of two is not read past its end") {
  CHECK(contains(codegen::emit_cuda(sum_of(5), {}).text,
                 "if (part + step < 20 && table.words[part + step] <= blockIdx.x) part += step;"));
}

TEST_CASE("function_head: the batched text has its own name and key, and the same wide loads") {
  const Source plain = codegen::emit_cuda(sum_of(0), {}), parts = codegen::emit_cuda(sum_of(8), {});
  CHECK(plain.name != parts.name);
  CHECK(plain.key != parts.key);
  CHECK(contains(parts.text, "const f32x4 w0 = load_f32x4(in0 + i0);"));
  CHECK(contains(codegen::emit_cuda(sum_of(8), {.in_body = true}).text, "words[word0];"));
}

TEST_CASE("function_head: NVRTC compiles batched kernels without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: " << nvrtc_missing());
    return;
  }
  const Vector<Source> all{codegen::emit_cuda(sum_of(100), {}),
                           codegen::emit_cuda(sum_of(100, true), {})};
  check_no_spills(cuda_program(all));
}

// Copying the table to local memory would need a stack frame.
TEST_CASE("function_head: the longest table is read in place") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: " << nvrtc_missing());
    return;
  }
  const Kernel kernel = sum_of(1023);
  CHECK(8 * schedule::table_words(kernel) <= 32764);
  CHECK(8 * schedule::table_words(kernel) > 32000);
  const Vector<Source> all{codegen::emit_cuda(kernel, {})};
  for (const char* const architecture : {"sm_80", "sm_90"}) {
    bool succeeded = false;
    const std::string log = nvrtc_log(cuda_program(all), architecture, succeeded);
    INFO(log);
    CHECK(succeeded);
    CHECK(contains(log, " 0 bytes stack frame, 0 bytes spill stores"));
  }
}
