#include "ptx.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "emulator.hpp"
#include "program.hpp"

using namespace emulator;

TEST_CASE("ptx: conversions") {
  const Emulator machine;
  use_device(0);
  const Program program(R"(
static __device__ __forceinline__ float f32_of_f16(unsigned short v) {
  float r;
  asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(v));
  return r;
}
static __device__ __forceinline__ unsigned short f16_of_f32(float v) {
  unsigned short r;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(v));
  return r;
}
extern "C" __global__ void half(float* in, float* out, unsigned short* halves) {
  const int i = threadIdx.x;
  halves[i] = f16_of_f32(in[i]);
  out[i] = f32_of_f16(halves[i]);
})");
  Buffer<float> in(std::vector<float>{1, 0.1f, -2, 65504}), out(4);
  Buffer<unsigned short> halves(4);
  CHECK(program.run("half", {1, 4}, in, out, halves) == 0);
  CHECK(out.values() == std::vector<float>{1, 0.099975586f, -2, 65504});
  CHECK(halves.values() == std::vector<unsigned short>{0x3c00, 0x2e66, 0xc000, 0x7bff});
}
