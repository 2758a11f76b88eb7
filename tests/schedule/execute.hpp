#pragma once
// Executes a plan by its definition, one element at a time, so that tests can compare plan() with
// the interpreter.

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <vector>

#include <sinter/base/philox.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "elements.hpp"
#include "sorted.hpp"

namespace execute {

using namespace sinter;
using namespace sinter::detail;
using namespace sinter::detail::schedule;

struct Runner {
  const Kernel& kernel;
  std::vector<Block> arguments;
  std::span<const std::int64_t> symbols;
  std::map<std::uint32_t, std::int64_t> ranges{};
  std::vector<Constant> values{};
  std::vector<Reduction> reductions{};
  bool fault = false;

  std::int64_t number(Extent extent) {
    return evaluate(extent, [&](Extent variable) {
      return variable.is_symbol() ? symbols[variable.id()] : ranges.at(variable.id());
    });
  }

  bool holds(const Vector<Guard>& guards) {
    return std::all_of(guards.begin(), guards.end(), [&](const Guard& guard) {
      const std::int64_t value = number(guard.value);
      return number(guard.low) <= value && value < number(guard.high);
    });
  }

  template <class Body>
  void loop(std::span<const Loop> loops, bool backwards, const Body& body) {
    if (loops.empty()) return body();
    const std::int64_t extent = number(loops[0].extent);
    for (std::int64_t i = 0; i < extent; ++i) {
      ranges[loops[0].variable.id()] = backwards ? extent - 1 - i : i;
      loop(loops.subspan(1), backwards, body);
    }
  }

  void bind(const Instruction& instruction) {
    const std::int64_t bound = number(instruction.bound);
    std::int64_t index = values[static_cast<std::size_t>(instruction.operands[0])].integer();
    if (index < 0) index += bound;
    if (!holds(instruction.guards))
      index = 0;
    else if (index < 0 || index >= bound)
      fault = true, index = 0;
    if (instruction.variable.is_range()) ranges[instruction.variable.id()] = index;
  }

  Constant divisor(const Instruction& instruction, const Constant& number) {
    if (number.integer() != 0) return number;
    if (holds(instruction.guards)) fault = true;
    return constant(1, number.dtype);
  }

  Constant random(std::span<const Constant> operands, const Instruction& instruction) {
    const auto position = static_cast<std::uint64_t>(number(instruction.index));
    const auto words =
        random_words(operands[0].bits, operands[1].bits,
                     static_cast<std::uint32_t>(instruction.constant.bits), position / 4);
    return constant(static_cast<std::int32_t>(words[position % 4]), i32);
  }

  void store(const Instruction& instruction, Constant value) {
    const Block& block = arguments[static_cast<std::size_t>(instruction.argument)];
    const std::int64_t index = number(instruction.index);
    if (instruction.accumulate) {
      const Constant operands[]{block.load(index), value};
      value = apply(Op::add, operands, block.dtype);
    }
    block.store(index, value);
  }

  // Partial results start from the identity in each call, and are correct in any order.
  void start() {
    for (const Instruction& one : kernel.instructions) {
      if (one.code != Code::combine) continue;
      const Block& block = arguments[static_cast<std::size_t>(one.argument)];
      for (std::int64_t i = 0; i < block.elements; ++i) {
        block.store(i, Reduction{}.result(one.op, one.dtype, one.dtype));
      }
    }
  }

  void combine(const Instruction& instruction, const Constant& value) {
    const Block& block = arguments[static_cast<std::size_t>(instruction.argument)];
    const std::int64_t index = number(instruction.index);
    Reduction sum;
    sum.add(instruction.op, block.load(index), 0);
    sum.add(instruction.op, value, 0);
    block.store(index, sum.result(instruction.op, instruction.dtype, instruction.dtype));
  }

  Constant running(ValueId id, const Instruction& one, const Constant& operand) {
    Reduction& sum = reductions[static_cast<std::size_t>(id)];
    sum.add(one.op == Op::cumprod ? Op::prod : Op::sum, operand, 0);
    return sum.best;
  }

  void sort(const Instruction& one) {
    std::vector<Constant> keys;
    const std::int64_t count = number(one.bound);
    const auto index = [&](std::int64_t i) {
      ranges[one.variable.id()] = i;
      return number(one.index);
    };
    const Block& source = arguments[static_cast<std::size_t>(one.source)];
    for (std::int64_t i = 0; i < count; ++i) keys.push_back(source.load(index(i)));
    const auto order = sorted::positions(keys, one.constant.bits != 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const Block& target = arguments[static_cast<std::size_t>(one.argument)];
      target.store(index(i), constant(order[static_cast<std::size_t>(i)], i64));
    }
  }

  void run(ValueId id) {
    const Instruction& one = kernel.instructions[static_cast<std::size_t>(id)];
    const bool here = one.guards.empty() || holds(one.guards);
    std::vector<Constant> operands;
    for (const ValueId operand : one.operands) {
      operands.push_back(values[static_cast<std::size_t>(operand)]);
    }
    Constant& value = values[static_cast<std::size_t>(id)];
    if (one.code == Code::load) {
      const Block& block = arguments[static_cast<std::size_t>(one.argument)];
      value = here ? block.load(number(one.index)) : cast(one.constant, block.dtype);
    }
    if (one.code == Code::constant) value = one.constant;
    if (one.code == Code::index) value = constant(number(one.index), one.dtype);
    if (one.code == Code::inside) value = constant(here, boolean);
    if (one.code == Code::compute) value = apply(one.op, operands, one.dtype);
    if (one.code == Code::random) value = random(operands, one);
    if (one.code == Code::bind) bind(one);
    if (one.code == Code::divisor) value = divisor(one, operands[0]);
    if (one.code == Code::store) store(one, operands[0]);
    if (one.code == Code::combine) combine(one, operands[0]);
    if (one.code == Code::scan) value = running(id, one, operands[0]);
    if (one.code == Code::sort) sort(one);
    if (one.code == Code::reduce) {
      const std::int64_t position = one.op == Op::argmax ? number(one.index) : 0;
      reductions[static_cast<std::size_t>(id)].add(one.op, operands[0], position);
    }
  }

