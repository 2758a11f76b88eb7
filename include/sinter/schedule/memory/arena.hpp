#pragma once
// Arena allocation: the offset of each buffer of a plan.

#include <algorithm>  // std::max, std::min, std::upper_bound
#include <cstddef>    // std::size_t

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/memory/operand_reuse.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// Buffers start on cache lines.
inline constexpr std::int64_t alignment = 64;

// Free gaps, by their start, of an arena that grows as needed.
struct Gaps {
  SortedMap<std::int64_t, std::int64_t> lengths{};
  std::int64_t end = 0;

  std::int64_t take(std::int64_t bytes) {
    auto best = lengths.end();
    for (auto gap = lengths.begin(); gap != lengths.end(); ++gap) {
      const bool fits = gap->second >= bytes;
      if (fits && (best == lengths.end() || gap->second < best->second)) best = gap;
    }
    if (best == lengths.end()) return extend(bytes);
    const auto [start, length] = *best;
    lengths.erase(best);
    if (length > bytes) lengths.emplace(start + bytes, length - bytes);
    return start;
  }

  // Extends the last gap if it reaches the end; else starts at the end.
  std::int64_t extend(std::int64_t bytes) {
    std::int64_t start = end;
    if (!lengths.empty() && lengths.back().first + lengths.back().second == end) {
      start = lengths.back().first;
      lengths.erase(start);
    }
    end = start + bytes;
    return start;
  }

  void release(std::int64_t start, std::int64_t bytes) {
    if (bytes == 0) return;
    const auto after = lengths.lower_bound(start);
    if (after != lengths.end() && start + bytes == after->first) {
      bytes += after->second;
      lengths.erase(after);
    }
    const auto before = lengths.last_below(start);
    if (before != lengths.end() && before->first + before->second == start) {
      before->second += bytes;
    } else {
      lengths.emplace(start, bytes);
    }
  }
};

struct ArenaPlanner {
  Plan& plan;
  Vector<Lifetime> lifetimes = lifetimes_of(plan);
  Vector<std::size_t> owners{};  // of each buffer: the one whose memory it reuses, or itself
  Gaps gaps{};
  struct Slot {
    Extent bytes = 0, offset = 0;
    bool taken = false;
  };
  Vector<Slot> slots{};           // of symbolic sizes
  Vector<std::size_t> slot_of{};  // for each buffer
  Extent slots_end = 0;

