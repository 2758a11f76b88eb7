#pragma once

// While a row is computed, the next one is fetched: a pass that only compares or adds waits for
// memory, and one with long functions leaves it idle.

#include <sinter/codegen/memory.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Rows that are smaller than this are found in the caches by the processor itself.
inline constexpr std::int64_t prefetched_bytes = 16 * 1024;
/// Rows that are larger would push each other out of the second cache before they are read.
inline constexpr std::int64_t most_prefetched_bytes = 512 * 1024;

// The first pass with long functions, over a row that an earlier pass has read.
SINTER_INLINE bool Memory::prefetches(ValueId id) const {
  const int stage = dependence(id).stage;
  const auto vectors = layout_.vector_stages[static_cast<std::size_t>(stage)];
  if (masked_ || !vectors || stage == 0 || layout_.grid.empty()) return false;
  if (layout_.grid.back().unroll > 1 || argument(at(id)).access != Access::read) return false;
  const Extent row = layout_.stages[static_cast<std::size_t>(stage)].back().extent;
  const auto size = static_cast<std::int64_t>(info(argument(at(id)).dtype).size);
  const auto [least, most] = bounds(row);
  if (most < prefetched_bytes / size || least > most_prefetched_bytes / size) return false;
  bool read_before = false;
  for (int s = 0; s < stage; ++s) {
    bool computes_long = false;
    for (const ValueId one : layout_.kernel.stages[static_cast<std::size_t>(s)].body) {
      const bool same = at(one).code == Code::load && at(one).argument == at(id).argument;
      computes_long |= at(one).code == Code::compute && is_long(at(one).op);
      read_before |= same && varying(one) && contiguous(one);
      if (computes_long && read_before) return false;
    }
  }
  return read_before && computes_long_in(stage);
}

SINTER_INLINE bool Memory::computes_long_in(int stage) const {
  for (const ValueId id : layout_.kernel.stages[static_cast<std::size_t>(stage)].body) {
    if (at(id).code == Code::compute && is_long(at(id).op)) return true;
  }
  return false;
}

SINTER_INLINE void Memory::write_prefetch(ValueId id, const Instance& instance) {
  const auto step = coefficient_of(at(id).index, layout_.grid.back().variable);
  if (!step || (step->is_number() && step->number() == 0)) return;
  out_.line(text("prefetch(", address(id, instance), " + ",
                 c_index(*step, dependence(id).stage, instance), ");"),
            "the next row");
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
