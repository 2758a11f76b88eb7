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
      if (known.is_structure || value.is_structure) continue;
      if (known.name != value.name || known.value == value.value) continue;
      throw_changed_number(known, value, where);
    }
  }
}

[[noreturn]] SINTER_INLINE void throw_both_changed(const std::string& first,
                                                   const std::string& second, Where where) {
  throw ValueError({.op = "compile",
                    .what = "the function changes a tensor through two of its arguments",
                    .facts = {{"first", first}, {"second", second}},
                    .rule = "each argument of a recording has a value of its own",
                    .fix = "pass a copy, Tensor(x), as one of them",
                    .where = where,
                    .see = "state"});
}

SINTER_INLINE std::vector<Tensor> shared_leaves(std::span<const std::int32_t> changed,
                                                std::span<const guard::Leaf> leaves,
                                                const LeafNames& names, Where where) {
  std::vector<Tensor> result;
  for (const std::int32_t leaf : changed) {
    const auto at = static_cast<std::size_t>(leaf);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (i == at || leaves[i].tensor != leaves[at].tensor) continue;
      const bool is_changed = std::find(changed.begin(), changed.end(), i) != changed.end();
      if (is_changed) {
        const std::vector<std::string> all = names.leaves();
        throw_both_changed(all[std::min(i, at)], all[std::max(i, at)], where);
      }
      result.push_back(*leaves[at].tensor);
    }
  }
  return result;
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
