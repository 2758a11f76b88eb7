#pragma once
// A row of a table for each index.

#include <cstdint>  // std::int64_t

#include <sinter/trace/index.hpp>
#include <sinter/trace/module.hpp>
#include <sinter/trace/random.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

/// weight[indices].
///
/// Shapes   (...) -> (..., width)
/// DTypes   indices of an integer dtype
/// Throws   IndexError, when it is evaluated, for an index that is not in [-count, count)
struct Embedding {
  Tensor weight;  ///< (count, width); starts normal with mean 0 and deviation 1.
  SINTER_MODULE(Embedding, weight)

  Embedding() = default;
  Embedding(std::int64_t count, std::int64_t width, Where where = Where::current())
      : weight(randn({count, width}, f32, where)) {}

  Tensor forward(Operand indices) const {
    return index_select({weight, indices.where}, 0, indices);
  }
};

}  // namespace sinter::inline SINTER_ABI::nn
