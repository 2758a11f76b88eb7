#pragma once

#include <sinter/schedule/tile/streaming_dtype.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

SINTER_INLINE bool set_common_dtype(StreamingForm& form) {
  const auto dtype = [&](ValueId id) { return form.code.instructions[id].dtype; };
  form.dtype = dtype(form.dots[0].result);
  bool is_common = form.dtype == f32 || form.dtype == f64;
  const auto add = [&](ValueId id) { is_common = is_common && dtype(id) == form.dtype; };
  for (const StreamingDot& dot : form.dots) add(dot.left), add(dot.right), add(dot.result);
  for (const StreamingAccumulator& sum : form.accumulators) {
    add(sum.value), add(sum.right), add(sum.result);
  }
  for (const RunningReduction& reduction : form.reductions) add(reduction.result);
  return is_common;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
