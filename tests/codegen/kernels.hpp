#pragma once
// Kernels written by hand, for the tests of codegen.

#include <string>
#include <utility>
#include <vector>

#include <sinter/schedule/ir/kernel.hpp>

namespace kernels {

using namespace sinter;
using namespace sinter::detail;
using schedule::Access;
using schedule::Code;
using schedule::Guard;
using schedule::Instruction;
using schedule::Kernel;
using schedule::Loop;
using schedule::ValueId;
using schedule::VectorAxis;

/// Appends to a kernel, in the stage that was opened last.
class KernelBuilder {
 public:
  explicit KernelBuilder(std::string name, VectorAxis axis = VectorAxis::none) {
    kernel.name = std::move(name);
    kernel.vector_axis = axis;
  }

  std::int32_t argument(DType dtype, Access access, Extent elements) {
    kernel.arguments.push_back({dtype, access, elements});
    return static_cast<std::int32_t>(kernel.arguments.size()) - 1;
  }
  Extent symbol(std::int64_t min = 0, std::int64_t max = unbounded) {
    kernel.symbols.push_back(
        Extent::symbol(static_cast<std::uint32_t>(kernel.symbols.size()), {min, max, 1}));
    return kernel.symbols.back();
  }
  Extent grid(Extent extent, int unroll = 1) {
    const Extent variable = Extent::range(next_range_++, extent);
    kernel.grid.push_back({variable, extent, unroll});
    return variable;
  }
  KernelBuilder& stage() {
    kernel.stages.emplace_back();
    return *this;
  }
  Extent loop(Extent extent) {
    const Extent variable = Extent::range(next_range_++, extent);
    kernel.stages.back().loops.push_back({variable, extent, 1});
    return variable;
  }

  ValueId load(std::int32_t argument, Extent index, Vector<Guard> guards = {},
               Constant otherwise = {}) {
    Instruction one{.code = Code::load, .op = Op::input, .dtype = dtype_of(argument)};
    one.argument = argument;
    one.index = index;
    one.guards = std::move(guards);
    const bool given = otherwise.bits != 0 || otherwise.dtype != boolean;
    one.constant = given ? otherwise : sinter::detail::constant(0, dtype_of(argument));
    one.remark = {.name = "input"};
    return add(std::move(one));
  }
  ValueId number(double value, DType dtype) {
    Instruction one{.code = Code::constant, .op = Op::constant, .dtype = dtype};
    one.constant = sinter::detail::constant(value, dtype);
    one.remark = {.name = "constant", .value = one.constant};
    return add(std::move(one));
  }
  ValueId index(Extent extent, DType dtype = i64) {
    Instruction one{.code = Code::index, .op = Op::iota, .dtype = dtype};
    one.index = extent;
    one.remark = {.name = "iota"};
    return add(std::move(one));
  }
  ValueId inside(Vector<Guard> guards) {
    Instruction one{.code = Code::inside, .op = Op::pad, .dtype = boolean};
    one.guards = std::move(guards);
    one.remark = {.name = "pad"};
    return add(std::move(one));
  }
  ValueId compute(Op op, DType dtype, std::vector<ValueId> operands) {
    Instruction one{.code = Code::compute, .op = op, .dtype = dtype};
    one.operands = {operands.data(), operands.data() + operands.size()};
    one.remark = {.name = sinter::detail::info(op).name};
    return add(std::move(one));
  }
  ValueId random(ValueId seed, ValueId offset, std::int64_t number, Extent position) {
    Instruction one{.code = Code::random, .op = Op::random_bits, .dtype = i32};
    one.operands = {seed, offset};
    one.constant = sinter::detail::constant(number, i64);
    one.index = position;
    one.remark = {.name = "random_bits"};
    return add(std::move(one));
  }
  Extent bind(ValueId index, Extent bound, Extent position) {
    Instruction one{.code = Code::bind, .op = Op::gather, .dtype = i64};
    one.operands = {index};
    one.index = position;
    one.variable = Extent::range(next_range_++, bound);
    one.bound = bound;
    one.remark = {.name = "gather"};
    const Extent variable = one.variable;
    add(std::move(one));
    return variable;
  }
  ValueId divisor(ValueId value, DType dtype, Extent position, Vector<Guard> guards = {}) {
    Instruction one{.code = Code::divisor, .op = Op::remainder, .dtype = dtype};
    one.operands = {value};
    one.index = position;
    one.guards = std::move(guards);
    one.remark = {.name = "remainder"};
    return add(std::move(one));
  }
  ValueId reduce(Op op, DType dtype, ValueId operand, Extent position = 0) {
    Instruction one{.code = Code::reduce, .op = op, .dtype = dtype};
    one.operands = {operand};
    one.index = position;
    one.remark = {.name = sinter::detail::info(op).name};
    return add(std::move(one));
  }
  ValueId running(Op op, DType dtype, ValueId operand) {
    Instruction one{.code = Code::scan, .op = op, .dtype = dtype};
    one.operands = {operand};
    one.remark = {.name = sinter::detail::info(op).name};
    return add(std::move(one));
  }
  /// Sorts `count` elements that are `step` apart, from `first` on.
  void sort(std::int32_t source, std::int32_t argument, Extent first, Extent step, Extent count,
            bool descending) {
    Instruction one{.code = Code::sort, .op = Op::argsort, .dtype = i64};
    one.source = source;
    one.argument = argument;
    one.variable = Extent::range(next_range_++, count);
    one.index = first + one.variable * step;
    one.bound = count;
    one.constant = sinter::detail::constant(descending, boolean);
    one.remark = {.name = "argsort"};
    add(std::move(one));
  }
  void store(std::int32_t argument, Extent index, ValueId value, bool accumulate = false) {
    Instruction one{.code = Code::store, .op = Op::input, .dtype = dtype_of(argument)};
    one.operands = {value};
    one.argument = argument;
    one.index = index;
    one.accumulate = accumulate;
    add(std::move(one));
  }

  Kernel kernel;

 private:
  DType dtype_of(std::int32_t argument) const {
    return kernel.arguments[static_cast<std::size_t>(argument)].dtype;
  }
  ValueId add(Instruction one) {
    kernel.instructions.push_back(std::move(one));
    const auto id = static_cast<ValueId>(kernel.instructions.size()) - 1;
    kernel.stages.back().body.push_back(id);
    return id;
  }

  std::uint32_t next_range_ = 100;
};

/// The sizes of one kernel: numbers, or symbols whose values are the numbers.
class Sizes {
 public:
  Sizes(std::vector<std::int64_t> numbers, bool symbolic)
      : numbers_(std::move(numbers)), symbolic_(symbolic) {}

  Extent operator()(KernelBuilder& builder) {
    const std::int64_t number = numbers_.at(next_++);
    return symbolic_ ? builder.symbol() : Extent(number);
  }

 private:
  std::vector<std::int64_t> numbers_;
  std::size_t next_ = 0;
  bool symbolic_;
};

}  // namespace kernels
