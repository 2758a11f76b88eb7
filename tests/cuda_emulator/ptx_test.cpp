// test: emulator
#include "ptx.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <string>
#include <vector>

#include <sinter/base/error.hpp>
#include <sinter/base/half.hpp>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

TEST_CASE("ptx: text is parsed into instructions") {
  const std::vector<PtxInstruction> all = parse_ptx(
      "{\\n .reg .pred p;\\n setp.ne.b32 p, %0, 0;\\n @!p ld.global.v2.f32 {%1, %2}, [%3 + "
      "16];\\n}");
  REQUIRE(all.size() == 2);
  CHECK(all[0].opcode == "setp.ne.b32");
  CHECK(all[0].arguments[0].values[0].name == "p");
  CHECK(all[0].arguments[2].values[0].number == 0);
  CHECK(all[1].predicate == "p");
  CHECK(all[1].unless);
  CHECK(all[1].arguments[0].values[1].operand == 2);
  CHECK(all[1].arguments[1].memory);
  CHECK(all[1].arguments[1].offset == 16);
  CHECK(parse_ptx("").empty());
}

TEST_CASE("ptx: an instruction that the emulator does not know is refused when it is compiled") {
  CHECK(unknown_instruction("cp.async.commit_group;") == "");
  CHECK(unknown_instruction("wgmma.fence.sync.aligned;") == "wgmma.fence.sync.aligned");
  const Emulator machine;
  CHECK_THROWS_WITH_AS(
      Program("__global__ void f() { asm volatile(\"wgmma.fence.sync.aligned;\"); }"),
      doctest::Contains("does not know the instruction wgmma.fence.sync.aligned"),
      sinter::InternalError);
}

TEST_CASE("ptx: conversions") {
  const Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void half(const float* in, float* out, unsigned short* halves) {
  const int i = threadIdx.x;
  unsigned short h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(in[i]));
  halves[i] = h;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out[i]) : "h"(h));
}
extern "C" __global__ void two(const float* in, unsigned* out) {
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(out[0]) : "f"(in[1]), "f"(in[0]));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(out[1]) : "f"(in[1]));
})");
  Buffer<float> in(std::vector<float>{1, 0.1f, -2, 65504}), out(4);
  Buffer<unsigned short> halves(4);
  CHECK(program.run("half", {1, 4}, in, out, halves) == 0);
  CHECK(out.values() == std::vector<float>{1, 0.099975586f, -2, 65504});
  CHECK(halves.values() == std::vector<unsigned short>{0x3c00, 0x2e66, 0xc000, 0x7bff});
  Buffer<unsigned> words(2);
  CHECK(program.run("two", {1, 1}, in, words) == 0);
  CHECK(words.values() == std::vector<unsigned>{0x3dcd3f80, 0x3dccc000});
}

TEST_CASE("ptx: loads, stores and reductions with hints") {
  const Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void copy(const float4* in, float4* out, unsigned* count) {
  float a, b, c, d;
  asm volatile("ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(a), "=f"(b), "=f"(c), "=f"(d) : "l"(in + threadIdx.x));
  asm volatile("st.global.cs.v4.f32 [%0], {%1, %2, %3, %4};"
               :: "l"(out + threadIdx.x), "f"(a), "f"(b), "f"(c), "f"(d) : "memory");
  asm volatile("red.global.add.u32 [%0], %1;" :: "l"(count), "r"(2u) : "memory");
})");
  std::vector<float> values(16);
  for (std::size_t i = 0; i < 16; ++i) values[i] = static_cast<float>(i);
  Buffer<float> in(values), out(16);
  Buffer<unsigned> count(std::vector<unsigned>{5});
  CHECK(program.run("copy", {1, 4}, in, out, count) == 0);
  CHECK(out.values() == values);
  CHECK(count.values()[0] == 13);
}

TEST_CASE("ptx: an asynchronous copy is there after the wait, and not before") {
  Emulator machine;
  use_device(0);
  const Program program(R"(
extern "C" __global__ void copy(const float4* in, float4* out, int wait, int read) {
  __shared__ float4 row[32];
  const unsigned to = (unsigned)__cvta_generic_to_shared(row + threadIdx.x);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :: "r"(to), "l"(in + threadIdx.x), "r"(read) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  if (wait == 1) asm volatile("cp.async.wait_group 0;" ::: "memory");
  else asm volatile("cp.async.wait_group 1;" ::: "memory");
  out[threadIdx.x] = row[threadIdx.x];
})");
  Buffer<float> in(std::vector<float>(128, 3.0f)), out(128);
  CHECK(program.run("copy", {1, 32}, in, out, 1, 16) == 0);
  CHECK(out.values() == std::vector<float>(128, 3.0f));
  CHECK(program.run("copy", {1, 32}, in, out, 1, 8) == 0);
  CHECK(out.values()[1] == 3.0f);
  CHECK(out.values()[2] == 0.0f);
  CHECK(machine.reports().empty());
  CHECK(program.run("copy", {1, 32}, in, out, 0, 16) == 0);
  const std::vector<std::string> reports = machine.reports();
  REQUIRE(!reports.empty());
  CHECK(contains(reports[0], "uninitialised shared memory: copy, kernels.cu:10 in copy"));
}

