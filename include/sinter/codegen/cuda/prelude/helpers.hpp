#pragma once
// The set of all helpers that generated CUDA may call.

#include <sinter/codegen/cuda/prelude/arithmetic.hpp>
#include <sinter/codegen/cuda/prelude/memory.hpp>
#include <sinter/codegen/cuda/prelude/mma.hpp>
#include <sinter/codegen/cuda/prelude/operands.hpp>
#include <sinter/codegen/cuda/prelude/reduction.hpp>
#include <sinter/codegen/cuda/prelude/scan.hpp>
#include <sinter/codegen/cuda/prelude/sort.hpp>
#include <sinter/codegen/cuda/prelude/streaming.hpp>
#include <sinter/codegen/text/prelude.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

inline std::string cuda_vector(std::string_view name, const VectorType& type, int bytes) {
  return text("struct __align__(", bytes, ") ", name, " {\n  ", type.type->c_name, " lane[",
              type.lanes, "];\n};");
}

}  // namespace detail

/// Their tables, for a language that has other helpers in front of them.
inline HelperTables cuda_helper_tables() {
  return {.opening = detail::cuda_opening,
          .vector = detail::cuda_vector,
          .tables = {detail::cuda_memory_helpers, detail::cuda_arithmetic_helpers,
                     detail::cuda_reduction_helpers, detail::cuda_scan_helpers,
                     detail::cuda_sort_helpers, detail::cuda_operand_helpers,
                     detail::cuda_mma_helpers, detail::cuda_streaming_helpers}};
}

inline HelperSet& cuda_helpers() {
  static auto& helpers = *new HelperSet(cuda_helper_tables());
  return helpers;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
