#pragma once

#include <algorithm>  // std::max, std::min
#include <utility>    // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/lower/memory_budget.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// `bytes` where symbols have a size that is usual for them.
SINTER_INLINE std::int64_t typical_bytes(Extent bytes) {
  static constexpr std::int64_t typical = 1024;
  const Extent count = substitute(bytes, [](Extent size) {
    return Extent(std::min(typical, std::max<std::int64_t>(bounds(size).max, 1)));
  });
  return count.is_number() ? count.number() : 0;
}

}  // namespace detail

SINTER_INLINE Extent bytes_needed(const schedule::Plan& plan,
                                  Span<const schedule::Update> updates) {
  const auto bytes = [&](std::int32_t buffer) {
    const schedule::Buffer& one = plan.buffers[static_cast<std::size_t>(buffer)];
    return one.elements * static_cast<std::int64_t>(info(one.dtype).size);
  };
  Extent result = plan.arena_bytes;
  for (const std::int32_t input : plan.inputs) result = result + bytes(input);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    bool is_update = false;
    for (const schedule::Update& update : updates) {
      is_update = is_update || static_cast<std::size_t>(update.output) == i;
    }
    if (!is_update) result = result + bytes(plan.outputs[i]);
  }
  return result;
}

SINTER_INLINE schedule::Plan plan_within(std::int64_t most_bytes, const Graph& graph,
                                         const schedule::Options& options) {
  schedule::Plan best = schedule::plan(graph, options);
  if (most_bytes == 0) return best;
  const auto bytes_of = [&](const schedule::Plan& plan) {
    return detail::typical_bytes(bytes_needed(plan, options.updates));
  };
  const std::int64_t usual = bytes_of(best);
  std::int64_t least = usual;
  // Kernels that share a launch wait for each other, and keep their operands until then.
  for (const auto batching : {options.target.batching, schedule::LaunchBatching::none}) {
    if (least <= most_bytes) break;
    schedule::Options saving = options;
    saving.saves_memory = true, saving.target.batching = batching;
    schedule::Plan plan = schedule::plan(graph, saving);
    if (bytes_of(plan) < least) best = std::move(plan), least = bytes_of(best);
  }
  if (usual > most_bytes) {
    log(Log::memory, text("a call needs ", usual, " bytes, more than memory_bytes = ", most_bytes,
                          "; if values are recomputed, ", least));
  }
  return best;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
