#pragma once
// Which pairs of products may share a kernel: those with a reduction between them whose rows are
// wider than the rows of the neighbouring pairs. Only the neighbouring kernels decide, so repeated
// layers are always cut at the same places.

#include <algorithm>  // std::erase_if, std::max
#include <vector>     // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/node_accesses.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

class ProductChains {
 public:
  /// Both have to outlive this. With `streams`, only products whose result is larger than their
  /// operands begin pairs: see is_worth_streaming().
  ProductChains(const Vector<LoweredKernel>& kernels, const NodeAccesses& accesses,
                bool streams = false)
      : kernels_(kernels),
        accesses_(accesses),
        seen_(kernels.size(), 0),
        seen_reduced_(kernels.size(), 0),
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

  ProductChains(const ProductChains&) = delete;
  ProductChains& operator=(const ProductChains&) = delete;

  /// Whether products `from` and `to` are chained: a reduction reads the result of `from`, directly
  /// or through other kernels, and `to` reads its result. The pairs that end at `from` or begin at
  /// `to` have to pass narrower rows.
  bool may_share(std::size_t from, std::size_t to) const {
    const bool chained =
        any_of(pairs_, [&](const Pair& pair) { return pair.from == from && pair.to == to; });
    const auto is_transposed = [&](std::size_t kernel) {
      return kernels_[kernel].rematerialized == Rematerialized::transposed;
    };
    if (is_transposed(from) || is_transposed(to)) return chained && is_transposed(from);
    return chained && widest_before_[from] < width(from) && width_after_[to] < width(from);
  }

  /// For each kernel, whether it is a product that may share a kernel with another, or lies between
  /// two such products.
  Vector<bool> chained_kernels() const {
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

 private:
  struct Pair {
    std::size_t from = 0, to = 0;
  };
  /// Facts about a product, by which pairs are judged.
  struct Product {
    bool is_transposed = false;       ///< A transposed rematerialization.
    bool is_batched = false;          ///< Both factors depend on a batch loop, such as over heads.
    bool has_batched_factor = false;  ///< A factor depends on two loops: over rows and over heads.
    bool is_wide = false;             ///< A row is longer than the sums that compute its elements.
  };

  bool is_product(std::size_t kernel) const {
    return kernels_[kernel].is_product && loop_stage(kernels_[kernel].kernel) != nullptr;
  }

  Product product_of(std::size_t kernel) const {
    const Kernel& product = kernels_[kernel].kernel;
    const Vector<ValueId> factors = detail::factors_of(product);
    const auto varies = [&](ValueId factor, const Loop& loop) {
      return varies_along(product, factor, loop.variable);
    };
    Product result{.is_transposed = kernels_[kernel].rematerialized == Rematerialized::transposed};
    result.is_batched = any_of(product.grid, [&](const Loop& loop) {
      return all_of(factors, [&](ValueId factor) { return varies(factor, loop); });
    });
    // The other factor need not depend on heads, for example if all heads share it.
    result.has_batched_factor = any_of(factors, [&](ValueId factor) {
      return count_if(product.grid, [&](const Loop& loop) { return varies(factor, loop); }) > 1;
    });
    result.is_wide = width(kernel) > detail::most_iterations(loop_stage(product)->loops);
    return result;
  }

  // A streaming kernel does not store the rows of `from`. This pays off if a row has more elements
  // than each of them has terms, or if both products are batched over heads. The product that reads
  // a transposed rematerialization sums over all rows: without heads, as for the gradient of a
  // weight, there are too few sums to fill a GPU.
  static bool is_worth_streaming(const Product& from, const Product& to) {
    if (from.is_batched && (to.is_batched || (from.is_transposed && to.has_batched_factor)))
      return true;
    return !from.is_transposed && from.is_wide;
  }

  // If a kernel streams over the elements of one product, it also streams over those of others that
  // go into the same sums or are computed from them. Otherwise only these would be stored in
  // memory, for example a gradient that all heads share.
  void drop_unprofitable_pairs() {
    HashMap<std::size_t, Product> products;
    const auto facts = [&](std::size_t kernel) {
      const auto [known, is_new] = products.emplace(kernel, Product{});
      if (is_new) known->second = product_of(kernel);
      return known->second;
    };
    // The products where worthwhile pairs begin and end: direct pairs, and transposed ones.
    HashSet<std::size_t> begins[2], ends[2];
    for (const Pair& one : pairs_) {
      const Product from = facts(one.from);
      if (!is_worth_streaming(from, facts(one.to))) continue;
      begins[from.is_transposed].insert(one.from), ends[from.is_transposed].insert(one.to);
    }
    erase_if(pairs_, [&](const Pair& one) {
      const Product from = facts(one.from), to = facts(one.to);
      if (is_worth_streaming(from, to)) return false;
      const auto& first = begins[from.is_transposed];
      const auto& last = ends[from.is_transposed];
      const bool related =
          last.count(one.from) != 0 || last.count(one.to) != 0 || first.count(one.to) != 0;
      return !to.has_batched_factor || !related;
    });
  }

  // The kernels that depend on `product`, or that it depends on, directly or through kernels that
  // are no products.
  Vector<bool> reachable(std::size_t product, bool forward) const {
    Vector<bool> result(kernels_.size(), false);
    Worklist<std::size_t> open{product};
    const auto visit = [&](std::size_t kernel) {
      result[kernel] = result[kernel] || !is_product(kernel);
      if (result[kernel]) open.add(kernel);
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

  // Finds the products that read `product` through a reduction.
  void find_pairs_from(std::size_t product) {
    struct Step {
      std::size_t kernel;
      bool reduced;
    };
    Vector<Step> open{{product, kernels_[product].rematerialized == Rematerialized::transposed}};
    ++searches_;
    const auto visit = [&](std::size_t kernel, bool reduced) {
      // What was reached through a reduction need not be reached without one.
      if (seen_reduced_[kernel] == searches_ || (!reduced && seen_[kernel] == searches_)) return;
      (reduced ? seen_reduced_ : seen_)[kernel] = searches_;
      if (kernels_[kernel].is_untileable) return;
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

  std::int64_t width(std::size_t product) const {
    const Vector<Loop>& grid = kernels_[product].kernel.grid;
    return grid.empty() ? 0 : bounds(grid.back().extent).max;
  }

  const Vector<LoweredKernel>& kernels_;
  const NodeAccesses& accesses_;
  Vector<std::size_t> seen_{}, seen_reduced_{};  ///< For each kernel, the last search it was in.
  std::size_t searches_ = 0;
  Vector<Pair> pairs_{};  ///< In the order of `from`.
  /// Of the pairs that end at each kernel; -1 if there is none.
  std::vector<std::int64_t> widest_before_{};
  /// Of the pairs that begin at each kernel; -1 if there is none.
  std::vector<std::int64_t> width_after_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule
