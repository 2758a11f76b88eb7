#pragma once

#include <sinter/jit/process.hpp>
#include <sinter/runtime/team.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void set_num_threads(int threads) { runtime::set_num_threads(threads); }

}  // namespace sinter::inline SINTER_ABI
