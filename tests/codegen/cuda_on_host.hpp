#pragma once
// Generated CUDA, compiled by the host compiler and run in blocks of one thread.

#include <functional>
#include <string>
#include <vector>

#include <sinter/codegen/cuda.hpp>

#include "harness.hpp"

namespace kernels {

using namespace sinter;

// CUDA for the host compiler: blocks of one thread, one after the other.
inline constexpr const char* one_thread = R"(
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __noinline__
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __syncthreads()
#define __shfl_xor_sync(mask, v, offset) (v)
#define __shfl_up_sync(mask, v, offset) (v)
struct Coordinate { int x; };
static Coordinate blockIdx, threadIdx, gridDim, blockDim;
unsigned char shared[1 << 20];
template <class To, class From> static To bits(From v) {
  To r;
  memcpy(&r, &v, sizeof(r));
  return r;
}
static float __int_as_float(int v) { return bits<float>(v); }
static float __uint_as_float(unsigned v) { return bits<float>(v); }
static unsigned __float_as_uint(float v) { return bits<unsigned>(v); }
static double __longlong_as_double(long long v) { return bits<double>(v); }
static long long __double_as_longlong(double v) { return bits<long long>(v); }
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long)a * b >> 32; }
template <class To> static To saturated(double v, double limit, To most) {
  return v >= limit ? most : v < -limit ? -most - 1 : (To)v;
}
static int __float2int_rz(float v) { return saturated(v, 0x1p31, 0x7fffffff); }
static int __double2int_rz(double v) { return saturated(v, 0x1p31, 0x7fffffff); }
static long __float2ll_rz(float v) { return saturated(v, 0x1p63, 0x7fffffffffffffffl); }
static long __double2ll_rz(double v) { return saturated(v, 0x1p63, 0x7fffffffffffffffl); }
typedef unsigned long long Word;
static Word atomicExch(Word* p, Word is) {
  const Word was = *p;
  *p = is;
  return was;
}
static void __threadfence() {}
template <class T> T parameter(void* value) { return (T)value; }
template <int... at> struct Positions {};
template <int n, int... at> struct Counted : Counted<n - 1, n - 1, at...> {};
template <int... at> struct Counted<0, at...> { typedef Positions<at...> Type; };
template <class... P, int... at>
void run_block(void (*kernel)(P...), void** parameters, Positions<at...>) {
  kernel(parameter<P>(parameters[at])...);
}
template <class... P> void run_blocks(void (*kernel)(P...), void** parameters) {
  gridDim.x = 3, blockDim.x = 1;
  for (blockIdx.x = 0; blockIdx.x < 3; ++blockIdx.x) {
    run_block(kernel, parameters, typename Counted<sizeof...(P)>::Type());
  }
}
)";

// What is reduced over the one thread of a block is there already.
inline std::string without_blocks() {
  std::string result;
  for (const char* op : {"sum", "prod", "max", "min"}) {
    for (const DType dtype : {boolean, i8, i64, f32, f64}) {
      result += text("#define block_", op, "_", dtype, "(v) (v)\n");
    }
  }
  for (const DType dtype : {boolean, i8, i64, f32, f64}) {
    result += text("#define block_argmax_", dtype, "(v, at) (at)\n");
  }
  for (const DType dtype : {u8, i8, i16, i32, i64, f32, f64}) {
    result += text("#define block_cumsum_", dtype, "(v, before) (before = before + (v))\n");
    result += text("#define block_cumprod_", dtype, "(v, before) (before = before * (v))\n");
  }
  return result;
}

inline bool is_ptx(const Source& source) {
  return source.text.find("_f16(") != std::string::npos ||
         source.text.find("f16_of") != std::string::npos;
}

/// The texts of `sources`, and for each a function that takes its parameters as an array.
inline std::string cuda_on_host(const std::vector<Source>& sources) {
  std::string all = one_thread + codegen::cuda_prelude(sources) + without_blocks();
  for (const Source& source : sources) all += source.text;
  for (const Source& source : sources) {
    all += text("extern \"C\" void call_", source.name, "(void** p) { run_blocks(", source.name,
                ", p); }\n");
  }
  return all;
}

/// `source` with the parameters of generated C++.
inline std::function<void(void* const*, const long*, Context*, long, long)> call_on_host(
    const Library& library, const Source& source, const schedule::Kernel& kernel) {
  const auto call = reinterpret_cast<void (*)(void**)>(library.symbol("call_" + source.name));
  return [call, &kernel](void* const* buffers, const long* sizes, Context* context, long, long) {
    std::vector<void*> parameters;
    for (const schedule::Argument& argument : kernel.arguments) {
      const bool local = argument.access == schedule::Access::local;
      if (!local) parameters.push_back(buffers[parameters.size()]);
    }
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      parameters.push_back(reinterpret_cast<void*>(sizes[i]));
    }
    parameters.push_back(context);
    call(parameters.data());
  };
}

}  // namespace kernels
