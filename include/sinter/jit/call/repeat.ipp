#pragma once

#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/jit/call/repeat.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE bool is_repeated(CallFrame& frame, const AnyCall& call) {
  const void* const type = call.kind().arguments;
  if (frame.snapshot.type != type || frame.snapshot.watch != watch_count()) return false;
  if (frame.snapshot.scopes != detail::scope_word()) return false;
  frame.unwatched.clear();
  Vector<guard::Leaf>& leaves = frame.signature.leaves.list;
  const Recording& recording = frame.variant->recording;
  guard::Comparison comparison{.next = frame.snapshot.words.data(),
                               .leaf = leaves.data(),
                               .first = leaves.data(),
                               .unwatched = &frame.unwatched,
                               .moves = recording.changes_structure || !recording.changed.empty()};
  call.compare(comparison);
  return comparison.equal && unwatched_leaves_fit(frame);
}

SINTER_INLINE void note_arguments(CallFrame& frame, const AnyCall& call) {
  guard::Snapshot& snapshot = frame.snapshot;
  snapshot = {.watch = watch_count(),
              .scopes = frame.signature.leaves.scopes,
              .words = std::move(snapshot.words)};
  snapshot.words.clear();
  call.note(snapshot);
  snapshot.type = call.kind().arguments;  // last, because it marks the snapshot as complete
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