  // One step of the loops of `stage`.
  void run(const Stage& stage) {
    const std::span<const ValueId> body = stage.body;
    const std::size_t inside = contracted_size(kernel, stage);
    if (inside > 0) {
      for (const ValueId id : body.first(inside)) reductions[static_cast<std::size_t>(id)] = {};
      loop(stage.contracted, false, [&] {
        for (const ValueId id : body.first(inside)) run(id);
      });
      finish(stage);
    }
    for (const ValueId id : body.subspan(inside)) run(id);
  }

  void finish(const Stage& stage) {
    for (const ValueId id : stage.body) {
      const Instruction& one = kernel.instructions[static_cast<std::size_t>(id)];
      if (one.code != Code::reduce) continue;
      const DType operand = kernel.instructions[static_cast<std::size_t>(one.operands[0])].dtype;
      values[static_cast<std::size_t>(id)] =
          reductions[static_cast<std::size_t>(id)].result(one.op, operand, one.dtype);
    }
  }

  // Grid points are independent, so they may run backwards.
  void run() {
    values.resize(kernel.instructions.size());
    start();
    loop(kernel.grid, !kernel.serial, [&] {
      reductions.assign(kernel.instructions.size(), {});
      for (const Stage& stage : kernel.stages) {
        loop(stage.loops, false, [&] { run(stage); });
        finish(stage);
      }
    });
  }
};

/// The memory of one call of a plan.
struct Call {
  const Plan& plan;
  Vector<Storage> inputs;
  std::vector<std::int64_t> symbols{};
  std::map<std::int32_t, Storage> outputs{};  ///< By buffer; given ones are written in place.
  Storage arena{};

  std::int64_t number(Extent extent) const { return evaluate(extent, symbols); }

  Block block(std::int32_t id) {
    const Buffer& buffer = plan.buffers[static_cast<std::size_t>(id)];
    const std::int64_t elements = number(buffer.elements);
    const auto bytes = static_cast<std::size_t>(elements) * info(buffer.dtype).size;
    if (buffer.home == Home::arena) {
      const std::int64_t offset = number(buffer.offset);
      if (offset % 64 != 0 ||
          offset + static_cast<std::int64_t>(bytes) > number(plan.arena_bytes)) {
        throw InternalError(text("buffer ", id, " lies outside of the arena"));
      }
      return {static_cast<std::byte*>(arena.data()) + offset, elements, buffer.dtype};
    }
    if (buffer.home == Home::input) {
      const auto position = static_cast<std::size_t>(buffer.position);
      return {static_cast<std::byte*>(inputs[position].data()), elements, buffer.dtype};
    }
    const std::int32_t whole = plan.outputs[static_cast<std::size_t>(buffer.position)];
    const Buffer& last = plan.buffers[static_cast<std::size_t>(whole)];
    const auto room = static_cast<std::size_t>(number(last.elements)) * info(last.dtype).size;
    if (room < bytes) throw InternalError(text("buffer ", id, " is larger than its output"));
    Storage& output = outputs[whole];
    if (!output) output = Storage::allocate(room);
    return {static_cast<std::byte*>(output.data()), elements, buffer.dtype};
  }

  /// True if no kernel found a fault; stops after the first one.
  bool run() {
    arena = Storage::allocate(static_cast<std::size_t>(number(plan.arena_bytes)));
    if (arena.bytes() > 0) std::memset(arena.data(), 0xff, arena.bytes());
    for (const Launch& launch : plan.launches) {
      if (!run(launch)) return false;
    }
    return true;
  }

  bool run(const Launch& launch) {
    bool ends = true;
    for_each_entry(launch, [&](const Entry& entry, std::size_t buffers, std::size_t sizes) {
      const Kernel& kernel = plan.kernels[static_cast<std::size_t>(entry.kernel)];
      ends = run(kernel, launch, buffers, sizes) && ends;
      for (const Kernel& last : kernel.finalizers) ends = run(last, launch, buffers, sizes) && ends;
    });
    return ends;
  }

  bool run(const Kernel& kernel, const Launch& launch, std::size_t& next, std::size_t& size) {
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
      sizes.push_back(number(launch.sizes[size++]));
    }
    Runner runner{kernel, {}, sizes};
    Vector<std::vector<std::byte>> locals;
    for (const Argument& argument : kernel.arguments) {
      if (argument.access != Access::local) {
        runner.arguments.push_back(block(launch.buffers[next++]));
        continue;
      }
      const std::int64_t elements = runner.number(argument.elements);
      locals.emplace_back(static_cast<std::size_t>(elements) * info(argument.dtype).size);
      runner.arguments.push_back({locals.back().data(), elements, argument.dtype});
    }
    runner.run();
    return !runner.fault;
  }

  /// The bytes of output `i`.
  Block output(std::size_t i) { return block(plan.outputs[i]); }
};

}  // namespace execute
