#pragma once

#include <mutex>      // std::lock_guard
#include <string>     // std::string
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Numbers the choices of leaves. The number is part of scope_word().
struct RequiresGradChoices {
  ProcessMutex mutex{};
  SortedMap<Vector<bool>, std::uint64_t> numbers{};
  SortedMap<std::uint64_t, const Vector<bool>*> flags{};
};

SINTER_INLINE RequiresGradChoices& requires_grad_choices() {
  static auto& choices = *new RequiresGradChoices;
  return choices;
}

SINTER_INLINE std::uint64_t number_of(Vector<bool> flags) {
  RequiresGradChoices& choices = requires_grad_choices();
  const std::lock_guard lock(choices.mutex);
  const auto [entry, is_new] =
      choices.numbers.try_emplace(std::move(flags), choices.numbers.size() + 1);
  if (is_new) choices.flags[entry->second] = &entry->first;
  return entry->second;
}

SINTER_INLINE std::string requires_grad_text() {
  const Vector<bool>* const flags = leaves_requiring_grad();
  if (flags == nullptr) return "none";
  Vector<std::size_t> positions;
  for (std::size_t i = 0; i < flags->size(); ++i) {
    if ((*flags)[i]) positions.push_back(i);
  }
  return text("of the tensors ", positions, " of ", flags->size());
}

}  // namespace detail

SINTER_INLINE const Vector<bool>* leaves_requiring_grad() {
  if (detail::requires_grad_scope == 0) return nullptr;
  detail::RequiresGradChoices& choices = detail::requires_grad_choices();
  const std::lock_guard lock(choices.mutex);
  return choices.flags.at(detail::requires_grad_scope);
}

SINTER_INLINE RequiresGradScope::RequiresGradScope(const AnyCall& call)
    : outer_(std::exchange(detail::requires_grad_scope, 0)) {
  if (active_differentiations() == 0) return;
  Vector<bool> flags;
  for (const guard::Leaf& leaf : call.signature().leaves.list) {
    flags.push_back(is_floating(leaf.tensor->dtype()) && depends_on_variable(*leaf.tensor));
  }
  const bool any = contains(flags, true);
  if (any) detail::requires_grad_scope = detail::number_of(std::move(flags));
}

SINTER_INLINE RequiresGradScope::~RequiresGradScope() { detail::requires_grad_scope = outer_; }

}  // namespace sinter::inline SINTER_ABI::detail::jit
