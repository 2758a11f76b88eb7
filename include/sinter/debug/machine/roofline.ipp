#pragma once

#include <algorithm>  // std::max, std::min
#include <mutex>      // std::lock_guard
#include <vector>     // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/debug/machine/roofline.hpp>
#include <sinter/runtime/host/profiler.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

using Copy = void (*)(const float* from, float* to, long count);
using MultiplyAdd = void (*)(float* values, long steps);

inline constexpr const char* roof_prelude = R"(
#if defined(__AVX512F__)
#define LANES 16
#define STREAM "vmovntps"
#elif defined(__AVX__)
#define LANES 8
#define STREAM "vmovntps"
#else
#define LANES 4
#define STREAM "movntps"
#endif
typedef float Lanes __attribute__((vector_size(4 * LANES)));
)";

// `count` is a multiple of 64, and the memory is 64-byte aligned.
inline constexpr const char* copy_text = R"(
extern "C" void roof_copy(const float* from, float* to, long count) {
  for (long i = 0; i < count; i += LANES) {
    const Lanes value = *(const Lanes*)(from + i);
#if defined(__x86_64__)
    asm volatile(STREAM " %1, %0" : "=m"(*(Lanes*)(to + i)) : "v"(value));
#else
    *(Lanes*)(to + i) = value;
#endif
  }
#if defined(__x86_64__)
  asm volatile("sfence" ::: "memory");
#endif
}
)";

// Twelve independent chains hide the latency of 4 cycles of two units, and leave registers for x
// and y.
inline constexpr const char* multiply_add_text = R"(
#define STEP(a) a = a * x + y
extern "C" void roof_multiply_add(float* values, long steps) {
  const Lanes one = {};
  const Lanes x = one + values[0], y = one + values[1];
  Lanes a = y, b = y, c = y, d = y, e = y, f = y, g = y, h = y, i = y, j = y, k = y, l = y;
  for (long step = 0; step < steps; ++step) {
    STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f);
    STEP(g); STEP(h); STEP(i); STEP(j); STEP(k); STEP(l);
  }
  const Lanes sum = a + b + c + d + e + f + g + h + i + j + k + l;
  values[0] = sum[0];
  values[1] = LANES;
}
)";

SINTER_INLINE SharedPtr<const compiler::Module> roof_module() {
  compiler::TranslationUnit unit;
  unit.prelude = roof_prelude;
  for (const auto& [name, code] :
       {std::pair("roof_copy", copy_text), std::pair("roof_multiply_add", multiply_add_text)}) {
    Source source{.language = Language::cpp, .name = name, .text = code, .key = {}};
    source.key = hash_of(text(roof_prelude, code));
    unit.kernels.push_back(std::move(source));
  }
  return compiler::load_or_compile(unit);
}

// The combined rate of some threads.
struct Rate {
  int threads = 0;  // fewer than requested while other calls use the thread pool
  double per_second = 0;
};

// The best of `runs` runs, in which each thread does `share` units of work by body(thread).
template <class Body>
Rate fastest(int threads, int runs, double share, Body body) {
  Rate best;
  for (int i = 0; i < runs; ++i) {
    int count = 1;
    auto part = [&](int thread, int all) {
      if (thread == 0) count = all;
      body(thread);
    };
    const std::int64_t start = runtime::monotonic_nanoseconds();
    runtime::run_on_threads(threads, part);
    const double seconds = 1e-9 * static_cast<double>(runtime::monotonic_nanoseconds() - start);
    const Rate one{count, share * count / std::max(seconds, 1e-9)};
    const bool faster = one.per_second > best.per_second;
    if (one.threads > best.threads || (one.threads == best.threads && faster)) best = one;
  }
  return best;
}

SINTER_INLINE Rate copied_per_second(Copy copy, int threads) {
  constexpr long count = 16 << 20, alignment = 16;
  std::vector<float> memory(2 * count + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  float* const from = memory.data() + (64 - address % 64) % 64 / sizeof(float);
  const long part = count / threads / 64 * 64;
  const double bytes = 2.0 * sizeof(float) * static_cast<double>(part);
  return fastest(threads, 8, bytes, [&](int thread) {
    copy(from + thread * part, from + count + thread * part, part);
  });
}

SINTER_INLINE Rate multiply_adds_per_second(MultiplyAdd multiply_add, int threads) {
  constexpr long steps = 1 << 18, chains = 12;
  std::vector<float> values(static_cast<std::size_t>(threads) * 16, 0.5f);
  Rate result = fastest(threads, 10, 2.0 * chains * steps, [&](int thread) {
    float* const own = &values[static_cast<std::size_t>(thread) * 16];
    own[0] = own[1] = 0.5f;
    multiply_add(own, steps);
  });
  result.per_second *= static_cast<double>(values[1]);  // lanes
  return result;
}

SINTER_INLINE Roofline measure_roof(int threads) {
  const auto module = roof_module();
  if (module == nullptr) return {.threads = threads};
  const auto copy = reinterpret_cast<Copy>(module->function(0));
  const auto multiply_add = reinterpret_cast<MultiplyAdd>(module->function(1));
  const Rate bytes = copied_per_second(copy, threads);
  const Rate operations = multiply_adds_per_second(multiply_add, threads);
  return {std::min(bytes.threads, operations.threads), bytes.per_second, operations.per_second};
}

}  // namespace detail

SINTER_INLINE Roofline machine_roof(int threads) {
  static ProcessMutex& mutex = *new ProcessMutex;
  static SortedMap<int, Roofline>& known = *new SortedMap<int, Roofline>;
  const std::lock_guard lock(mutex);
  const auto found = known.find(threads);
  if (found != known.end()) return found->second;
  const Roofline roof = detail::measure_roof(threads);
  if (roof.threads == threads) known[threads] = roof;
  return roof;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
