#pragma once

#include <algorithm>  // std::find
#include <map>        // std::map
#include <mutex>      // std::lock_guard
#include <string>     // std::string
#include <utility>    // std::exchange

#include <sinter/base/process_mutex.hpp>
#include <sinter/jit/interface/requires_grad.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Each choice of leaves has a number, which is part of the scope of a call.
struct WantedChoices {
  ProcessMutex mutex{};
  std::map<std::vector<bool>, std::uint64_t> numbers{};
  std::map<std::uint64_t, const std::vector<bool>*> flags{};
};

SINTER_INLINE WantedChoices& wanted_choices() {
  static auto& choices = *new WantedChoices;
  return choices;
}

SINTER_INLINE std::uint64_t number_of(std::vector<bool> flags) {
  WantedChoices& choices = wanted_choices();
  const std::lock_guard lock(choices.mutex);
  const auto [entry, is_new] =
      choices.numbers.try_emplace(std::move(flags), choices.numbers.size() + 1);
  if (is_new) choices.flags[entry->second] = &entry->first;
  return entry->second;
}

SINTER_INLINE std::string wanted_text() {
  const std::vector<bool>* const flags = wanted_leaves();
  if (flags == nullptr) return "none";
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < flags->size(); ++i) {
    if ((*flags)[i]) positions.push_back(i);
  }
  return text("of the tensors ", positions, " of ", flags->size());
}

}  // namespace detail

SINTER_INLINE const std::vector<bool>* wanted_leaves() {
  if (detail::wanted_scope == 0) return nullptr;
  detail::WantedChoices& choices = detail::wanted_choices();
  const std::lock_guard lock(choices.mutex);
  return choices.flags.at(detail::wanted_scope);
}

SINTER_INLINE WantedScope::WantedScope(const AnyCall& call)
    : outer_(std::exchange(detail::wanted_scope, 0)) {
  if (active_differentiations() == 0) return;
  std::vector<bool> flags;
  for (const guard::Leaf& leaf : call.signature().leaves.list) {
    flags.push_back(is_floating(leaf.tensor->dtype()) && depends_on_variable(*leaf.tensor));
  }
  const bool any = std::find(flags.begin(), flags.end(), true) != flags.end();
  if (any) detail::wanted_scope = detail::number_of(std::move(flags));
}

SINTER_INLINE WantedScope::~WantedScope() { detail::wanted_scope = outer_; }

}  // namespace sinter::inline SINTER_ABI::detail::jit
