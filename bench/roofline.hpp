#pragma once
// The roof: the least time that the machine needs, a bound for every row.

#include <algorithm>  // std::max, std::min
#include <cstddef>    // std::size_t
#include <cstring>    // std::memcpy, std::memset
#include <map>        // std::map
#include <utility>    // std::pair

#include <sinter/debug/machine/roofline.hpp>
#include <sinter/sinter.hpp>

#include "measure.hpp"
#include "parallel_loops.hpp"

namespace bench {

/// The least work of a function: bytes of operands read and results written, each once; f32
/// arithmetic, where a multiply-add counts as two.
struct Work {
  double bytes = 0, operations = 0;
};

/// Seconds of the fastest repeated copy that reads and writes `bytes` bytes; if they fit into a
/// cache, that of the cache. On one thread if waking the others takes longer.
inline double copy_seconds(double bytes, int threads) {
  constexpr double most = 256 << 20;
  static auto& known = *new std::map<std::pair<std::size_t, int>, double>;
  const double measured = std::min(most, std::max(bytes, 4096.0));
  const std::size_t half = static_cast<std::size_t>(measured) / 2 / 64 * 64;
  double& best = known[{half, threads}];
  if (best == 0) {
    best = 2.0 * static_cast<double>(half) /
           sinter::detail::debug::machine_roof(threads).bytes_per_second;
    const sinter::detail::Storage storage = sinter::detail::Storage::allocate(2 * half);
    auto* const memory = static_cast<char*>(storage.data());
    std::memset(memory, 1, 2 * half);
    for (const int team : {1, threads}) {
      auto sample = sample_of([=] {
        share(half, team, [=](std::size_t begin, std::size_t end) {
          std::memcpy(memory + half + begin, memory + begin, end - begin);
        });
      });
      best = std::min(best, fastest_of(sample, 7));
    }
  }
  return best * bytes / measured;
}

/// The least number of seconds for `work`.
inline double least_seconds(const Work& work, int threads) {
  const double peak = sinter::detail::debug::machine_roof(threads).operations_per_second;
  const double arithmetic = peak > 0 ? work.operations / peak : 0;
  return std::max(arithmetic, work.bytes > 0 ? copy_seconds(work.bytes, threads) : 0);
}

/// The bytes of tensors.
template <class... Tensors>
double bytes_of(const Tensors&... tensors) {
  const auto bytes = [](const sinter::Tensor& tensor) {
    return static_cast<double>(tensor.numel().value()) *
           static_cast<double>(sinter::detail::info(tensor.dtype()).size);
  };
  return (0.0 + ... + bytes(tensors));
}

}  // namespace bench
