#pragma once
// What this machine can do at most: the roof that kernels are measured against.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// No kernel moves more bytes through main memory, or does more f32 arithmetic.
struct Roof {
  int threads = 1;                   ///< That shared the work.
  double bytes_per_second = 0;       ///< Of a copy of 64 MiB: bytes read and bytes written.
  double operations_per_second = 0;  ///< A multiply-add is two.
};

/// The roof of so many threads, measured when it is first asked for, in 0.3 s; of fewer, and again
/// the next time, while others have the threads. All is 0 where there is no host compiler.
Roof machine_roof(int threads);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/roof.ipp>
#endif
