#pragma once

#include <algorithm>  // std::erase_if, std::max

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/product_chains.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE ProductChains::ProductChains(const Vector<LoweredKernel>& kernels,
                                           const NodeAccesses& accesses, bool streams)
    : kernels_(kernels),
      accesses_(accesses),
      widest_before_(kernels.size(), -1),
      width_after_(kernels.size(), -1) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (is_product(k)) find_pairs_from(k);
  }
  if (streams) drop_unprofitable_pairs();
  for (const Pair& pair : pairs_) {
    if (kernels_[pair.from].rematerialized == Rematerialized::transposed) continue;
    if (kernels_[pair.to].rematerialized != Rematerialized::no) continue;
    widest_before_[pair.to] = std::max(widest_before_[pair.to], width(pair.from));
    width_after_[pair.from] = width(pair.from);
  }
}

SINTER_INLINE bool ProductChains::is_product(std::size_t kernel) const {
  return kernels_[kernel].is_product && loop_stage(kernels_[kernel].kernel) != nullptr;
}

// Whether `product` has a batch loop, on which both factors depend, such as one over heads.
SINTER_INLINE bool ProductChains::is_batched(std::size_t product) const {
  const Kernel& kernel = kernels_[product].kernel;
  const Vector<ValueId> both = detail::factors_of(kernel);
  return any_of(kernel.grid, [&](const Loop& loop) {
    return all_of(
        both, [&](ValueId factor) { return detail::varies_along(kernel, factor, loop.variable); });
  });
}

// Whether a factor of `product` depends on two loops of its grid: over rows and over heads. The
// other factor need not depend on heads, for example if all heads share it.
SINTER_INLINE bool ProductChains::has_batched_factor(std::size_t product) const {
  const Kernel& kernel = kernels_[product].kernel;
  const Vector<ValueId> both = detail::factors_of(kernel);
  return any_of(both, [&](ValueId factor) {
    return count_if(kernel.grid, [&](const Loop& loop) {
             return detail::varies_along(kernel, factor, loop.variable);
           }) > 1;
  });
}

// A streaming kernel does not keep the rows of `pair.from`. That pays if a row is longer than the
// sums that compute its elements, or if both products are batched over heads. A transposed
// rematerialization sums over all rows: without heads, as for the gradient of a weight, it has too
// few sums for a GPU.
SINTER_INLINE bool ProductChains::is_worth_streaming(const Pair& pair) const {
  const bool transposed = kernels_[pair.from].rematerialized == Rematerialized::transposed;
  if (is_batched(pair.from) &&
      (is_batched(pair.to) || (transposed && has_batched_factor(pair.to)))) {
    return true;
  }
  std::int64_t depth = 1;
  for (const Loop& loop : loop_stage(kernels_[pair.from].kernel)->loops) {
    depth = detail::times(depth, bounds(loop.extent).max);
  }
  return !transposed && width(pair.from) > depth;
}

// If a kernel streams over the elements of one product, it also streams over those of others that
// go into the same sums or are computed from them. Otherwise those alone would be in memory, such
// as a gradient that is the same for all heads.
SINTER_INLINE void ProductChains::drop_unprofitable_pairs() {
  const Vector<Pair> all = pairs_;
  const auto is_transposed = [&](const Pair& one) {
    return kernels_[one.from].rematerialized == Rematerialized::transposed;
  };
  erase_if(pairs_, [&](const Pair& one) {
    if (is_worth_streaming(one)) return false;
    return !has_batched_factor(one.to) || none_of(all, [&](const Pair& other) {
      const bool related = other.to == one.from || other.to == one.to || other.from == one.to;
      return related && is_transposed(other) == is_transposed(one) && is_worth_streaming(other);
    });
  });
}

SINTER_INLINE std::int64_t ProductChains::width(std::size_t product) const {
  const Vector<Loop>& grid = kernels_[product].kernel.grid;
  return grid.empty() ? 0 : bounds(grid.back().extent).max;
}

// Finds the products that read `product` through a reduction.
SINTER_INLINE void ProductChains::find_pairs_from(std::size_t product) {
  struct Step {
    std::size_t kernel;
    bool reduced;
  };
  Vector<Step> open{{product, kernels_[product].rematerialized == Rematerialized::transposed}};
  const auto visit = [&](std::size_t kernel, bool reduced) {
    const bool known = any_of(
        open, [&](const Step& one) { return one.kernel == kernel && (one.reduced || !reduced); });
    if (known || kernels_[kernel].is_untileable) return;
    if (!detail::can_be_tiled(kernels_[kernel].kernel)) return;
    if (is_product(kernel)) {
      if (reduced) pairs_.push_back({product, kernel});
      return;
    }
    open.push_back({kernel, reduced || loop_stage(kernels_[kernel].kernel) != nullptr});
  };
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Step step = open[i];
    for (const NodeId node : kernels_[step.kernel].nodes) {
      if (accesses_.writer(node) != static_cast<std::int32_t>(step.kernel)) continue;
      for (const std::size_t reader : accesses_.readers(node)) {
        if (reader != step.kernel) visit(reader, step.reduced);
      }
    }
  }
}

// The kernels that depend on `product`, or that it depends on, directly or through kernels that are
// no products.
SINTER_INLINE Vector<bool> ProductChains::reachable(std::size_t product, bool forward) const {
  Vector<bool> result(kernels_.size(), false);
  Vector<std::size_t> open{product};
  const auto visit = [&](std::size_t kernel) {
    if (result[kernel] || is_product(kernel)) return;
    result[kernel] = true;
    open.push_back(kernel);
  };
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const NodeId node : kernels_[open[i]].nodes) {
      const std::int32_t writer = accesses_.writer(node);
      const bool writes = writer == static_cast<std::int32_t>(open[i]);
      if (!forward && writer >= 0 && !writes) visit(static_cast<std::size_t>(writer));
      if (!forward || !writes) continue;
      for (const std::size_t reader : accesses_.readers(node)) visit(reader);
    }
  }
  return result;
}

SINTER_INLINE Vector<bool> ProductChains::chained_kernels() const {
  Vector<bool> result(kernels_.size(), false);
  for (const Pair& pair : pairs_) {
    if (!may_share(pair.from, pair.to)) continue;
    const Vector<bool> after = reachable(pair.from, true), before = reachable(pair.to, false);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      if (k == pair.from || k == pair.to || (after[k] && before[k])) result[k] = true;
    }
  }
  return result;
}

SINTER_INLINE bool ProductChains::may_share(std::size_t from, std::size_t to) const {
  const bool chained =
      any_of(pairs_, [&](const Pair& pair) { return pair.from == from && pair.to == to; });
  const auto is_transposed = [&](std::size_t kernel) {
    return kernels_[kernel].rematerialized == Rematerialized::transposed;
  };
  if (is_transposed(from) || is_transposed(to)) return chained && is_transposed(from);
  return chained && widest_before_[from] < width(from) && width_after_[to] < width(from);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
