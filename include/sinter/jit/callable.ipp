#pragma once

#include <algorithm>  // std::min

#include <sinter/base/env.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/callable.hpp>

namespace sinter::inline SINTER_ABI::jit::detail {

SINTER_INLINE void throw_changed_number(const guard::PlainValue& before,
                                        const guard::PlainValue& after, Where where) {
  throw ValueError(
      {.op = "compile",
       .what = "the function changes a plain number of its arguments",
       .facts = {{"member", after.name}, {"before", before.value}, {"after", after.value}},
       .rule = "numbers are constants of a recording",
       .fix = "make it a Scalar, which is computed on every call",
       .where = where,
       .see = "numbers"});
}

SINTER_INLINE void require_same_numbers(std::span<const guard::PlainValue> before,
                                        std::span<const guard::PlainValue> after, Where where) {
  for (const guard::PlainValue& value : after) {
    for (const guard::PlainValue& known : before) {
      if (known.is_structure || known.name != value.name || known.value == value.value) continue;
      throw_changed_number(known, value, where);
    }
  }
}

SINTER_INLINE void require_distinct(const Recording& recording, std::span<const guard::Leaf> leaves,
                                    Where where) {
  if (recording.changes_structure) return;
  for (const std::int32_t changed : recording.changed) {
    const auto at = static_cast<std::size_t>(changed);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i == at || leaves[i].tensor != leaves[at].tensor) continue;
      throw ValueError({.op = "compile",
                        .what = "the function changes a tensor that is two of its arguments",
                        .facts = {{"first", recording.guard.leaves[std::min(i, at)].name},
                                  {"second", recording.guard.leaves[std::max(i, at)].name}},
                        .rule = "each argument of a recording has a value of its own",
                        .fix = "pass a copy, Tensor(x), as the one that is only read",
                        .where = where,
                        .see = "state"});
    }
  }
}

SINTER_INLINE void call_host_functions(const Recording& recording, std::span<const Tensor> values) {
  for (const HostCall& call : recording.host_calls) {
    (*call.function)(values.first(call.operands));
    values = values.subspan(call.operands);
  }
}

SINTER_INLINE void require_same_recording(const Recording& recording, const Recording& again,
                                          Where where) {
  const bool equal = hash_of(recording.graph) == hash_of(again.graph) &&
                     recording.changed == again.changed && recording.kept == again.kept;
  if (equal) return;
  throw ValueError({.op = "SINTER_CHECK",
                    .what = "the function records something else than before, for arguments that "
                            "are like before",
                    .facts = {{"operations before", text(recording.graph.nodes.size())},
                              {"operations now", text(again.graph.nodes.size())}},
                    .rule = "what a compiled function records depends on its arguments only",
                    .fix = "pass what it depends on, as a global variable, as an argument",
                    .where = where,
                    .see = "open-callables"});
}

SINTER_INLINE std::vector<Tensor> tensors_afterwards(const Recording& recording,
                                                     std::span<const guard::Leaf> leaves,
                                                     std::span<const Tensor> values) {
  std::vector<Tensor> result;
  std::size_t next = 0;
  for (const std::int32_t leaf : recording.kept) {
    result.push_back(leaf < 0 ? values[next++] : *leaves[static_cast<std::size_t>(leaf)].tensor);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::jit::detail

namespace sinter::inline SINTER_ABI::jit {

SINTER_INLINE bool checks() {
  static const bool result = env_flag(Env::check);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::jit
