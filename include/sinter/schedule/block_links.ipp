#pragma once

#include <algorithm>  // std::any_of, std::max

#include <sinter/schedule/block_limits.hpp>
#include <sinter/schedule/block_links.hpp>
#include <sinter/schedule/tile.hpp>
#include <sinter/symbol/interval.hpp>

namespace sinter::inline SINTER_ABI::schedule {

SINTER_INLINE Links::Links(const std::vector<Lowered>& kernels, const Traces& traces)
    : kernels_(kernels),
      traces_(traces),
      widest_before_(kernels.size(), -1),
      width_behind_(kernels.size(), -1) {
  for (std::size_t k = 0; k < kernels.size(); ++k) {
    if (is_product(k)) follow(k);
  }
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

}  // namespace sinter::inline SINTER_ABI::schedule
