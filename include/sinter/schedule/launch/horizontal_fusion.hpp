#pragma once
// Horizontal fusion: independent kernels with the same text run as one batched launch, with serial
// kernels as prologue and epilogue.

#include <algorithm>  // std::max, std::min, std::remove_if
#include <cstddef>    // std::size_t
#include <cstdint>    // std::int64_t
#include <utility>    // std::move, std::pair

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/container/worklist.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/cost.hpp>
#include <sinter/schedule/ir/target.hpp>
#include <sinter/schedule/lower/dependences.hpp>
#include <sinter/symbol/extent/extent.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A kernel that is ready to be launched.
struct BatchCandidate {
  Hash text{};                ///< Equal for kernels that could share one text.
  bool can_batch = false;     ///< Can run in parallel with others: it has no checks.
  bool is_small = false;      ///< Keeps little in the arena, so it may be delayed.
  bool is_serial = false;     ///< Runs on one thread.
  Extent work = 0;            ///< Innermost iterations.
  Extent steps = 0;           ///< Approximate cost of these: see steps_of().
  Extent retained_bytes = 0;  ///< Bytes of the arena that only it uses last.
};

/// Kernels of one launch. The `parallel` ones are independent of each other. One thread runs the
/// `prologue` before all of them, in order, and one thread the `epilogue` after them.
struct Batch {
  Vector<std::size_t> prologue{}, parallel{}, epilogue{};
};

namespace detail {

// Limit on the batches that are tried for a prologue, so that the time is linear in the number of
// kernels.
inline constexpr std::size_t max_batches_tried = 8;

// Moves serial batches into the prologue of another batch, before the kernels that depend on them.
struct PrologueFinder {
  Span<const BatchCandidate> kernels;
  const Dependences& dependences;
  const Target& target;
  Vector<Batch> batches;
  Vector<std::size_t> position{};  // of each kernel

  using List = Vector<std::size_t>;

  // The prologue and the parallel kernels of `batch`, in order.
  static List whole(const Batch& batch) {
    List result = batch.prologue;
    result.insert(result.end(), batch.parallel.begin(), batch.parallel.end());
    return result;
  }

  // Whether one thread runs all of `batch`.
  bool can_be_prologue(const Batch& batch) const {
    const List list = whole(batch);
    return batch.epilogue.empty() && all_of(list, [&](std::size_t k) {
             return kernels[k].is_serial && kernels[k].can_batch;
           });
  }

  // Whether `batch` or one of `list` depends on earlier launches other than `list`.
  bool has_dependences(const Batch& batch, const List& list) const {
    const auto has_none = [&](std::size_t k) { return dependences.before[k].empty(); };
    const auto& before = dependences.before[batch.parallel[0]];
    return !all_of(list, has_none) ||
           !all_of(before, [&](std::size_t k) { return contains(list, k); });
  }

  Extent sum(const List& list, Extent BatchCandidate::*what) const {
    Extent result = 0;
    for (const std::size_t k : list) result += kernels[k].*what;
    return result;
  }

  // Whether the prologue with `list` is cheap compared with the parallel work of `batch`.
  bool accepts_prologue(const Batch& batch, const List& list) const {
    if (batch.parallel.empty()) return false;
    const bool is_serial = kernels[batch.parallel[0]].is_serial;
    if (is_serial &&
        (!can_be_prologue(batch) || batch.parallel.size() > 1 || has_dependences(batch, list))) {
      return false;
    }
    const auto before = [&](Extent BatchCandidate::*what) {
      return sum(list, what) + sum(batch.prologue, what);
    };
    const Extent first = before(&BatchCandidate::work),
                 work = sum(batch.parallel, &BatchCandidate::work);
    const std::int64_t most = target.launches.most_serial_work;
    // Twice as much, since the other kernels wait for the results anyway.
    if (first.is_number() && first.number() <= 2 * most) return true;
    if (!first.is_number() || !work.is_number()) {
      return proven_less_equal(first - most, work);
    }
    return proven_less_equal(before(&BatchCandidate::steps) * target.parallel.start_share,
                             sum(batch.parallel, &BatchCandidate::steps));
  }

