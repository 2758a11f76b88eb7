#pragma once
// Runs handwritten loops on the threads that run kernels.

#include <cstddef>  // std::size_t

#include <sinter/runtime/host/thread_pool.hpp>

namespace bench {

/// Calls body(begin, end) for a part of 0..count in each of `threads` threads; parts start at
/// multiples of 16.
template <class Body>
void share(std::size_t count, int threads, Body body) {
  auto part = [&](int thread, int team) {
    const auto bound = [&](int i) {
      return i == team
                 ? count
                 : count * static_cast<std::size_t>(i) / static_cast<std::size_t>(team) / 16 * 16;
    };
    body(bound(thread), bound(thread + 1));
  };
  sinter::detail::runtime::run_on_threads(threads, part);
}

}  // namespace bench
