#pragma once

#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/runtime/background.hpp>

namespace sinter::inline SINTER_ABI::jit {

SINTER_INLINE std::shared_ptr<const Segment> Run::segment_for(const Positions& outputs,
                                                              std::span<const NewValue> updates) {
  const Hash key = key_of(outputs, updates);
  std::shared_ptr<const Segment> segment = state_.segments().find(key, recorder().tape());
  if (segment == nullptr) {
    const Turn turn(state_.compile_turns(), key);
    segment = state_.segments().find(key, recorder().tape());  // of another thread
    if (segment == nullptr) segment = make_segment(key, outputs, updates);
  }
  if (segment->is_interim) runtime::keep_background_running();
  report_.interpreted = report_.interpreted || state_.is_eager(*segment->runnable.program);
  return segment;
}

SINTER_INLINE void Run::refuse() const {
  const std::vector<guard::PlainValue> plain = name_source().plain();
  state_.refuse(state_.failure_of_run(real(), structure_, names(), plain));
}

SINTER_INLINE void Run::throw_no_elements(const Break& found) const {
  throw GraphBreakError({.op = "prepare",
                         .what = found.reason,
                         .rule = "what is prepared has no elements",
                         .fix = text(found.fix, "; or call the function with data"),
                         .where = found.where,
                         .see = "graph-breaks"});
}

// Without data, what the function assigns to a captured tensor could not be computed, and what the
// tensor was would be lost.
SINTER_INLINE void Run::throw_captured(const Tensor& outside) const {
  throw ValueError({.op = "prepare",
                    .what = "the function uses a tensor that is no argument",
                    .facts = {{"tensor", to_string(outside)}},
                    .rule =
                        "what is prepared reads its arguments only, because it might assign what "
                        "it captured",
                    .fix = "pass the tensor as an argument, list it in a module, or promise with "
                           "assume_pure(f) that it never changes",
                    .where = where(),
                    .see = "open-callables"});
}

SINTER_INLINE void Run::prepare(const guard::Leaves& after, const LeafNames& names_after) {
  end_sizes();
  const RecorderScope outside(nullptr);
  start_created_state();
  const Positions outputs = held();
  std::vector<NewValue> updates = new_values(after, names_after);
  if (!recorder().effects().empty()) updates.clear();
  if (!outputs.empty()) report_.segments.push_back(segment_for(outputs, updates));
  report_.symbols = hints();
  recorder().take_effects();
}

}  // namespace sinter::inline SINTER_ABI::jit
