#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/base/container/algorithm.hpp>
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
    if (detail::fits(*known->second[i], tape)) return known->second[i];
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

SINTER_INLINE void Segments::clear() {
  const std::lock_guard lock(mutex_);
  segments_.clear(), numbers_.clear();
  count_ = 0;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
