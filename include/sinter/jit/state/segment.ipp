#pragma once

#include <algorithm>  // std::max
#include <mutex>      // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/jit/state/segment.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/trace/value/hash.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE bool fits(const Segment& segment, const Tape& tape) {
  return all_of(segment.numbers, [&](const NumberOnTape& number) {
    return number.is_input || bits_of_number(*tape.values()[number.position]) == number.bits;
  });
}

}  // namespace detail

SINTER_INLINE SharedPtr<const Segment> Segments::find(const Hash& key, const Tape& tape) const {
  const std::lock_guard lock(mutex_);
  const auto known = segments_.find(key);
  if (known == segments_.end()) return nullptr;
  for (std::size_t i = known->second.size(); i-- > 0;) {
    if (!detail::fits(*known->second[i], tape)) continue;
    known->second[i]->last_used = ++uses_;
    return known->second[i];
  }
  return nullptr;
}

SINTER_INLINE bool Segments::knows_numbers(const Hash& kind, std::size_t numbers) const {
  const std::lock_guard lock(mutex_);
  return numbers_.knows(kind, numbers);
}

SINTER_INLINE Vector<bool> Segments::choose_inputs(const Hash& kind,
                                                   Span<const std::uint64_t> numbers,
                                                   bool may_differ) {
  const std::lock_guard lock(mutex_);
  return numbers_.choose(kind, numbers, may_differ);
}

SINTER_INLINE void Segments::add(const Hash& key, SharedPtr<const Segment> segment) {
  const std::lock_guard lock(mutex_);
  if (count_ == most) segments_.clear(), numbers_.clear(), count_ = 0;
  segment->last_used = ++uses_;
  segments_[key].push_back(std::move(segment));
  ++count_;
}

SINTER_INLINE void Segments::replace(const Hash& key, const Segment& segment,
                                     SharedPtr<const Segment> next) {
  const std::lock_guard lock(mutex_);
  for (SharedPtr<const Segment>& known : segments_[key]) {
    if (known.get() == &segment) known = next;
  }
}

SINTER_INLINE Vector<SharedPtr<const Segment>> Segments::evict() {
  const std::lock_guard lock(mutex_);
  SortedMap<std::uint64_t, std::uint64_t> last_used;  // by recording
  for (const auto& [key, list] : segments_) {
    for (const auto& segment : list) {
      std::uint64_t& last = last_used[segment->recording];
      last = std::max(last, segment->last_used);
    }
  }
  std::uint64_t oldest = 0, least = ~std::uint64_t{0};
  for (const auto& [recording, last] : last_used) {
    if (last < least) oldest = recording, least = last;
  }
  Vector<SharedPtr<const Segment>> result;
  for (auto& [key, list] : segments_) {
    Vector<SharedPtr<const Segment>> kept;
    for (auto& segment : list) (segment->recording == oldest ? result : kept).push_back(segment);
    list = std::move(kept);
  }
  count_ -= result.size();
  return result;
}

SINTER_INLINE void Segments::clear() {
  const std::lock_guard lock(mutex_);
  segments_.clear(), numbers_.clear();
  count_ = 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
