#pragma once

#include <algorithm>  // std::any_of, std::count_if, std::erase_if, std::max, std::none_of

#include <sinter/schedule/analysis/row_limits.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/tile/factors.hpp>
#include <sinter/schedule/tile/links.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE Links::Links(const std::vector<Lowered>& kernels, const Traces& traces, bool streams)
    : kernels_(kernels),
      traces_(traces),
      widest_before_(kernels.size(), -1),
      width_behind_(kernels.size(), -1) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (is_product(k)) follow(k);
  }
  if (streams) drop_slow_streams();
  for (const Link& link : links_) {
    if (kernels_[link.from].again == Again::turned) continue;
    if (kernels_[link.to].again != Again::no) continue;
    widest_before_[link.to] = std::max(widest_before_[link.to], width(link.from));
    width_behind_[link.from] = width(link.from);
  }
}

SINTER_INLINE bool Links::is_product(std::size_t kernel) const {
  return kernels_[kernel].is_product && loop_stage(kernels_[kernel].kernel) != nullptr;
}

// Whether both factors of `product` are others for each of some outer rows, as those of heads are.
SINTER_INLINE bool Links::has_rows_of_its_own(std::size_t product) const {
  const Kernel& kernel = kernels_[product].kernel;
  const std::vector<ValueId> both = detail::factors_of(kernel);
  return std::any_of(kernel.grid.begin(), kernel.grid.end(), [&](const Loop& loop) {
    return std::all_of(both.begin(), both.end(), [&](ValueId factor) {
      return detail::goes_along(kernel, factor, loop.variable);
    });
  });
}

// Whether a factor of `product` goes along two loops of its grid: over rows, and over heads. The
// other one need not, as where all heads are multiplied by the same numbers.
SINTER_INLINE bool Links::has_rows_of_heads(std::size_t product) const {
  const Kernel& kernel = kernels_[product].kernel;
  const std::vector<ValueId> both = detail::factors_of(kernel);
  return std::any_of(both.begin(), both.end(), [&](ValueId factor) {
    return std::count_if(kernel.grid.begin(), kernel.grid.end(), [&](const Loop& loop) {
             return detail::goes_along(kernel, factor, loop.variable);
           }) > 1;
  });
}

// A kernel that streams keeps no row of what `link.from` gives: that is worth it where the row is
// longer than what it is made from, or where all is so for each of many heads. What is turned sums
// over all rows: without heads, as for the gradient of a weight, a GPU has too few sums for that.
SINTER_INLINE bool Links::is_worth_streaming(const Link& link) const {
  const bool turned = kernels_[link.from].again == Again::turned;
  if (has_rows_of_its_own(link.from) &&
      (has_rows_of_its_own(link.to) || (turned && has_rows_of_heads(link.to)))) {
    return true;
  }
  std::int64_t depth = 1;
  for (const Loop& loop : loop_stage(kernels_[link.from].kernel)->loops) {
    depth = detail::times(depth, bounds(loop.extent).max);
  }
  return !turned && width(link.from) > depth;
}

// Where a kernel streams over the elements of one product, it does so over those of others that go
// into the same sums, or are made of them: they would be the only ones in memory, as those of a
// gradient that is the same for all heads.
SINTER_INLINE void Links::drop_slow_streams() {
  const std::vector<Link> all = links_;
  const auto is_turned = [&](const Link& one) { return kernels_[one.from].again == Again::turned; };
  std::erase_if(links_, [&](const Link& one) {
    if (is_worth_streaming(one)) return false;
    return !has_rows_of_heads(one.to) ||
           std::none_of(all.begin(), all.end(), [&](const Link& other) {
             const bool together =
                 other.to == one.from || other.to == one.to || other.from == one.to;
             return together && is_turned(other) == is_turned(one) && is_worth_streaming(other);
           });
  });
}

SINTER_INLINE std::int64_t Links::width(std::size_t product) const {
  const std::vector<Loop>& grid = kernels_[product].kernel.grid;
  return grid.empty() ? 0 : bounds(grid.back().extent).max;
}

// Goes on from `product` to others that read it behind a reduction.
SINTER_INLINE void Links::follow(std::size_t product) {
  struct Step {
    std::size_t kernel;
    bool reduced;
  };
  std::vector<Step> open{{product, kernels_[product].again == Again::turned}};
  const auto visit = [&](std::size_t kernel, bool reduced) {
    const bool known = std::any_of(open.begin(), open.end(), [&](const Step& one) {
      return one.kernel == kernel && (one.reduced || !reduced);
    });
    if (known || kernels_[kernel].is_apart) return;
    if (!detail::can_be_piece(kernels_[kernel].kernel)) return;
    if (is_product(kernel)) {
      if (reduced) links_.push_back({product, kernel});
      return;
    }
    open.push_back({kernel, reduced || loop_stage(kernels_[kernel].kernel) != nullptr});
  };
  for (std::size_t i = 0; i < open.size(); ++i) {
    const Step step = open[i];
    for (const NodeId node : kernels_[step.kernel].nodes) {
      if (traces_.writer(node) != static_cast<std::int32_t>(step.kernel)) continue;
      for (const std::size_t reader : traces_.readers(node)) {
        if (reader != step.kernel) visit(reader, step.reduced);
      }
    }
  }
}

// What reads what `product` gives, or gives what it reads, itself or through others that are no
// products.
SINTER_INLINE std::vector<bool> Links::reached(std::size_t product, bool forward) const {
  std::vector<bool> result(kernels_.size(), false);
  std::vector<std::size_t> open{product};
  const auto visit = [&](std::size_t kernel) {
    if (result[kernel] || is_product(kernel)) return;
    result[kernel] = true;
    open.push_back(kernel);
  };
  for (std::size_t i = 0; i < open.size(); ++i) {
    for (const NodeId node : kernels_[open[i]].nodes) {
      const std::int32_t writer = traces_.writer(node);
      const bool writes = writer == static_cast<std::int32_t>(open[i]);
      if (!forward && writer >= 0 && !writes) visit(static_cast<std::size_t>(writer));
      if (!forward || !writes) continue;
      for (const std::size_t reader : traces_.readers(node)) visit(reader);
    }
  }
  return result;
}

SINTER_INLINE std::vector<bool> Links::between() const {
  std::vector<bool> result(kernels_.size(), false);
  for (const Link& link : links_) {
    if (!may_share(link.from, link.to)) continue;
    const std::vector<bool> behind = reached(link.from, true), before = reached(link.to, false);
    for (std::size_t k = 0; k < kernels_.size(); ++k) {
      if (k == link.from || k == link.to || (behind[k] && before[k])) result[k] = true;
    }
  }
  return result;
}

SINTER_INLINE bool Links::may_share(std::size_t from, std::size_t to) const {
  const bool linked = std::any_of(links_.begin(), links_.end(), [&](const Link& link) {
    return link.from == from && link.to == to;
  });
  const auto is_turned = [&](std::size_t kernel) {
    return kernels_[kernel].again == Again::turned;
  };
  if (is_turned(from) || is_turned(to)) return linked && is_turned(from);
  return linked && widest_before_[from] < width(from) && width_behind_[to] < width(from);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
