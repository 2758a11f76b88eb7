#pragma once

#include <sinter/base/error.hpp>
#include <sinter/runtime/host/launch_fault.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

[[noreturn]] SINTER_INLINE void throw_fault(const schedule::Launch& launch, const Fault& fault) {
  const schedule::Check& check = launch.checks.at(static_cast<std::size_t>(fault.number - 1));
  const Where where = check.called.where;
  const OutsidePublicCalls elsewhere;
  const PublicCall call(check.called);
  if (check.op == Op::custom) {
    const bool is_operand = fault.position < fault.bound;
    throw_custom_wrote(check.called.name, is_operand,
                       is_operand ? fault.position : fault.position - fault.bound, fault.value == 0,
                       where);
  }
  if (check.code == schedule::Code::divisor) {
    throw_division_by_zero(check.op, check.dtype, fault.position, where);
  }
  throw_out_of_range(check.op, fault.value, fault.bound, fault.position, where);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
