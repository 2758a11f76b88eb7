#pragma once
// Kernels written by hand.

#include <sinter/schedule/ir/kernel.hpp>

namespace handwritten_kernels {

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

inline Instruction load(std::int32_t argument, Extent index) {
  Instruction result{.code = Code::load, .op = Op::input, .dtype = f32};
  result.argument = argument;
  result.index = index;
  result.constant = constant(0, f32);
  return result;
}

inline Instruction compute(Op op, std::initializer_list<ValueId> operands) {
  Instruction result{.code = Code::compute, .op = op, .dtype = f32};
  result.operands = operands;
  return result;
}

inline Instruction store(std::int32_t argument, Extent index, ValueId value) {
  Instruction result{.code = Code::store, .dtype = f32};
  result.argument = argument;
  result.index = index;
  result.operands = {value};
  return result;
}

/// y = sin(x) over rows x columns elements, with the strides of x as given.
inline Kernel sine(Extent rows, Extent columns, Extent row_stride, Extent column_stride) {
  const Extent r0 = Extent::range(0, rows), r1 = Extent::range(1, columns);
  Kernel kernel{.name = "sin_f32"};
  kernel.arguments = {{f32, Access::read, rows * columns}, {f32, Access::write, rows * columns}};
  kernel.grid = {{r0, rows}, {r1, columns}};
  kernel.stages = {{{}, {0, 1, 2}}};
  kernel.instructions = {load(0, r0 * row_stride + r1 * column_stride), compute(Op::sin, {0}),
                         store(1, r0 * columns + r1, 1)};
  return kernel;
}

/// y = sum over the row of x.
inline Kernel row_sum(Extent rows, Extent columns) {
  const Extent r0 = Extent::range(0, rows), r1 = Extent::range(1, columns);
  Kernel kernel{.name = "sum_f32_rows"};
  kernel.arguments = {{f32, Access::read, rows * columns}, {f32, Access::write, rows}};
  kernel.grid = {{r0, rows}};
  kernel.stages = {{{{r1, columns}}, {0, 1}}, {{}, {2}}};
  Instruction sum{.code = Code::reduce, .op = Op::sum, .dtype = f32};
  sum.operands = {0};
  kernel.instructions = {load(0, r0 * columns + r1), sum, store(1, r0, 1)};
  return kernel;
}

}  // namespace handwritten_kernels
