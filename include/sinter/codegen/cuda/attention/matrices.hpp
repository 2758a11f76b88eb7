#pragma once
// The matrices of a streamed kernel in shared memory, and which of them are copied from inputs.

#include <cstddef>  // std::size_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A matrix in shared memory: of the rows of a block, or of a tile of steps.
struct StreamMatrix {
  std::string name{};
  bool of_rows = false;
  ValueId value = -1;
  std::vector<Loop> inner{};  ///< The depth, or columns.
  int width = 16;             ///< Of these, rounded up.
  bool deep = true;           ///< Whether it lies along them.
  bool copied = false;        ///< Whether it is an input, read as it is, ...
  Extent stride = 0;          ///< ... from lines that are so far apart.
  std::string call{};         ///< How else one of its numbers is computed.
};

/// The position among `matrices` of one that is made of `value`; it may be there already.
std::size_t add_matrix(std::vector<StreamMatrix>& matrices, const CudaStreamForm& how, bool of_rows,
                       ValueId value, const std::vector<Loop>& inner);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/matrices.ipp>
#endif
