#pragma once

#include <cstdint>  // std::uint32_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/run/replayable.hpp>
#include <sinter/jit/run/tape_graph.hpp>
#include <sinter/trace/value/tape.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Counts the handles on each value among the leaves.
SINTER_INLINE void count_handles(const guard::Leaves& leaves,
                                 HashMap<const Lazy*, std::uint32_t>& counts) {
  for (const guard::Leaf& leaf : leaves.list) ++counts[leaf.tensor->lazy().get()];
}

SINTER_INLINE std::string reason_to_retrace(const Recorder& recorder, const guard::Leaves& results,
                                            const guard::Leaves& after, bool is_pure) {
  const Outside* read = is_pure ? nullptr : recorder.outside_read();
  if (!is_pure && read == nullptr && !recorder.outside().empty())
    read = &recorder.outside().front();
  if (read != nullptr) {
    return text("it uses ", to_string(read->tensor), " at ", sinter::to_string(read->where),
                ", which is not an argument");
  }
  for (const Effect& effect : recorder.effects()) {
    if (effect.has_captures) return "it calls a host function with captures";
  }
  for (const guard::Leaves* const leaves : {&results, &after}) {
    for (const guard::Leaf& leaf : leaves->list) {
      if (leaf.tensor->lazy()->recording == recorder.id()) continue;
      return text("it returns ", to_string(*leaf.tensor), ", which is not an argument");
    }
  }
  HashMap<const Lazy*, std::uint32_t> known;
  count_handles(results, known);
  count_handles(after, known);
  for (const Effect& effect : recorder.effects()) {
    for (const Tensor& operand : effect.operands) ++known[operand.lazy().get()];
  }
  const Vector<std::uint32_t> inner = recorder.tape().inner_references();
  for (const std::uint32_t position : escaping_values(recorder)) {
    const Lazy& lazy = *recorder.tape().values()[position];
    const auto handles = known.find(&lazy);
    const std::uint32_t expected = 1 + (handles == known.end() ? 0 : handles->second);
    if (lazy.references.load(MemoryOrder::acquire) > inner[position] + expected) {
      return text("the value created at ", sinter::to_string(lazy.node.where),
                  " is still referenced after the call");
    }
  }
  return {};
}

[[noreturn]] SINTER_INLINE void throw_no_elements(const Break& found) {
  throw GraphBreakError({.op = "prepare",
                         .what = found.reason,
                         .rule = "arguments of prepare have no elements",
                         .fix = text(found.fix, "; or call the function with data"),
                         .where = found.where,
                         .see = "graph-breaks"});
}

[[noreturn]] SINTER_INLINE void throw_captured(const Tensor& outside, Where where) {
  throw ValueError({.op = "prepare",
                    .what = "the function uses a tensor that is not an argument",
                    .facts = {{"tensor", to_string(outside)}},
                    .rule =
                        "a function that is prepared may read its arguments only, because it could "
                        "assign a captured tensor",
                    .fix = "pass the tensor as an argument, list it in a module, or promise with "
                           "assume_pure(f) that it never changes",
                    .where = where,
                    .see = "traced-on-every-call"});
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit
