#pragma once

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/state/number_inputs.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

// The count is part of the key: x * 2 with its constant as an input has the hash of x * y, which
// has no constant.
SINTER_INLINE Hash NumberInputs::key_of(const Hash& kind, std::size_t numbers) {
  return Hasher().add(kind).add(numbers).result();
}

SINTER_INLINE bool NumberInputs::Numbers::fit(Span<const std::uint64_t> numbers) const {
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (!are_inputs[i] && bits[i] != numbers[i]) return false;
  }
  return true;
}

SINTER_INLINE bool NumberInputs::knows(const Hash& kind, std::size_t numbers) const {
  return known_.count(key_of(kind, numbers)) != 0;
}

SINTER_INLINE Vector<bool> NumberInputs::choose(const Hash& kind, Span<const std::uint64_t> numbers,
                                                bool may_differ) {
  Vector<Numbers>& known = known_[key_of(kind, numbers.size())];
  for (const Numbers& other : known) {
    if (other.fit(numbers)) return other.are_inputs;
  }
  Numbers made{{numbers.begin(), numbers.end()}, Vector<bool>(numbers.size())};
  if (may_differ && !known.empty()) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      made.are_inputs[i] = known.back().are_inputs[i] || known.back().bits[i] != numbers[i];
    }
  }
  known.push_back(made);
  return made.are_inputs;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
