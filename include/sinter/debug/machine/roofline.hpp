#pragma once
// The roofline of this machine: measured memory bandwidth and f32 throughput.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// Peak memory bandwidth and f32 arithmetic of a number of threads.
struct Roofline {
  int threads = 1;                   ///< That took part.
  double bytes_per_second = 0;       ///< Of a copy of 64 MiB: bytes read plus bytes written.
  double operations_per_second = 0;  ///< A multiply-add counts two.
};

/// The roof of `threads` threads, measured at the first call, in 0.3 s. While other calls use the
/// thread pool, it is measured with fewer threads, and again at the next call. 0 without a host
/// compiler.
Roofline machine_roof(int threads);

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/machine/roofline.ipp>
#endif
