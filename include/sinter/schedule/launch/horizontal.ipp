#pragma once

#include <algorithm>      // std::all_of, std::find, std::max, std::min, std::remove_if
#include <set>            // std::set
#include <tuple>          // std::tuple
#include <unordered_map>  // std::unordered_map
#include <utility>        // std::move

#include <sinter/schedule/analysis/cost.hpp>
#include <sinter/schedule/launch/horizontal.hpp>
#include <sinter/symbol/extent/proof.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule::detail {

// What one thread has done before another has heard of it.
inline constexpr std::int64_t most_work_of_point = 4096;
// The same where others wait for what they need anyway.
inline constexpr std::int64_t most_work_of_start = 2 * most_work_of_point;
// How many batches are tried, so that many kernels take time in proportion.
inline constexpr std::size_t most_starts_tried = 8;

// Moves what one thread does into a batch of other kernels that comes no later than what needs it,
// to run before these.
struct StartFinder {
  std::span<const Candidate> kernels;
  const Dependences& dependences;
  std::vector<Batch> batches;
  std::vector<std::size_t> place{};  // of each kernel

  using List = std::vector<std::size_t>;

  // What runs before `batch`, and `batch`, in order.
  static List whole(const Batch& batch) {
    List result = batch.before;
    result.insert(result.end(), batch.together.begin(), batch.together.end());
    return result;
  }

  // Whether one thread does all of `batch`.
  bool is_start(const Batch& batch) const {
    const List list = whole(batch);
    return batch.after.empty() && std::all_of(list.begin(), list.end(), [&](std::size_t k) {
             return kernels[k].is_alone && kernels[k].is_joinable;
           });
  }

  // Whether `batch`, or one of `list`, needs what was launched before, other than `list`.
  bool waits(const Batch& batch, const List& list) const {
    const auto has_none = [&](std::size_t k) { return dependences.before[k].empty(); };
    const List& before = dependences.before[batch.together[0]];
    return !std::all_of(list.begin(), list.end(), has_none) ||
           !std::all_of(before.begin(), before.end(),
                        [&](std::size_t k) { return contains(list, k); });
  }

  Extent sum(const List& list, Extent Candidate::*what) const {
    Extent result = 0;
    for (const std::size_t k : list) result += kernels[k].*what;
    return result;
  }

  // Whether the work of `list`, and of what else runs before, is little beside that of `batch`.
  bool takes(const Batch& batch, const List& list) const {
    if (batch.together.empty()) return false;
    const bool is_alone = kernels[batch.together[0]].is_alone;
    if (is_alone && (!is_start(batch) || batch.together.size() > 1 || waits(batch, list))) {
      return false;
    }
    const auto before = [&](Extent Candidate::*what) {
      return sum(list, what) + sum(batch.before, what);
    };
    const Extent first = before(&Candidate::work), work = sum(batch.together, &Candidate::work);
    if (first.is_number() && first.number() <= most_work_of_start) return true;
    if (!first.is_number() || !work.is_number()) {
      return proven_less_equal(first - most_work_of_point, work);
    }
    return proven_less_equal(before(&Candidate::steps) * start_share,
                             sum(batch.together, &Candidate::steps));
  }

  // Behind what `k` needs, before what needs it.
  void add(Batch& batch, std::size_t k) const {
    auto at = batch.before.begin();
    while (at != batch.before.end() && !contains(dependences.after[k], *at)) ++at;
    batch.before.insert(at, k);
  }

  static bool contains(const List& list, std::size_t k) {
    return std::find(list.begin(), list.end(), k) != list.end();
  }

  void move(std::size_t from) {
    const List list = whole(batches[from]);
    std::size_t first = 0, last = batches.size() - 1;
    for (const std::size_t k : list) {
      for (const std::size_t other : dependences.before[k]) {
        if (contains(list, other)) continue;
        const bool starts = contains(batches[place[other]].before, other);
        first = std::max(first, place[other] + (starts ? 0 : 1));
      }
      for (const std::size_t other : dependences.after[k]) {
        if (!contains(list, other)) last = std::min(last, place[other]);
      }
    }
    last = std::min(last, first + most_starts_tried);
    for (std::size_t at = first; at <= last; ++at) {
      if (at == from || !takes(batches[at], list)) continue;
      for (const std::size_t k : list) {
        add(batches[at], k);
        place[k] = at;
      }
      batches[from] = {};
      return;
    }
  }

  void find_places() {
    place.resize(kernels.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
      for (const auto* list : {&batches[i].before, &batches[i].together, &batches[i].after}) {
        for (const std::size_t k : *list) place[k] = i;
      }
    }
  }

