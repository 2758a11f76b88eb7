// Evaluates the kernels of all tests, element by element: this file is compiled with optimisation.

#include "evaluate.hpp"

#include <cmath>
#include <cstring>
#include <limits>

#include <sinter/base/philox.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "../schedule/sorted.hpp"
#include "operations.hpp"

namespace kernels {

using operations::result_of;

namespace {

double number(const Constant& c) {
  return is_floating(c.dtype) ? c.floating() : static_cast<double>(c.integer());
}

}  // namespace

Evaluator::Evaluator(const schedule::Kernel& kernel, std::vector<std::int64_t> sizes,
                     std::vector<Data>& data)
    : kernel_(kernel), data_(data) {
  for (std::size_t i = 0; i < sizes.size(); ++i) variables_[kernel.symbols[i].bits()] = sizes[i];
  std::size_t buffer = 0;
  for (const schedule::Argument& argument : kernel.arguments) {
    const bool local = argument.access == schedule::Access::local;
    buffers_.push_back(local ? -1 : static_cast<int>(buffer++));
    rows_.push_back({argument.dtype, {}});
  }
  values_.resize(kernel.instructions.size());
  loops(kernel.grid, 0, [&] { point(); });
}

void Evaluator::loops(const Vector<schedule::Loop>& all, std::size_t depth, const Body& body) {
  if (depth == all.size()) return body();
  const std::int64_t extent = value(all[depth].extent);
  for (std::int64_t i = 0; i < extent; ++i) {
    if (!all[depth].variable.is_number()) variables_[all[depth].variable.bits()] = i;
    loops(all, depth + 1, body);
  }
}

void Evaluator::point() {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (buffers_[i] >= 0) continue;
    const auto elements = static_cast<std::size_t>(value(kernel_.arguments[i].elements));
    rows_[i].elements.assign(elements, constant(0, rows_[i].dtype));
  }
  for (const schedule::Stage& stage : kernel_.stages) {
    for (const schedule::ValueId id : stage.body) start(id);
    loops(stage.loops, 0, [&] {
      for (const schedule::ValueId id : stage.body) run(id);
    });
  }
}

const schedule::Instruction& Evaluator::at(schedule::ValueId id) const {
  return kernel_.instructions[static_cast<std::size_t>(id)];
}

std::int64_t Evaluator::value(Extent extent) const {
  return evaluate(extent, [&](Extent variable) { return variables_.at(variable.bits()); });
}

bool Evaluator::inside(const schedule::Instruction& instruction) const {
  for (const schedule::Guard& guard : instruction.guards) {
    const std::int64_t at = value(guard.value);
    if (at < value(guard.low) || at >= value(guard.high)) return false;
  }
  return true;
}

void Evaluator::start(schedule::ValueId id) {
  const schedule::Instruction& one = at(id);
  if (one.code == schedule::Code::scan) {
    result(id) = constant(one.op == Op::cumprod ? 1 : 0, one.dtype);
  }
  if (one.code != schedule::Code::reduce) return;
  const double infinity = std::numeric_limits<double>::infinity();
  if (one.op == Op::argmax) {
    result(id) = constant(0, i64);
    best_[id] = Constant{};
    first_[id] = true;
  } else if (one.dtype == i64 && (one.op == Op::max || one.op == Op::min)) {
    using Limits = std::numeric_limits<std::int64_t>;
    result(id) = constant(one.op == Op::max ? Limits::min() : Limits::max(), i64);
  } else {
    const bool least = one.op == Op::max;
    const double start = one.op == Op::sum    ? 0
                         : one.op == Op::prod ? 1
                         : least              ? -infinity
                                              : infinity;
    result(id) = one.dtype == boolean ? constant(!least, boolean) : constant(start, one.dtype);
  }
}

void Evaluator::reduce(schedule::ValueId id) {
  const schedule::Instruction& one = at(id);
  const Constant operand = result(one.operands[0]);
  if (one.op == Op::argmax) {
    const double a = number(operand), b = number(best_[id]);
    if (first_[id] || a > b || (std::isnan(a) && !std::isnan(b))) {
      best_[id] = operand;
      result(id) = constant(value(one.index), i64);
    }
    first_[id] = false;
    return;
  }
  const Op op = one.op == Op::sum    ? Op::add
                : one.op == Op::prod ? Op::mul
                : one.op == Op::max  ? Op::maximum
                                     : Op::minimum;
  const DType wide = computed_in(one.dtype);
  result(id) = result_of(op, wide, {cast(result(id), wide), cast(operand, wide)});
}

