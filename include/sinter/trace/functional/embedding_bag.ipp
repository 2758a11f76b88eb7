#pragma once

#include <limits>  // std::numeric_limits
#include <string>  // std::string

#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/size_value.hpp>
#include <sinter/trace/functional/embedding_bag.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/index/gather.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/ops/reduce/reduce.hpp>
#include <sinter/trace/ops/sort/search.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The rows of all bags, and which of them count.
struct BagRows {
  Tensor rows;   ///< (..., width)
  Tensor keeps;  ///< (...), boolean.
};

[[noreturn]] SINTER_INLINE void throw_bag(const Operand& indices, const Operand& weight,
                                          const EmbeddingBagOptions& options, std::string what,
                                          std::string rule) {
  Report report{.op = "embedding_bag",
                .what = std::move(what),
                .facts = {{"indices", to_string(indices)}, {"weight", to_string(weight)}},
                .rule = std::move(rule),
                .fix = "pass indices (bags, length), or (count) and {.offsets = (bags)}",
                .where = indices.where,
                .see = "indexing"};
  if (options.offsets.defined()) report.facts.push_back({"offsets", to_string(options.offsets)});
  throw ShapeError(report);
}

SINTER_INLINE void require_bags(const Operand& indices, const Operand& weight,
                                const EmbeddingBagOptions& options) {
  const Where at = indices.where;
  const int rank = indices.shape().size();
  const bool has_offsets = options.offsets.defined();
  if (weight.shape().size() != 2) {
    throw_bag(indices, weight, options, "the table has the wrong rank", "weight is (count, width)");
  }
  if (rank != (has_offsets ? 1 : 2) || (has_offsets && options.offsets.ndim(at) != 1)) {
    throw_bag(indices, weight, options, "there are no bags of these shapes",
              "indices are of rank 2, or of rank 1 with offsets of rank 1");
  }
  const Tensor& factors = options.per_sample_weights;
  if (!factors.defined()) return;
  if (options.mode != BagMode::sum) {
    throw ValueError({.op = "embedding_bag",
                      .what = "per_sample_weights are for sums",
                      .facts = {{"per_sample_weights", to_string(factors)}},
                      .rule = "mode == BagMode::sum",
                      .fix = "divide the weights by their sum for a weighted mean",
                      .where = at});
  }
  bool fits = factors.ndim(at) == rank;
  for (int axis = 0; fits && axis < rank; ++axis) {
    fits = equal_sizes(factors.shape()[axis], indices.shape()[axis], at);
  }
  if (!fits) {
    throw_bag(indices, weight, options, "there is not one weight for each index",
              text("per_sample_weights, ", to_string(factors), ", has the shape of the indices"));
  }
}

SINTER_INLINE BagRows bag_rows(const Operand& indices, const Operand& weight,
                               const EmbeddingBagOptions& options) {
  const Where at = indices.where;
  Tensor rows = index_select(weight, 0, indices);
  const Tensor found = as_indices(indices, "embedding_bag");
  Tensor keeps = ones(found.shape(), boolean, at);
  if (options.padding_idx) {
    const Extent count = weight.shape()[0];
    const bool is_behind = *options.padding_idx < 0;
    const Tensor padding =
        add({size_value(is_behind ? count : Extent(0), i64, at), at}, {*options.padding_idx, at});
    keeps = ne({found, at}, {padding, at});
  }
  if (options.per_sample_weights.defined()) {
    const Tensor factors = cast({options.per_sample_weights, at}, rows.dtype());
    rows = mul({rows, at}, {unsqueeze({factors, at}, -1), at});
  }
  return {rows, keeps};
}

// The bag of each of `count` indices.
SINTER_INLINE Tensor bag_numbers(const Tensor& starts, const Extent& count, Where at) {
  const Tensor places = arange(count, at);
  const Tensor bag = sub({searchsorted({starts, at}, {places, at}, true), at}, {1, at});
  // Indices in front of the first bag are an error; as an index, -1 would be the last bag.
  const Tensor behind = size_value(starts.shape()[0], i64, at);
  return where({lt({bag, at}, {0, at}), at}, {behind, at}, {bag, at});
}

// Reduces axis 1 of (bags, length, width), or the rows of each bag of (count, width).
SINTER_INLINE Tensor sum_bags(const Tensor& rows, const Tensor* starts, Where at) {
  if (starts == nullptr) return sum({rows, at}, 1);
  Shape shape = rows.shape();
  shape[0] = starts->shape()[0];
  const Tensor bags = bag_numbers(*starts, rows.shape()[0], at);
  return index_add({zeros(shape, rows.dtype(), at), at}, 0, {bags, at}, {rows, at});
}

// The rows as (bags, length, width) with -infinity in rows that do not count.
SINTER_INLINE Tensor max_bags(const BagRows& of, const Tensor* starts, Where at) {
  Tensor rows = of.rows, keeps = of.keeps;
  if (starts != nullptr) {
    const Tensor bags = bag_numbers(*starts, rows.shape()[0], at);
    const Tensor all_bags = unsqueeze({arange(starts->shape()[0], at), at}, 1);
    keeps = bitwise_and({eq({bags, at}, {all_bags, at}), at}, {keeps, at});
    rows = expand({rows, at}, {starts->shape()[0], rows.shape()[0], rows.shape()[1]});
  }
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  const Tensor mask = unsqueeze({keeps, at}, -1);
  const Tensor masked = where({mask, at}, {rows, at}, {lowest, at});
  const Tensor first = argmax({masked, at}, 1, true);
  const Tensor found = squeeze({take_along_axis({rows, at}, {first, at}, 1), at}, 1);
  const Tensor is_empty = logical_not({any({keeps, at}, 1, true), at});
  return where({is_empty, at}, {0, at}, {found, at});
}

}  // namespace detail

SINTER_INLINE Tensor embedding_bag(Operand indices, Operand weight, EmbeddingBagOptions options) {
  const Where at = indices.where;
  const detail::PublicCall call("embedding_bag", at);
  detail::require_bags(indices, weight, options);
  Tensor starts = options.offsets;
  const bool has_offsets = starts.defined();
  if (has_offsets) {
    starts = detail::as_indices({starts, at}, "embedding_bag");
    if (options.include_last_offset) starts = slice({starts, at}, 0, 0, starts.shape()[0] - 1);
  }
  const Tensor* const bags = has_offsets ? &starts : nullptr;
  const detail::BagRows of = detail::bag_rows(indices, weight, options);
  if (options.mode == BagMode::max) return detail::max_bags(of, bags, at);
  const Tensor mask = unsqueeze({of.keeps, at}, -1);
  const Tensor total = detail::sum_bags(where({mask, at}, {of.rows, at}, {0, at}), bags, at);
  if (options.mode == BagMode::sum) return total;
  const Tensor count = detail::sum_bags(detail::cast({mask, at}, total.dtype()), bags, at);
  return div({total, at}, {maximum({count, at}, {1, at}), at});
}

}  // namespace sinter::inline SINTER_ABI
