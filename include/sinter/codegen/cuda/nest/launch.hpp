#pragma once
// How a generated CUDA function is launched.

#include <sinter/config.hpp>
#include <sinter/symbol/extent/extent.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Any number of blocks >= 1 gives the right result: blocks loop over the tasks. `shared_bytes` may
/// exceed the default limit of 48 KiB per block, so the launcher has to raise that limit.
struct CudaLaunch {
  Extent blocks = 1;
  int threads = 1;
  Extent shared_bytes = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