  // Inserts `k` after its dependences and before its dependents.
  void add(Batch& batch, std::size_t k) const {
    auto at = batch.prologue.begin();
    while (at != batch.prologue.end() && !contains(dependences.after[k], *at)) ++at;
    batch.prologue.insert(at, k);
  }

  void move(std::size_t from) {
    const List list = whole(batches[from]);
    std::size_t first = 0, last = batches.size() - 1;
    for (const std::size_t k : list) {
      for (const std::size_t other : dependences.before[k]) {
        if (contains(list, other)) continue;
        const bool is_in_prologue = contains(batches[position[other]].prologue, other);
        first = std::max(first, position[other] + (is_in_prologue ? 0 : 1));
      }
      for (const std::size_t other : dependences.after[k]) {
        if (!contains(list, other)) last = std::min(last, position[other]);
      }
    }
    last = std::min(last, first + max_batches_tried);
    for (std::size_t at = first; at <= last; ++at) {
      if (at == from || !accepts_prologue(batches[at], list)) continue;
      for (const std::size_t k : list) {
        add(batches[at], k);
        position[k] = at;
      }
      batches[from] = {};
      return;
    }
  }

  void find_positions() {
    position.resize(kernels.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (const auto* list : {&batches[i].prologue, &batches[i].parallel, &batches[i].epilogue}) {
        for (const std::size_t k : *list) position[k] = i;
      }
    }
  }

  void find() {
    find_positions();
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (can_be_prologue(batches[i])) move(i);
    }
    const auto is_empty = [](const Batch& batch) { return batch.parallel.empty(); };
    batches.erase(std::remove_if(batches.begin(), batches.end(), is_empty), batches.end());
  }
};

/// Whether `extent` is a constant of at most `most`.
inline bool is_at_most(Extent extent, std::int64_t most) {
  return extent.is_number() && extent.number() <= most;
}

struct BatchBuilder {
  Span<const BatchCandidate> kernels;
  const Dependences& dependences;
  const LaunchLimits& limits;
  Vector<Batch> batches{};
  Vector<std::size_t> batch_of{};
  Vector<std::size_t> depths{}, heights{};  // of each kernel: longest chain before, after it
  std::size_t tail = 0;                     // the largest height of late kernels
  Vector<std::size_t> ranks{};              // of each batch: its preferred place

  Vector<Batch> ordered{};

