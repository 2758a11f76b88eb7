#pragma once

#include <string_view>  // std::string_view

#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/cuda/control.hpp>
#include <sinter/codegen/cuda/prelude/helpers.hpp>
#include <sinter/codegen/text/writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Declared in each kernel that calls it: repeated declarations are legal.
constexpr std::string_view cuda_set_condition =
    "extern \"C\" __device__ void cudaGraphSetConditional(unsigned long long condition,\n"
    "                                                   unsigned value);\n";

constexpr std::string_view cuda_any_fault =
    R"((const unsigned long long* words, long faults, long count) {
  bool result = false;
  for (long i = 0; i < count; ++i) result |= *(const long*)(words[faults] + 64 * i) != 0;
  return result;
}
)";

constexpr std::string_view cuda_decide = R"(
extern "C" __global__ void sinter_decide(unsigned long long condition,
                                         unsigned long long otherwise,
                                         const unsigned long long* words, long at, long faults,
                                         long count) {
  const bool stops = sinter_decide_finds_fault(words, faults, count);
  const bool holds = *(const unsigned char*)words[at] != 0 && !stops;
  cudaGraphSetConditional(condition, holds);
  if (otherwise != 0) cudaGraphSetConditional(otherwise, !holds);
}
)";

// A scan double-buffers each state; the first buffer is chosen so that the last iteration writes
// the result.
constexpr std::string_view cuda_enter = R"(
extern "C" __global__ void sinter_enter(unsigned long long condition, unsigned long long* words,
                                        long table, long faults, long count) {
  const unsigned long long* const head = words + table;
  const unsigned long long* const states = head + 5;
  const unsigned long long* const sequences = states + 6 * head[0];
  const bool is_scan = head[2] != ~0ull;
  const unsigned long long length = is_scan ? words[head[2]] : 1;
  for (unsigned long long i = threadIdx.x; i < head[0]; i += blockDim.x) {
    const unsigned long long* const state = states + 6 * i;
    words[state[3]] = words[state[0]];
    words[state[4]] = words[length % 2 == 1 ? state[1] : state[2]];
  }
  for (unsigned long long i = threadIdx.x; i < head[1]; i += blockDim.x) {
    const unsigned long long* const sequence = sequences + 3 * i;
    const unsigned long long last = head[4] != 0 && length != 0 ? length - 1 : 0;
    words[sequence[2]] = words[sequence[0]] + last * words[sequence[1]];
  }
  if (threadIdx.x != 0 || !is_scan) return;
  words[head[3]] = 0;
  cudaGraphSetConditional(condition, length != 0);
}
)";

constexpr std::string_view cuda_step = R"(
extern "C" __global__ void sinter_step(unsigned long long condition, unsigned long long* words,
                                       long table, long faults, long count) {
  const unsigned long long* const head = words + table;
  const unsigned long long* const states = head + 5;
  const unsigned long long* const sequences = states + 6 * head[0];
  for (unsigned long long i = threadIdx.x; i < head[0]; i += blockDim.x) {
    const unsigned long long* const state = states + 6 * i;
    const unsigned long long written = words[state[4]], result = words[state[1]];
    words[state[3]] = written;
    words[state[4]] = written == result ? words[state[2]] : result;
  }
  for (unsigned long long i = threadIdx.x; i < head[1]; i += blockDim.x) {
    const unsigned long long* const sequence = sequences + 3 * i;
    const unsigned long long bytes = words[sequence[1]];
    words[sequence[2]] += head[4] != 0 ? 0 - bytes : bytes;
  }
  if (threadIdx.x != 0 || head[2] == ~0ull) return;
  const unsigned long long steps = words[head[3]] + 1;
  words[head[3]] = steps;
  const bool stops = sinter_step_finds_fault(words, faults, count);
  cudaGraphSetConditional(condition, steps < words[head[2]] && !stops);
}
)";

constexpr std::string_view cuda_finish = R"(
extern "C" __global__ void sinter_finish(const unsigned long long* words, long table) {
  const unsigned long long* const head = words + table;
  const unsigned long long thread = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  const unsigned long long threads = gridDim.x * (unsigned long long)blockDim.x;
  for (unsigned long long i = 0; i < head[0]; ++i) {
    const unsigned long long* const state = head + 5 + 6 * i;
    const unsigned long long from = words[state[3]], to = words[state[1]];
    const unsigned long long bytes = words[state[5]];
    if (from == to) continue;
    const bool in_words = ((from | to | bytes) & 7) == 0;
    for (unsigned long long k = thread; in_words && k < bytes / 8; k += threads) {
      ((unsigned long long*)to)[k] = ((const unsigned long long*)from)[k];
    }
    for (unsigned long long k = thread; !in_words && k < bytes; k += threads) {
      ((unsigned char*)to)[k] = ((const unsigned char*)from)[k];
    }
  }
}
)";

// `finds_fault` is the name of the function that tells whether a body reported a fault.
SINTER_INLINE Source control_kernel(const char* name, std::string_view written, bool decides,
                                    const std::string& finds_fault = "") {
  std::string source = text(decides ? cuda_set_condition : "");
  if (!finds_fault.empty())
    source += text("\nstatic __device__ bool ", finds_fault, cuda_any_fault);
  source += written;
  Source result{Language::cuda, name, std::move(source), {}};
  result.key = cuda_helpers().code_hash(result);
  return result;
}

}  // namespace detail

SINTER_INLINE std::array<Source, 4> cuda_control_kernels() {
  return {detail::control_kernel("sinter_decide", detail::cuda_decide, true,
                                 "sinter_decide_finds_fault"),
          detail::control_kernel("sinter_enter", detail::cuda_enter, true),
          detail::control_kernel("sinter_step", detail::cuda_step, true, "sinter_step_finds_fault"),
          detail::control_kernel("sinter_finish", detail::cuda_finish, false)};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
