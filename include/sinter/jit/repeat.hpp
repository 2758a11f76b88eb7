#pragma once
// Whether the arguments of a call are those of the call before.

#include <tuple>  // std::tuple

#include <sinter/config.hpp>
#include <sinter/jit/call.hpp>
#include <sinter/jit/callable.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// True if the call needs neither another variant nor other sizes than the call before. Then the
/// addresses of leaves are up to date where they are needed.
template <class F, class... Bound>
bool is_repeated(Call& call, F& function, std::tuple<Bound...>& bound) {
  const void* const type = &sinter::detail::type_tag<std::tuple<Bound...>>;
  if (call.snapshot.type != type || call.snapshot.watch != watch_count()) return false;
  if (call.snapshot.mode != detail::autocast_word()) return false;
  call.loose.clear();
  std::vector<guard::Leaf>& leaves = call.signature.leaves.list;
  const Recording& recording = call.variant->recording;
  guard::Comparison comparison{.next = call.snapshot.words.data(),
                               .leaf = leaves.data(),
                               .first = leaves.data(),
                               .loose = &call.loose,
                               .moves = recording.changes_structure || !recording.changed.empty()};
  detail::visit_arguments(function, bound,
                          [&](auto& argument) { guard::compare(argument, comparison); });
  return comparison.equal && loose_leaves_fit(call);
}

/// Notes the arguments, which fit the variant, for the next call.
template <class F, class... Bound>
void note_arguments(Call& call, F& function, std::tuple<Bound...>& bound) {
  guard::Snapshot& snapshot = call.snapshot;
  snapshot = {
      .watch = watch_count(), .mode = detail::autocast_word(), .words = std::move(snapshot.words)};
  snapshot.words.clear();
  detail::visit_arguments(function, bound,
                          [&](auto& argument) { guard::note(argument, snapshot); });
  snapshot.type = &sinter::detail::type_tag<std::tuple<Bound...>>;  // last: now it is whole
}

}  // namespace sinter::inline SINTER_ABI::jit