void Evaluator::sort(const schedule::Instruction& one) {
  std::vector<Constant> keys;
  const std::int64_t count = value(one.bound);
  const auto index = [&](std::int64_t i) {
    variables_[one.variable.bits()] = i;
    return static_cast<std::size_t>(value(one.index));
  };
  for (std::int64_t i = 0; i < count; ++i) {
    keys.push_back(buffer(one.source).elements.at(index(i)));
  }
  const auto order = sorted::positions(keys, one.constant.bits != 0);
  for (std::int64_t i = 0; i < count; ++i) {
    Constant& to = buffer(one.argument).elements.at(index(i));
    to = constant(order[static_cast<std::size_t>(i)], i64);
  }
}

Data& Evaluator::buffer(std::int32_t of) {
  const auto argument = static_cast<std::size_t>(of);
  return buffers_[argument] < 0 ? rows_[argument]
                                : data_[static_cast<std::size_t>(buffers_[argument])];
}

Constant& Evaluator::element(const schedule::Instruction& one) {
  return buffer(one.argument).elements.at(static_cast<std::size_t>(value(one.index)));
}

void Evaluator::report(schedule::ValueId id, std::int64_t value, std::int64_t bound) {
  std::int64_t site = 1;
  for (schedule::ValueId other = 0; other < id; ++other) site += can_fault(at(other));
  fault.note({site, this->value(at(id).index), value, bound});
}

std::int64_t Evaluator::bind(schedule::ValueId id, std::int64_t index, std::int64_t bound) {
  const std::int64_t at = index < 0 ? index + bound : index;
  if (at >= 0 && at < bound) return at;
  if (inside(this->at(id))) report(id, index, bound);
  return 0;
}

Constant Evaluator::divisor(schedule::ValueId id, const Constant& number) {
  if (number.integer() != 0) return number;
  if (inside(at(id))) report(id, 0, 0);
  return constant(1, number.dtype);
}

void Evaluator::run(schedule::ValueId id) {
  const schedule::Instruction& one = at(id);
  std::vector<Constant> operands;
  for (const schedule::ValueId operand : one.operands) operands.push_back(result(operand));
  switch (one.code) {
    case schedule::Code::load:
      result(id) = inside(one) ? element(one) : cast(one.constant, one.dtype);
      return;
    case schedule::Code::constant:
      result(id) = one.constant;
      return;
    case schedule::Code::index:
      result(id) = constant(value(one.index), one.dtype);
      return;
    case schedule::Code::inside:
      result(id) = constant(inside(one), boolean);
      return;
    case schedule::Code::compute:
      result(id) = result_of(one.op, one.dtype, operands);
      return;
    case schedule::Code::random: {
      const auto position = static_cast<std::uint64_t>(value(one.index));
      const PhiloxCounter words =
          random_words(operands[0].bits, operands[1].bits,
                       static_cast<std::uint32_t>(one.constant.bits), position / 4);
      result(id) = constant(static_cast<std::int64_t>(words[position % 4]), i32);
      return;
    }
    case schedule::Code::bind:
      variables_[one.variable.bits()] = bind(id, operands[0].integer(), value(one.bound));
      return;
    case schedule::Code::divisor:
      result(id) = divisor(id, operands[0]);
      return;
    case schedule::Code::reduce:
      reduce(id);
      return;
    case schedule::Code::scan:
      result(id) = result_of(one.op == Op::cumprod ? Op::mul : Op::add, one.dtype,
                             {result(id), operands[0]});
      return;
    case schedule::Code::sort:
      sort(one);
      return;
    case schedule::Code::combine:
      throw InternalError("schedule/execute.hpp runs kernels that work in chunks");
    case schedule::Code::store:
      break;
  }
  Constant& to = element(one);
  const DType wide = computed_in(one.dtype);
  to = one.accumulate
           ? cast(result_of(Op::add, wide, {cast(to, wide), cast(operands[0], wide)}), one.dtype)
           : cast(operands[0], one.dtype);
}

}  // namespace kernels
