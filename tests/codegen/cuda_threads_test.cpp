// Kernels whose blocks have many threads, with a thread of the host for each of them.

#include <doctest/doctest.h>
#include <sinter/codegen/cuda.hpp>

#include "cuda_on_host.hpp"
#include "runner.hpp"

using namespace kernels;

namespace {

// Where the text for blocks of one thread has to say something else.
const std::pair<std::string, std::string> differences[]{
    {"#define __shared__\n",
     "#define __shared__ static\n#include <barrier>\n#include <thread>\n#include <vector>\n"
     "static std::barrier<>* all_threads;\n"},
    {"#define __syncthreads()\n", "#define __syncthreads() all_threads->arrive_and_wait()\n"},
    {"#define __shfl_xor_sync(mask, v, offset) (v)\n", ""},
    {"#define __shfl_up_sync(mask, v, offset) (v)\n", ""},
    {"static Coordinate blockIdx, threadIdx, gridDim, blockDim;", R"(
static Coordinate blockIdx, gridDim, blockDim;
static thread_local Coordinate threadIdx;
template <class T> T shuffled(T v, int from) {
  static T all[64];
  all[threadIdx.x] = v;
  __syncthreads();
  const T result = all[from];
  __syncthreads();
  return result;
}
template <class T> T __shfl_up_sync(unsigned, T v, int offset) {
  const int lane = threadIdx.x % 32;
  return shuffled(v, lane >= offset ? threadIdx.x - offset : threadIdx.x);
}
template <class T> T __shfl_xor_sync(unsigned, T v, int offset) {
  return shuffled(v, threadIdx.x ^ offset);
}
)"},
    {"gridDim.x = 3, blockDim.x = 1;", "gridDim.x = 2, blockDim.x = 64;"},
    {"blockIdx.x < 3;", "blockIdx.x < 2;"},
    {"run_block(kernel, parameters, typename Counted<sizeof...(P)>::Type());", R"(
    std::barrier<> barrier(64);
    all_threads = &barrier;
    std::vector<std::thread> threads;
    for (int i = 0; i < 64; ++i) {
      threads.emplace_back([=] {
        threadIdx.x = i;
        run_block(kernel, parameters, typename Counted<sizeof...(P)>::Type());
      });
    }
    for (std::thread& thread : threads) thread.join();
)"},
};

std::string with_threads(std::string text) {
  for (const auto& [from, to] : differences) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    text.replace(at, from.size(), to);
  }
  return text;
}

}  // namespace

TEST_CASE("emit_cuda: rows that the threads of a block share are what they are in one thread") {
  struct Run {
    Kernel kernel{};
    Source source{};
  };
  std::vector<Run> runs;
  std::vector<Source> sources;
  const auto add = [&](const Kernel& kernel) {
    runs.push_back({kernel, codegen::emit_cuda(kernel, {})});
    sources.push_back(runs.back().source);
  };
  for (const DType dtype : {f32, f64, i64, u8}) {
    Sizes any({5, 67}, true), other({5, 67}, true), third({5, 67}, true), fourth({5, 67}, true);
    add(cumulate(text("cumsum_", dtype), any, Op::cumsum, dtype, VectorAxis::none));
    add(cumulate(text("cumprod_", dtype), other, Op::cumprod, dtype, VectorAxis::none));
    add(sorted_rows(text("rows_", dtype), third, dtype, dtype == f64));
    add(sorted_columns(text("columns_", dtype), fourth, dtype));
    Sizes sums({5, 67}, true), best({5, 67}, true);
    add(reduction(text("sum_", dtype), sums, Op::sum, dtype, VectorAxis::stage));
    add(reduction(text("argmax_", dtype), best, Op::argmax, dtype, VectorAxis::stage));
  }
  std::string all = with_threads(one_thread) + codegen::cuda_prelude(sources);
  for (const Source& source : sources) {
    all += text(source.text, "extern \"C\" void call_", source.name, "(void** p) { run_blocks(",
                source.name, ", p); }\n");
  }
  const kernels::Library library(all, {"-O1", "-std=c++20", "-pthread"});
  for (const Run& run : runs) {
    const Call call = call_on_host(library, run.source, run.kernel);
    for (const std::vector<std::int64_t>& sizes :
         {std::vector<std::int64_t>{0, 5}, {2, 1}, {3, 10}, {2, 64}, {3, 65}, {1, 300}}) {
      INFO(run.source.name, " ", text(sizes));
      CHECK(difference(run.kernel, call, sizes, {.tolerance = 2e-5}) == "");
    }
  }
}
