#pragma once
// Matches the epilogue of a matrix product with the epilogues that a library supports.

#include <sinter/base/container/optional.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/runtime/cuda/library/algorithm.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// activation(scale * sum + added_scale * added + bias), where `added` and `bias` are loads, or -1.
struct LibraryEpilogue {
  double scale = 0, added_scale = 0;
  schedule::ValueId added = -1, bias = -1;  ///< A bias is the same for all rows.
  runtime::Activation activation{};
};

/// The epilogue that `store` stores; nothing if it has another form or rounds intermediate values.
Optional<LibraryEpilogue> library_epilogue(const schedule::Kernel& kernel,
                                           const codegen::ProductForm& form,
                                           schedule::ValueId store);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/cuda/library_epilogue.ipp>
#endif