namespace {

// One warp multiplies row-major bf16 tiles: A is 16 by 16, B is 16 by 8. The fragment of A comes
// from ldmatrix, or, if `own`, from loads by a lane index that `wrong` shifts.
const char* const tile = R"(
extern "C" __global__ void tile(const unsigned short* a, const unsigned short* b, float* c,
                                int own, int wrong) {
  __shared__ __align__(16) unsigned short rows_a[256], rows_b[128];
  for (int i = threadIdx.x; i < 256; i += 32) rows_a[i] = a[i];
  for (int i = threadIdx.x; i < 128; i += 32) rows_b[i] = b[i];
  __syncthreads();
  const int lane = threadIdx.x;
  unsigned a0, a1, a2, a3, b0, b1;
  if (own) {
    const int group = lane / 4, place = (lane + wrong) % 4;
    const unsigned* words = (const unsigned*)rows_a;
    a0 = words[group * 8 + place];
    a1 = words[(group + 8) * 8 + place];
    a2 = words[group * 8 + place + 4];
    a3 = words[(group + 8) * 8 + place + 4];
  } else {
    const int at = lane % 16 * 16 + lane / 16 * 8;
    const unsigned from = (unsigned)__cvta_generic_to_shared(rows_a + at);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a0), "=r"(a1), "=r"(a2), "=r"(a3) : "r"(from));
  }
  const unsigned from = (unsigned)__cvta_generic_to_shared(rows_b + lane % 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(b0), "=r"(b1) : "r"(from));
  float d0 = 1, d1 = 1, d2 = 1, d3 = 1;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
  const int row = lane / 4, column = lane % 4 * 2;
  c[row * 8 + column] = d0;
  c[row * 8 + column + 1] = d1;
  c[(row + 8) * 8 + column] = d2;
  c[(row + 8) * 8 + column + 1] = d3;
}
// The product of 16 by 8 and 8 by 8 in TF32, with fragments loaded element by element.
extern "C" __global__ void tile_tf32(const float* a, const float* b, float* c) {
  const int lane = threadIdx.x, group = lane / 4, place = lane % 4;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
               : "r"(__float_as_uint(a[group * 8 + place])),
                 "r"(__float_as_uint(a[(group + 8) * 8 + place])),
                 "r"(__float_as_uint(a[group * 8 + place + 4])),
                 "r"(__float_as_uint(a[(group + 8) * 8 + place + 4])),
                 "r"(__float_as_uint(b[place * 8 + group])),
                 "r"(__float_as_uint(b[(place + 4) * 8 + group])));
  c[group * 8 + place * 2] = d0;
  c[group * 8 + place * 2 + 1] = d1;
  c[(group + 8) * 8 + place * 2] = d2;
  c[(group + 8) * 8 + place * 2 + 1] = d3;
}
)";

// Small integers, which all types and sums represent exactly.
std::vector<float> integers(std::size_t count, unsigned seed) {
  std::vector<float> result(count);
  for (float& value : result) {
    seed = seed * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<int>(seed >> 24) % 9 - 4);
  }
  return result;
}

std::vector<unsigned short> rounded(const std::vector<float>& values) {
  std::vector<unsigned short> result;
  for (const float value : values) result.push_back(sinter::bfloat16(value).bits);
  return result;
}

std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, int depth,
                           float start) {
  std::vector<float> result;
  for (int i = 0; i < 16; ++i) {
    for (int j = 0; j < 8; ++j) {
      float sum = start;
      for (int k = 0; k < depth; ++k) {
        sum += a[static_cast<std::size_t>(i * depth + k)] * b[static_cast<std::size_t>(k * 8 + j)];
      }
      result.push_back(sum);
    }
  }
  return result;
}

}  // namespace

TEST_CASE("ptx: ldmatrix and mma, in the layout that PTX defines; a wrong lane gives a wrong sum") {
  const Emulator machine;
  use_device(0);
  const Program program(tile);
  const std::vector<float> x = integers(256, 1), y = integers(128, 2);
  Buffer<unsigned short> a(rounded(x)), b(rounded(y));
  Buffer<float> c(128);
  CHECK(program.run("tile", {1, 32}, a, b, c, 0, 0) == 0);
  CHECK(c.values() == product(x, y, 16, 1));
  CHECK(program.run("tile", {1, 32}, a, b, c, 1, 0) == 0);
  CHECK(c.values() == product(x, y, 16, 1));
  CHECK(program.run("tile", {1, 32}, a, b, c, 1, 1) == 0);
  CHECK(c.values() != product(x, y, 16, 1));
}

TEST_CASE("ptx: mma of tf32") {
  const Emulator machine;
  use_device(0);
  const Program program(tile);
  const std::vector<float> x = integers(128, 3), y = integers(64, 4);
  Buffer<float> a(x), b(y), c(128);
  CHECK(program.run("tile_tf32", {1, 32}, a, b, c) == 0);
  CHECK(c.values() == product(x, y, 8, 0));
}
