#pragma once

#include <cstdint>  // std::uint32_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

SINTER_INLINE void mark_used(const Kernel& kernel, ValueId id, ValueId given, Vector<bool>& used) {
  if (used[id]) return;
  used[id] = true;
  if (id == given) return;
  for (const ValueId operand : kernel.instructions[id].operands) {
    mark_used(kernel, operand, given, used);
  }
}

SINTER_INLINE Vector<ValueId> sources_of(const Kernel& kernel, ValueId root) {
  Vector<bool> used(kernel.instructions.size(), false);
  mark_used(kernel, root, -1, used);
  Vector<ValueId> result;
  for (std::size_t id = 0; id < used.size(); ++id) {
    if (used[id]) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

SINTER_INLINE Vector<ValueId> epilogue_roots(const Kernel& kernel) {
  Vector<ValueId> result;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    const bool acts = one.code == Code::store || schedule::can_fault(one);
    if (acts) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

SINTER_INLINE bool lies_along(const Kernel& kernel, ValueId id, const Vector<Loop>& loops,
                              std::int64_t apart) {
  if (loops.empty()) return false;
  return any_of(sources_of(kernel, id), [&](ValueId source) {
    const Instruction& one = kernel.instructions[source];
    if (one.code != Code::load) return false;
    const auto step = coefficient_of(one.index, loops.back().variable);
    return step && step->is_number() && step->number() >= 1 && step->number() <= apart;
  });
}

SINTER_INLINE ValueId before_rounding(const Kernel& kernel, const Instruction& store) {
  const ValueId id = store.operands[0];
  const Instruction& value = kernel.instructions[id];
  const DType memory = kernel.arguments[store.argument].dtype;
  if (!is_half(value.dtype) || value.dtype != memory || store.accumulate) return id;
  if (value.code != Code::compute || value.op != Op::cast) return id;
  const ValueId wide = value.operands[0];
  return kernel.instructions[wide].dtype == f32 ? wide : id;
}

}  // namespace detail

SINTER_INLINE ValueId before_widening(const Kernel& kernel, ValueId id, DType to) {
  const auto at = [&](ValueId one) -> const Instruction& { return kernel.instructions[one]; };
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == to) {
    id = at(id).operands[0];
  }
  return id;
}

SINTER_INLINE Instruction load_instead(const Instruction& known, std::size_t argument,
                                       Extent index) {
  Instruction load{.code = Code::load, .op = known.op, .dtype = known.dtype};
  load.argument = static_cast<std::int32_t>(argument);
  load.index = index;
  load.constant = constant(0, known.dtype);
  load.remark = known.remark;
  return load;
}

SINTER_INLINE Extent PieceKernel::add(const Loop& loop, LoopRange span) {
  kernel.serial = true;  // its loops stay in the order of the caller
  kernel.grid.push_back({loop.variable, loop.extent, 1});
  spans.push_back(span);
  if (span != LoopRange::part) return 0;
  // Ids larger than those of any kernel, so that they differ from its own symbols.
  const auto id = static_cast<std::uint32_t>((1 << 24) + kernel.symbols.size());
  kernel.symbols.push_back(Extent::symbol(id));
  return kernel.symbols.back();
}

SINTER_INLINE Vector<ValueId> PieceKernel::copy(const Kernel& from, const Vector<ValueId>& roots,
                                                ValueId given, Extent index) {
  Vector<bool> used(from.instructions.size(), false);
  for (const ValueId root : roots) {
    const Instruction& one = from.instructions[root];
    const bool stores = one.code == Code::store;
    used[root] = stores;
    detail::mark_used(from, stores ? detail::before_rounding(from, one) : root, given, used);
  }
  Vector<ValueId> moved(from.instructions.size(), -1);
  kernel.stages.resize(1);
  for (std::size_t id = 0; id < from.instructions.size(); ++id) {
    if (!used[id]) continue;
    Instruction one = from.instructions[id];
    if (one.code == Code::store) one.operands[0] = detail::before_rounding(from, one);
    if (static_cast<ValueId>(id) == given) {
      one = load_instead(one, kernel.arguments.size() - 1, index);
    }
    for (ValueId& operand : one.operands) operand = moved[operand];
    moved[id] = append(kernel, std::move(one));
  }
  Vector<ValueId> result;
  for (const ValueId root : roots) result.push_back(moved[root]);
  return result;
}

SINTER_INLINE void PieceKernel::store(ValueId value, Extent index) {
  Instruction store{.code = Code::store, .op = Op::input};
  store.dtype = kernel.instructions[value].dtype;
  store.operands = {value};
  store.argument = static_cast<std::int32_t>(kernel.arguments.size()) - 1;
  store.index = index;
  append(kernel, std::move(store));
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