  // A buffer that reuses the memory of another extends the lifetime of that.
  void find_owners(Span<const Kernel> kernels) {
    owners.resize(plan.buffers.size());
    for (std::size_t i = 0; i < owners.size(); ++i) owners[i] = i;
    if (!kernels.empty()) find_reused(kernels);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (plan.buffers[i].whole >= 0) own(static_cast<std::size_t>(plan.buffers[i].whole), i);
    }
  }

  // A buffer that has parts lives as long as any of them.
  void own(std::size_t whole, std::size_t part) {
    owners[part] = whole;
    Lifetime& all = lifetimes[whole];
    const Lifetime& one = lifetimes[part];
    if (one.first < 0) return;
    all.first = all.first < 0 ? one.first : std::min(all.first, one.first);
    all.last = std::max(all.last, one.last);
  }

  void find_reused(Span<const Kernel> kernels) {
    const Vector<std::int32_t> reused = reused_buffers(plan, kernels);
    for (std::size_t i = 0; i < owners.size(); ++i) {
      std::size_t owner = i;
      while (reused[owner] >= 0) owner = static_cast<std::size_t>(reused[owner]);
      owners[i] = owner;
      lifetimes[owner].last = std::max(lifetimes[owner].last, lifetimes[i].last);
    }
  }

  // Whether `buffer` needs a place of its own.
  bool needs_place(std::size_t buffer) const {
    return plan.buffers[buffer].home == Home::arena && lifetimes[buffer].first >= 0 &&
           owners[buffer] == buffer;
  }

  Extent bytes_of(std::size_t buffer) const {
    return ceil_div(schedule::bytes_of(plan.buffers[buffer]), alignment) * Extent(alignment);
  }

  void take(std::size_t buffer) {
    const Extent bytes = bytes_of(buffer);
    if (bytes.is_number()) {
      plan.buffers[buffer].offset = gaps.take(bytes.number());
      return;
    }
    std::size_t slot = 0;
    while (slot < slots.size() && (slots[slot].taken || !same(slots[slot].bytes, bytes))) ++slot;
    if (slot == slots.size()) {
      slots.push_back({bytes, slots_end});
      slots_end += bytes;
    }
    slots[slot].taken = true;
    slot_of[buffer] = slot;
  }

  void release(std::size_t buffer) {
    const Extent bytes = bytes_of(buffer);
    if (!bytes.is_number()) {
      slots[slot_of[buffer]].taken = false;
      return;
    }
    gaps.release(plan.buffers[buffer].offset.number(), bytes.number());
  }

  void place() {
    Vector<Vector<std::size_t>> begins(plan.launches.size()), ends(plan.launches.size());
    slot_of.resize(plan.buffers.size());
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (!needs_place(i)) continue;
      begins[lifetimes[i].first].push_back(i);
      ends[lifetimes[i].last].push_back(i);
    }
    for (std::size_t launch = 0; launch < plan.launches.size(); ++launch) {
      for (const std::size_t buffer : begins[launch]) take(buffer);
      for (const std::size_t buffer : ends[launch]) release(buffer);
    }
  }

  /// A buffer of constant size, and its place.
  struct Placed {
    std::size_t buffer = 0;
    std::int64_t start = 0, bytes = 0;
  };

  bool overlap(std::size_t a, std::size_t b) const {
    return lifetimes[a].first <= lifetimes[b].last && lifetimes[b].first <= lifetimes[a].last;
  }

  // The start of the smallest gap that holds `bytes` between buffers with overlapping lifetimes.
  // `placed` is sorted by start.
  std::int64_t best_start(const Vector<Placed>& placed, std::size_t buffer,
                          std::int64_t bytes) const {
    std::int64_t end = 0, best = -1, least = 0;
    for (const Placed& other : placed) {
      if (!overlap(buffer, other.buffer)) continue;
      const std::int64_t gap = other.start - end;
      if (gap >= bytes && (best < 0 || gap < least)) {
        best = end;
        least = gap;
      }
      end = std::max(end, other.start + other.bytes);
    }
    return best < 0 ? end : best;
  }

  // Places buffers of constant size again, the largest first, and keeps that if it takes less
  // memory than placing them in order of use.
  void place_by_size() {
    constexpr std::size_t most = 2048;  // buffers; the time is quadratic
    Vector<Placed> all, placed;
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (!needs_place(i)) continue;
      if (const Extent bytes = bytes_of(i); bytes.is_number())
        all.push_back({i, 0, bytes.number()});
    }
    if (all.size() > most) return;
    stable_sort(all, [](const Placed& a, const Placed& b) { return a.bytes > b.bytes; });
    std::int64_t end = 0;
    for (Placed& one : all) {
      one.start = best_start(placed, one.buffer, one.bytes);
      end = std::max(end, one.start + one.bytes);
      if (end >= gaps.end) return;
      const auto before = [](const Placed& a, const Placed& b) { return a.start < b.start; };
      placed.insert(std::upper_bound(placed.begin(), placed.end(), one, before), one);
    }
    for (const Placed& one : all) plan.buffers[one.buffer].offset = one.start;
    gaps.end = end;
  }

  // Slots come after all buffers of constant size.
  void place_slots() {
    for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
      if (needs_place(i) && !bytes_of(i).is_number())
        plan.buffers[i].offset = Extent(gaps.end) + slots[slot_of[i]].offset;
    }
    plan.arena_bytes = Extent(gaps.end) + slots_end;
  }

  void share_places() {
    for (std::size_t i = 0; i < owners.size(); ++i) {
      if (owners[i] == i) continue;
      plan.buffers[i].offset = plan.buffers[owners[i]].offset + Extent(plan.buffers[i].begin);
    }
  }
};

}  // namespace detail

/// Places the buffers of the arena so that buffers with overlapping lifetimes do not overlap in
/// memory. A result may reuse the memory of an operand that ends there, if the kernel may write
/// over it: that needs `kernels`, those of the plan or of the plan around it.
/// Buffers of constant size take the smallest gap that holds them. Buffers of symbolic size come
/// after them, each in a free slot of its size or in a new one.
inline void place_in_arena(Plan& plan, Span<const Kernel> kernels) {
  detail::ArenaPlanner planner{plan};
  planner.find_owners(kernels);
  planner.place();
  planner.place_by_size();
  planner.place_slots();
  planner.share_places();
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
