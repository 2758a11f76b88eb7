#pragma once
// The matrices that a streaming kernel holds in shared memory, and which are copied from inputs.

#include <cstddef>  // std::size_t
#include <string>   // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A matrix in shared memory: one line per row of the block, or per step of a tile of steps.
struct StreamingMatrix {
  std::string name{};
  bool of_rows = false;
  ValueId value = -1;
  Vector<Loop> inner{};       ///< Loops over the depth, or over columns.
  int width = 16;             ///< Extent of `inner`, rounded up.
  bool deep = true;           ///< Contiguous along `inner`.
  bool copied = false;        ///< A plain input, copied with cp.async, ...
  Extent stride = 0;          ///< ... whose lines are this far apart.
  std::string call{};         ///< If not copied: the call that computes one element.
};

/// Adds the matrix of `value` to `matrices`, or finds it there, and returns its position.
std::size_t add_matrix(Vector<StreamingMatrix>& matrices, const CudaStreamingForm& how,
                       bool of_rows, ValueId value, const Vector<Loop>& inner);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/matrices.ipp>
#endif
