#pragma once

// What earlier calls kept for a call, and memory for what this one keeps.

#include <sinter/runtime/executable.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE void Executable::bind_kept(Call& call,
                                         std::span<const Storage* const> kept_from) const {
  for (std::size_t i = 0; i < kept_slots_.size(); ++i) {
    const schedule::Kept& kept = kept_slots_[i].kept;
    void* memory = nullptr;
    if (kept_from.size() == kept_slots_.size()) {
      call.loans.emplace_back(*kept_from[i], kept.key, static_cast<std::size_t>(kept.bytes));
      memory = call.loans.back().data();
    }
    call.pointers[static_cast<std::size_t>(kept_slots_[i].pointer)] = memory;
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
