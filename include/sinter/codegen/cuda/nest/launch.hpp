#pragma once
// How a generated CUDA function is launched.

#include <sinter/config.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Any number of blocks from 1 on is right: each takes the tasks that are
/// left. `shared_bytes` may pass the 48 KiB that a function gets without asking for more.
struct CudaLaunch {
  Extent blocks = 1;
  int threads = 1;
  Extent shared_bytes = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