  void find_depths() {
    depths.assign(kernels.size(), 0);
    heights.assign(kernels.size(), 0);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::size_t other : dependences.before[k]) {
        depths[k] = std::max(depths[k], depths[other] + 1);
      }
    }
    for (std::size_t k = kernels.size(); k-- > 0;) {
      for (const std::size_t other : dependences.after[k]) {
        heights[k] = std::max(heights[k], heights[other] + 1);
      }
    }
  }

  // Whether at most a short chain of kernels depends on `k`. The same is true of its dependents.
  bool is_late(std::size_t k) const { return heights[k] <= tail; }

  // Kernels of equal depth are independent, and so are kernels of equal height. Batches stay
  // acyclic if all late kernels are batched by height and all others by depth.
  void batch_kernels(std::size_t up_to) {
    tail = up_to;
    batches.clear();
    HashMap<Hash, std::size_t, HashOfHash> known;
    std::vector<Extent> retained_bytes;  // of each batch
    batch_of.resize(kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::uint64_t level = is_late(k) ? heights[k] : depths[k];
      const Hash key =
          Hasher().add(kernels[k].text).add(level).add(std::uint64_t{is_late(k)}).result();
      const auto entry = known.find(key);
      if (kernels[k].can_batch && entry != known.end() && may_batch(k, entry->second)) {
        const Extent sum = retained_bytes[entry->second] + kernels[k].retained_bytes;
        if (heights[k] == 0 || !is_late(k) || is_at_most(sum, limits.most_retained_bytes)) {
          batch_of[k] = entry->second;
          batches[entry->second].parallel.push_back(k);
          retained_bytes[entry->second] = sum;
          continue;
        }
      }
      batch_of[k] = batches.size();
      if (kernels[k].can_batch) known[key] = batches.size();
      batches.push_back({{}, {k}, {}});
      retained_bytes.push_back(kernels[k].retained_bytes);
    }
  }

  // Batches late kernels up to the height that gives the fewest batches.
  void batch_best(std::size_t max_tail) {
    std::size_t best = 0, fewest = kernels.size() + 1;
    for (std::size_t up_to = 0; up_to <= max_tail; ++up_to) {
      batch_kernels(up_to);
      if (batches.size() >= fewest) continue;
      best = up_to;
      fewest = batches.size();
    }
    if (tail != best) batch_kernels(best);
  }

  // A kernel that is not small is not delayed.
  bool may_batch(std::size_t k, std::size_t batch) const {
    const std::size_t last = batches[batch].parallel.back();
    return (kernels[k].is_small && kernels[last].is_small) || last + 1 == k;
  }

  bool is_small_serial(const Batch& batch) const {
    std::int64_t work = 0;
    for (const std::size_t k : batch.parallel) {
      const BatchCandidate& one = kernels[k];
      if (!one.is_serial || !one.can_batch || !one.work.is_number()) return false;
      work += one.work.number();
      if (work > limits.most_serial_work) return false;
    }
    return true;
  }

  // A batch is placed where its first kernel was, a late one where its last kernel was, and a small
  // serial one just before it is needed.
  void find_ranks() {
    ranks.resize(batches.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      const auto& list = batches[i].parallel;
      ranks[i] = is_late(list[0]) ? list.back() : list[0];
    }
    for (std::size_t k = kernels.size(); k-- > 0;) {
      if (!is_small_serial(batches[batch_of[k]]) || dependences.after[k].empty()) continue;
      std::size_t rank = kernels.size();
      for (const std::size_t other : dependences.after[k]) {
        rank = std::min(rank, ranks[batch_of[other]]);
      }
      ranks[batch_of[k]] = rank;
    }
  }

  void order() {
    Vector<Vector<std::size_t>> successors(batches.size());
    Vector<std::pair<std::size_t, bool>> keys;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      for (const std::size_t other : dependences.after[k])
        successors[batch_of[k]].push_back(batch_of[other]);
    }
    for (std::size_t i = 0; i < batches.size(); ++i)
      keys.push_back({ranks[i], !is_small_serial(batches[i])});
    for (const std::size_t i : topological_order(successors, keys)) ordered.push_back(batches[i]);
  }

  // Makes small serial batches part of a batch next to them.
  Vector<Batch> attach_serial_batches() const {
    Vector<Batch> result;
    Vector<std::size_t> serial;    // kernels since the last parallel batch
    Vector<const Batch*> pending;  // their batches
    const auto flush = [&] {
      for (const Batch* batch : pending) result.push_back(*batch);
      serial.clear(), pending.clear();
    };
    for (const Batch& batch : ordered) {
      if (is_small_serial(batch)) {
        auto* const last = result.empty() || !serial.empty() ? nullptr : &result.back();
        const bool ends = last != nullptr && last->parallel.size() > 1;
        auto& list = ends ? last->epilogue : serial;
        list.insert(list.end(), batch.parallel.begin(), batch.parallel.end());
        if (!ends) pending.push_back(&batch);
        continue;
      }
      if (batch.parallel.size() == 1) flush();
      result.push_back(batch);
      result.back().prologue = std::move(serial);
      serial.clear(), pending.clear();
    }
    flush();
    return result;
  }
};

}  // namespace detail

/// Batches `kernels`, which are in a valid order. A batch has kernels of one text with the same
/// depth, or without dependents. Cheap serial kernels become the prologue or epilogue of a batch
/// next to them. With LaunchBatching::equal, kernels at the head of a short chain of dependents may
/// also be batched by the length of that chain, where this gives the fewest batches.
inline Vector<Batch> create_batches(Span<const BatchCandidate> kernels,
                                    const Dependences& dependences, const Target& target = {}) {
  detail::BatchBuilder maker{kernels, dependences, target.launches};
  maker.find_depths();
  maker.batch_best(target.batching == LaunchBatching::equal ? target.launches.most_batch_tail : 0);
  const bool alone = maker.batches.size() == kernels.size();
  if (!alone) {
    maker.find_ranks();
    maker.order();
  }
  detail::PrologueFinder finder{kernels, dependences, target,
                                alone ? std::move(maker.batches) : maker.attach_serial_batches()};
  finder.find();
  return std::move(finder.batches);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
