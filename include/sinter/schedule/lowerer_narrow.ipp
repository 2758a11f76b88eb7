#pragma once

// Values of 16 bits: what other kernels load is the number that their own kernel goes on with.

#include <utility>  // std::move

#include <sinter/schedule/lowerer.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

// `value` of `of`, rounded if kernels that come later load it, so that all see the same number.
SINTER_INLINE ValueId Lowerer::as_stored(NodeId of, ValueId value) {
  const DType dtype = type(of).dtype;
  const bool computes = is_elementwise(node(of).op) || is_heavy(node(of).op);
  const bool narrow = computes && is_floating(dtype) && computed_in(dtype) != dtype;
  const bool is_same = fusion_.strict || is_written_cast(node(of));
  if (!narrow || is_same || !fusion_.demand.loaded[of]) return value;
  Instruction result = instruction(Code::compute, of, dtype);
  result.op = Op::cast, result.operands = {value}, result.constant = sinter::detail::constant(true);
  return lowering.append(lowering.known_from(value), std::move(result));
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
