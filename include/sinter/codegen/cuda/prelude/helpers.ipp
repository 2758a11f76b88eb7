#pragma once

#include <sinter/codegen/cuda/prelude/arithmetic.hpp>
#include <sinter/codegen/cuda/prelude/helpers.hpp>
#include <sinter/codegen/cuda/prelude/memory.hpp>
#include <sinter/codegen/cuda/prelude/mma.hpp>
#include <sinter/codegen/cuda/prelude/operands.hpp>
#include <sinter/codegen/cuda/prelude/reduction.hpp>
#include <sinter/codegen/cuda/prelude/scan.hpp>
#include <sinter/codegen/cuda/prelude/sort.hpp>
#include <sinter/codegen/cuda/prelude/streaming.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

SINTER_INLINE HelperSet& cuda_helpers() {
  static auto& helpers = *new HelperSet(
      HelperTables{.language = Language::cuda,
                   .opening = detail::cuda_opening,
                   .tables = {detail::cuda_memory_helpers, detail::cuda_arithmetic_helpers,
                              detail::cuda_reduction_helpers, detail::cuda_scan_helpers,
                              detail::cuda_sort_helpers, detail::cuda_operand_helpers,
                              detail::cuda_mma_helpers, detail::cuda_streaming_helpers}});
  return helpers;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
