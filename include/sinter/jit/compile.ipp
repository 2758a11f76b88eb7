#pragma once

#include <cstdio>  // std::fputs

#include <sinter/jit/compile.hpp>
#include <sinter/jit/state/limits.hpp>
#include <sinter/jit/state/state.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE void print(const Explanation& explanation) {
  std::fputs(to_string(explanation).c_str(), stdout);
}

}  // namespace sinter::inline SINTER_ABI

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE Where line_of(const State& state) { return state.where(); }

SINTER_INLINE SharedPtr<State> make_state(const CompileOptions& options, Where where) {
  auto state = make_shared_ptr<State>(options, where);
  register_function(state);
  return state;
}

SINTER_INLINE void note_eager_call(State& state) { state.note_eager_call(); }

SINTER_INLINE void freeze(State& state) { state.freeze(); }

SINTER_INLINE Explanation explain(State& state) { return state.explain(); }

SINTER_INLINE Stats stats(State& state) { return state.stats(); }

}  // namespace sinter::inline SINTER_ABI::detail::jit
