#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/nest.hpp>
#include <sinter/codegen/cuda/product/product.hpp>
#include <sinter/codegen/cuda/tune/candidates.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// True if half of `tile` would hold all rows, or all columns.
SINTER_INLINE bool is_oversized(const CudaTile& tile, const ProductForm& form) {
  const std::int64_t rows = bounds(count_of(form.rows)).max;
  const std::int64_t columns = bounds(count_of(form.columns)).max;
  return (tile.rows > 16 && rows <= tile.rows / 2) ||
         (tile.columns > 64 && columns <= tile.columns / 2);
}

// All tiles; for few rows also half and twice the columns per block.
SINTER_INLINE Vector<Tuning> tunings_of_cuda_product(const Kernel& kernel, const ProductForm& form,
                                                     CudaOptions options) {
  options.tuning = {};
  const CudaProduct usual(kernel, form, options);
  Vector<Tuning> result;
  if (usual.has_few_rows()) {
    const int columns = usual.tile().columns;
    for (const int other : {columns / 2, columns * 2}) result.push_back({.tile_columns = other});
  }
  options.tuning.tile_rows = 1;  // not 0: selects the tiled method
  for (const CudaTile& tile : cuda_tiles(CudaProduct(kernel, form, options).method())) {
    if (is_oversized(tile, form)) continue;
    result.push_back({.tile_rows = tile.rows, .tile_columns = tile.columns});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Candidate> cuda_candidates(const Kernel& kernel, const CudaOptions& options) {
  if (kernel.batch_capacity != 0) return {};  // batched launches are not timed
  Vector<Tuning> tunings;
  if (const auto form = cuda_product_form(kernel, options)) {
    tunings = detail::tunings_of_cuda_product(kernel, *form, options);
  } else if (kernel.vector_axis == VectorAxis::stage) {
    for (int threads = 1; threads <= options.target.multiprocessors.block_threads; threads *= 2)
      tunings.push_back({.row_threads = threads});
  }
  const auto write = [&](const CudaOptions& tuned) {
    return detail::cuda_function(kernel, kernel.name, tuned);
  };
  CudaOptions timed = options;
  timed.in_body = false;
  return distinct_candidates(timed, tunings, write(options), write,
                             [&](const CudaOptions& tuned) { return emit_cuda(kernel, tuned); });
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
