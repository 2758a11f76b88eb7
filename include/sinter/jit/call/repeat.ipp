#pragma once

#include <utility>  // std::move

#include <sinter/jit/call/repeat.hpp>
#include <sinter/jit/interface/callable.hpp>
#include <sinter/jit/state/variant.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE bool is_repeated(Call& memory, const AnyCall& call) {
  const void* const type = call.kind().arguments;
  if (memory.snapshot.type != type || memory.snapshot.watch != watch_count()) return false;
  if (memory.snapshot.mode != detail::scope_word()) return false;
  memory.loose.clear();
  std::vector<guard::Leaf>& leaves = memory.signature.leaves.list;
  const Recording& recording = memory.variant->recording;
  guard::Comparison comparison{.next = memory.snapshot.words.data(),
                               .leaf = leaves.data(),
                               .first = leaves.data(),
                               .loose = &memory.loose,
                               .moves = recording.changes_structure || !recording.changed.empty()};
  call.compare(comparison);
  return comparison.equal && loose_leaves_fit(memory);
}

SINTER_INLINE void note_arguments(Call& memory, const AnyCall& call) {
  guard::Snapshot& snapshot = memory.snapshot;
  snapshot = {.watch = watch_count(),
              .mode = memory.signature.leaves.scopes,
              .words = std::move(snapshot.words)};
  snapshot.words.clear();
  call.note(snapshot);
  snapshot.type = call.kind().arguments;  // last: now it is whole
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
