#pragma once
// Reuse of output buffers: outputs are allocated before the first kernel runs, so temporaries that
// end before an output is written can use its memory.

#include <algorithm>  // std::max_element, std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/memory/operand_reuse.hpp>
#include <sinter/symbol/extent/proof.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// The memory of an output, or of arena buffers that are written over each other.
struct Allocation {
  Vector<std::int32_t> buffers{};  // the output first
  Extent bytes = 0;
  std::int32_t output = -1;      // its position; -1 in the arena
  std::int64_t load = 0;         // the most bytes of the arena that are in use with it
  Vector<Lifetime> lifetimes{};  // when it is in use
};

struct OutputBufferReuse {
  Plan& plan;
  Span<const Update> updates;
  Vector<Lifetime> lifetimes = lifetimes_of(plan);
  Vector<bool> outputs{};  // for each buffer: whether it is an output that may be reused
  Vector<Allocation> targets{}, temporaries{};

  Buffer& buffer(std::int32_t id) { return plan.buffers[id]; }

  void find_outputs() {
    HashSet<std::int32_t> updated;
    for (const Update& update : updates) updated.insert(update.output);
    for (std::size_t id = 0; id < lifetimes.size(); ++id) {
      const Buffer& known = plan.buffers[id];
      outputs.push_back(known.home == Home::output && updated.count(known.position) == 0 &&
                        lifetimes[id].first >= 0);
    }
  }

  // Groups buffers that are written over each other into one allocation, which may end in an
  // output.
  void find_allocations() {
    const Vector<std::int32_t> reused = reused_buffers(plan, plan.kernels, outputs);
    Vector<bool> is_reused(reused.size(), false);
    Vector<bool> has_parts(reused.size(), false);
    for (const Buffer& known : plan.buffers) {
      if (known.whole >= 0) has_parts[known.whole] = true;
    }
    for (const std::int32_t from : reused) {
      if (from >= 0) is_reused[from] = true;
    }
    for (std::size_t id = 0; id < reused.size(); ++id) {
      const Buffer& known = plan.buffers[id];
      const bool has_own = known.home == Home::arena && known.whole < 0 && !has_parts[id];
      const bool arena = has_own && lifetimes[id].first >= 0;
      if (is_reused[id] || !(arena || outputs[id])) continue;
      Allocation allocation{{}, bytes_of(known), outputs[id] ? plan.buffers[id].position : -1};
      Lifetime lifetime = lifetimes[id];
      if (outputs[id]) lifetime.last = static_cast<std::int32_t>(plan.launches.size());
      for (auto at = static_cast<std::int32_t>(id); at >= 0; at = reused[at]) {
        lifetime.first = std::min(lifetime.first, lifetimes[at].first);
        allocation.buffers.push_back(at);
      }
      allocation.lifetimes = {lifetime};
      (outputs[id] ? targets : temporaries).push_back(std::move(allocation));
    }
  }

  // Bytes of the arena in use in each launch.
  Vector<std::int64_t> arena_load() const {
    Vector<std::int64_t> result(plan.launches.size() + 1, 0);
    for (const Allocation& temporary : temporaries) {
      const std::int64_t bytes = typical(temporary.bytes);
      result[temporary.lifetimes[0].first] += bytes;
      result[temporary.lifetimes[0].last + 1] -= bytes;
    }
    for (std::size_t at = 1; at < result.size(); ++at) result[at] += result[at - 1];
    return result;
  }

  // The largest first, and not too many, since the time grows with their number.
  void sort_targets() {
    constexpr std::size_t most = 64;
    stable_sort(targets, [](const Allocation& a, const Allocation& b) {
      return typical(a.bytes) > typical(b.bytes);
    });
    if (targets.size() > most) targets.erase(targets.begin() + most, targets.end());
  }

  // Among equal ones the last goes first: the operands of the output stay in the arena, and buffers
  // that ended before should not be live at the same time.
  void sort_temporaries() {
    const Vector<std::int64_t> load = arena_load();
    for (Allocation& temporary : temporaries) {
      const auto first = load.begin() + temporary.lifetimes[0].first;
      temporary.load = *std::max_element(first, load.begin() + temporary.lifetimes[0].last + 1);
    }
    stable_sort(temporaries, [](const Allocation& a, const Allocation& b) {
      if (a.load != b.load) return a.load > b.load;
      if (const std::int64_t x = typical(a.bytes), y = typical(b.bytes); x != y) return x > y;
      return a.lifetimes[0].last > b.lifetimes[0].last;
    });
  }

  static bool fits(const Allocation& temporary, const Allocation& target) {
    const Lifetime lifetime = temporary.lifetimes[0];
    const bool taken = any_of(target.lifetimes, [&](Lifetime other) {
      return lifetime.first <= other.last && other.first <= lifetime.last;
    });
    return !taken && proven_less_equal(temporary.bytes, target.bytes);
  }

  void move(const Allocation& temporary, std::int32_t output) {
    for (const std::int32_t id : temporary.buffers) {
      buffer(id).home = Home::output;
      buffer(id).position = output;
    }
  }

  void run() {
    find_outputs();
    find_allocations();
    for (const Allocation& target : targets) move(target, target.output);
    sort_targets();
    sort_temporaries();
    for (const Allocation& temporary : temporaries) {
      Allocation* best = nullptr;  // the smallest that fits
      for (Allocation& target : targets) best = fits(temporary, target) ? &target : best;
      if (best == nullptr) continue;
      move(temporary, best->output);
      best->lifetimes.push_back(temporary.lifetimes[0]);
    }
  }
};

}  // namespace detail

/// Moves buffers of the arena of `plan` into outputs that are at least as large and begin after
/// them, or that may be written over them. Those that are live when the arena is fullest come
/// first. Outputs in `updates`, the next values of inputs, are not reused, since their memory may
/// be that of the input.
inline void reuse_output_buffers(Plan& plan, Span<const Update> updates) {
  detail::OutputBufferReuse{plan, updates}.run();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
