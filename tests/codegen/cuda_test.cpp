#include <doctest/doctest.h>
#include <sinter/codegen/cuda.hpp>

#include "nvrtc_check.hpp"
#include "runner.hpp"

using namespace kernels;

namespace {

struct Run {
  Case of;
  Kernel kernel;
  std::vector<std::vector<std::int64_t>> sizes;
  Source source;
};

Run run_of(const Case& one, bool symbolic, const codegen::CudaOptions& options) {
  Sizes sizes(one.sizes.back(), symbolic);
  const Kernel kernel = one.build(one.name + (symbolic ? "" : "_static"), sizes);
  return {one, kernel, symbolic ? one.sizes : std::vector<std::vector<std::int64_t>>{{}},
          codegen::emit_cuda(kernel, options)};
}

std::vector<Run> runs_of(bool symbolic, const codegen::CudaOptions& options) {
  std::vector<Run> runs;
  for (const Case& one : all_cases()) runs.push_back(run_of(one, symbolic, options));
  return runs;
}

std::string prelude_of(const std::vector<Run>& runs) {
  std::vector<Source> sources;
  for (const Run& run : runs) sources.push_back(run.source);
  return codegen::cuda_prelude(sources);
}

std::string texts_of(const std::vector<Run>& runs) {
  std::string all;
  for (const Run& run : runs) all += run.source.text;
  return all;
}

// CUDA for the host compiler: blocks of one thread, one after the other.
constexpr const char* one_thread = R"(
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define __device__
#define __global__
#define __shared__
#define __forceinline__ inline
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __syncthreads()
#define __shfl_xor_sync(mask, v, offset) (v)
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
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long)a * b >> 32; }
template <class To> static To saturated(double v, double limit, To most) {
  return v >= limit ? most : v < -limit ? -most - 1 : (To)v;
}
static int __float2int_rz(float v) { return saturated(v, 0x1p31, 0x7fffffff); }
static int __double2int_rz(double v) { return saturated(v, 0x1p31, 0x7fffffff); }
static long __float2ll_rz(float v) { return saturated(v, 0x1p63, 0x7fffffffffffffffl); }
static long __double2ll_rz(double v) { return saturated(v, 0x1p63, 0x7fffffffffffffffl); }
typedef unsigned long long Word;
static Word atomicCAS(Word* p, Word was, Word is) {
  const Word found = *p;
  if (found == was) *p = is;
  return found;
}
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
std::string without_blocks() {
  std::string result;
  for (const char* op : {"sum", "prod", "max", "min"}) {
    for (const DType dtype : {boolean, i8, i64, f32, f64}) {
      result += text("#define block_", op, "_", dtype, "(v) (v)\n");
    }
  }
  for (const DType dtype : {boolean, i8, i64, f32, f64}) {
    result += text("#define block_argmax_", dtype, "(v, at) (at)\n");
  }
  return result;
}

bool is_ptx(const Source& source) {
  return source.text.find("_f16(") != std::string::npos ||
         source.text.find("f16_of") != std::string::npos;
}

}  // namespace

TEST_CASE("emit_cuda: kernels compute what they define, in blocks of one thread on the host") {
  std::vector<Run> runs;
  for (const bool symbolic : {true, false}) {
    for (Run& run : runs_of(symbolic, {})) {
      if (!is_ptx(run.source)) runs.push_back(std::move(run));
    }
  }
  std::string all = one_thread + prelude_of(runs) + without_blocks() + texts_of(runs);
  for (const Run& run : runs) {
    all += text("extern \"C\" void call_", run.source.name, "(void** p) { run_blocks(",
                run.source.name, ", p); }\n");
  }
  const kernels::Library library(all);
  for (const Run& run : runs) {
    const auto call = reinterpret_cast<void (*)(void**)>(library.symbol("call_" + run.source.name));
    for (const std::vector<std::int64_t>& sizes : run.sizes) {
      INFO(run.source.name, " ", text(sizes));
      const auto launch = [&](void* const* buffers, const long* numbers, Context* context, long,
                              long) {
        std::vector<void*> parameters;
        for (const schedule::Argument& argument : run.kernel.arguments) {
          if (argument.access != Access::local) parameters.push_back(buffers[parameters.size()]);
        }
        for (std::size_t i = 0; i < run.kernel.symbols.size(); ++i) {
          parameters.push_back(reinterpret_cast<void*>(numbers[i]));
        }
        parameters.push_back(context);
        call(parameters.data());
      };
      CHECK(difference(run.kernel, launch, sizes, {.tolerance = run.of.tolerance}) == "");
      CHECK(difference(run.kernel, launch, sizes, {.tolerance = run.of.tolerance, .edges = true}) ==
            "");
    }
  }
}

TEST_CASE("emit_cuda: NVRTC compiles every kernel for sm_80 and sm_90, without spills") {
  if (nvrtc() == nullptr) {
    MESSAGE("skipped: ", nvrtc_missing());
    return;
  }
  for (const bool symbolic : {false, true}) {
    const std::vector<Run> runs = runs_of(symbolic, {.strict = symbolic});
    bool succeeded = false;
    const std::string log =
        nvrtc_log(prelude_of(runs) + texts_of(runs), symbolic ? "sm_90" : "sm_80", succeeded);
    INFO((succeeded ? "" : log.substr(0, 4000)));
    REQUIRE(succeeded);
    CHECK(spills(log) == "");
  }
}