  void find() {
    find_places();
    for (std::size_t i = 0; i < batches.size(); ++i) {
      if (is_start(batches[i])) move(i);
    }
    const auto is_empty = [](const Batch& batch) { return batch.together.empty(); };
    batches.erase(std::remove_if(batches.begin(), batches.end(), is_empty), batches.end());
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::schedule::detail

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// What the kernels of a batch may keep in memory while they wait for its last.
inline constexpr std::int64_t most_held_bytes = 4 << 20;

SINTER_INLINE bool is_at_most(Extent extent, std::int64_t most) {
  return extent.is_number() && extent.number() <= most;
}

struct BatchMaker {
  std::span<const Candidate> kernels;
  const Dependences& dependences;
  std::vector<Batch> found{};
  std::vector<std::size_t> batch_of{};
  std::vector<std::size_t> depths{}, heights{};  // of each kernel: behind what, before what
  std::size_t tail = 0;                          // the largest height of what is late
  std::vector<std::size_t> ranks{};              // of each batch: where it would like to stand

  using Entry = std::tuple<std::size_t, bool, std::size_t>;  // rank, is no point, batch
  std::set<Entry> ready{};
  std::vector<std::size_t> needs{};
  std::vector<Batch> ordered{};

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

  // What nothing depends on, or only a few kernels in a row. Whatever depends on it is as well.
  bool is_late(std::size_t k) const { return heights[k] <= tail; }

  // Kernels of the same depth do not depend on each other, nor do those of the same height; and
  // neither do batches of them, if all late ones are joined by height and all others by depth.
  void join(std::size_t up_to) {
    tail = up_to;
    found.clear();
    std::unordered_map<Hash, std::size_t, HashOfHash> known;
    std::vector<Extent> held;  // of each batch
    batch_of.resize(kernels.size());
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const std::uint64_t level = is_late(k) ? heights[k] : depths[k];
      const Hash key =
          Hasher().add(kernels[k].text).add(level).add(std::uint64_t{is_late(k)}).result();
      const auto entry = known.find(key);
      if (kernels[k].is_joinable && entry != known.end() && may_join(k, entry->second)) {
        const Extent sum = held[entry->second] + kernels[k].held;
        if (heights[k] == 0 || !is_late(k) || is_at_most(sum, most_held_bytes)) {
          batch_of[k] = entry->second;
          found[entry->second].together.push_back(k);
          held[entry->second] = sum;
          continue;
        }
      }
      batch_of[k] = found.size();
      if (kernels[k].is_joinable) known[key] = found.size();
      found.push_back({{}, {k}, {}});
      held.push_back(kernels[k].held);
    }
  }

  // Joins the late ones of as many heights as make the fewest batches.
  void join_best(std::size_t most_tail) {
    std::size_t best = 0, fewest = kernels.size() + 1;
    for (std::size_t up_to = 0; up_to <= most_tail; ++up_to) {
      join(up_to);
      if (found.size() >= fewest) continue;
      best = up_to;
      fewest = found.size();
    }
    if (tail != best) join(best);
  }

  // What is not small stays where it is.
  bool may_join(std::size_t k, std::size_t batch) const {
    const std::size_t last = found[batch].together.back();
    return (kernels[k].is_small && kernels[last].is_small) || last + 1 == k;
  }

  bool is_point(const Batch& batch) const {
    std::int64_t work = 0;
    for (const std::size_t k : batch.together) {
      const Candidate& one = kernels[k];
      if (!one.is_alone || !one.is_joinable || !one.work.is_number()) return false;
      work += one.work.number();
      if (work > most_work_of_point) return false;
    }
    return true;
  }
  bool is_point(std::size_t batch) const { return is_point(found[batch]); }

  // Batches stand where their first kernel stood, late ones where their last did, and what one
  // thread does just before it is needed.
  void find_ranks() {
    ranks.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto& list = found[i].together;
      ranks[i] = is_late(list[0]) ? list.back() : list[0];
    }
    for (std::size_t k = kernels.size(); k-- > 0;) {
      if (!is_point(batch_of[k]) || dependences.after[k].empty()) continue;
      std::size_t rank = kernels.size();
      for (const std::size_t other : dependences.after[k]) {
        rank = std::min(rank, ranks[batch_of[other]]);
      }
      ranks[batch_of[k]] = rank;
    }
  }

  void offer(std::size_t batch) {
    if (needs[batch] == 0) ready.insert({ranks[batch], !is_point(batch), batch});
  }

  void run(std::size_t batch) {
    ordered.push_back(found[batch]);
    for (const std::size_t k : found[batch].together) {
      for (const std::size_t other : dependences.after[k]) {
        if (--needs[batch_of[other]] == 0) offer(batch_of[other]);
      }
    }
  }

  void order() {
    needs.assign(found.size(), 0);
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      needs[batch_of[k]] += dependences.before[k].size();
    }
    for (std::size_t i = 0; i < found.size(); ++i) offer(i);
    while (!ready.empty()) {
      const std::size_t batch = std::get<2>(*ready.begin());
      ready.erase(ready.begin());
      run(batch);
    }
  }

  // What one thread does next to a batch becomes part of it.
  std::vector<Batch> with_points() const {
    std::vector<Batch> result;
    std::vector<std::size_t> points;    // since the last batch of several kernels
    std::vector<const Batch*> batches;  // the same
    const auto flush = [&] {
      for (const Batch* batch : batches) result.push_back(*batch);
      points.clear(), batches.clear();
    };
    for (const Batch& batch : ordered) {
      if (is_point(batch)) {
        auto* const last = result.empty() || !points.empty() ? nullptr : &result.back();
        const bool ends = last != nullptr && last->together.size() > 1;
        auto& list = ends ? last->after : points;
        list.insert(list.end(), batch.together.begin(), batch.together.end());
        if (!ends) batches.push_back(&batch);
        continue;
      }
      if (batch.together.size() == 1) flush();
      result.push_back(batch);
      result.back().before = std::move(points);
      points.clear(), batches.clear();
    }
    flush();
    return result;
  }
};

}  // namespace detail

SINTER_INLINE std::vector<Batch> batches(std::span<const Candidate> kernels,
                                         const Dependences& dependences, std::size_t most_tail) {
  detail::BatchMaker maker{kernels, dependences};
  maker.find_depths();
  maker.join_best(most_tail);
  const bool alone = maker.found.size() == kernels.size();
  if (!alone) {
    maker.find_ranks();
    maker.order();
  }
  detail::StartFinder finder{kernels, dependences,
                             alone ? std::move(maker.found) : maker.with_points()};
  finder.find();
  return std::move(finder.batches);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
