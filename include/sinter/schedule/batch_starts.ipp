#pragma once

#include <algorithm>  // std::all_of, std::find, std::max, std::min, std::remove_if

#include <sinter/schedule/cost.hpp>
#include <sinter/schedule/siblings.hpp>
#include <sinter/symbol/proof.hpp>

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
