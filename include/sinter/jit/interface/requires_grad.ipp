#pragma once

#include <mutex>    // std::lock_guard
#include <string>   // std::string
#include <utility>  // std::exchange, std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// The combinations of required leaves seen so far, numbered from 1. The number is part of
// scope_word().
struct RequiresGradChoices {
  ProcessMutex mutex{};
  Vector<UniquePtr<const Vector<bool>>> flags{};  // few: each has a recording of its own
};

SINTER_INLINE RequiresGradChoices& requires_grad_choices() {
  static auto& choices = *new RequiresGradChoices;
  return choices;
}

SINTER_INLINE std::uint64_t number_of(Vector<bool> flags) {
  RequiresGradChoices& choices = requires_grad_choices();
  const std::lock_guard lock(choices.mutex);
  for (std::size_t i = 0; i < choices.flags.size(); ++i) {
    if (*choices.flags[i] == flags) return i + 1;
  }
  choices.flags.push_back(make_unique_ptr<const Vector<bool>>(std::move(flags)));
  return choices.flags.size();
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
  return choices.flags.at(detail::requires_grad_scope - 1).get();
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
