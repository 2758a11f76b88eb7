#pragma once

#include <sinter/debug/observe.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail::debug {

SINTER_INLINE SharedPtr<jit::State> state_like(const jit::State& state) {
  return make_shared_ptr<jit::State>(state.options(), state.where());
}

}  // namespace detail::debug

SINTER_INLINE Observation::Observation(detail::SharedPtr<detail::jit::State> state,
                                       std::string_view pattern,
                                       detail::SharedPtr<const detail::ObserverFunction> function,
                                       Where where)
    : state_(std::move(state)),
      observer_(detail::make_shared_ptr<detail::jit::Observer>(std::string(pattern),
                                                               std::move(function), where)) {
  state_->observers().add(observer_, detail::debug::state_like(*state_));
}

SINTER_INLINE void Observation::stop() {
  if (observer_ == nullptr) return;
  const auto state = std::exchange(state_, nullptr);
  const auto observer = std::exchange(observer_, nullptr);
  state->observers().remove(observer.get(), detail::debug::state_like(*state));
  observer->stop();
}

}  // namespace sinter::inline SINTER_ABI
