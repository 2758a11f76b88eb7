#pragma once
// Extracts a part of a kernel as a kernel of its own: one that packs an operand of a product, or
// the epilogue of its sums.

#include <cstdint>  // std::int64_t, std::uint32_t, std::uint8_t
#include <utility>  // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How a piece runs over a loop: over all of it, over a part whose bounds the caller passes, or at
/// one point that the caller passes.
enum class LoopRange : std::uint8_t { whole, part, given };

namespace detail {

/// Marks `id` and what it is computed from in `used`, but not what `given` is computed from.
inline void mark_used(const Kernel& kernel, ValueId id, ValueId given, Vector<bool>& used) {
  if (used[id]) return;
  used[id] = true;
  if (id == given) return;
  for (const ValueId operand : kernel.instructions[id].operands) {
    mark_used(kernel, operand, given, used);
  }
}

/// The values that `root` is computed from, and `root`, ascending.
inline Vector<ValueId> sources_of(const Kernel& kernel, ValueId root) {
  Vector<bool> used(kernel.instructions.size(), false);
  mark_used(kernel, root, -1, used);
  Vector<ValueId> result;
  for (std::size_t id = 0; id < used.size(); ++id) {
    if (used[id]) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

/// What the epilogue of a product computes: all stores, and checks of the data.
inline Vector<ValueId> epilogue_roots(const Kernel& kernel) {
  Vector<ValueId> result;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    const bool acts = one.code == Code::store || schedule::can_fault(one);
    if (acts) result.push_back(static_cast<ValueId>(id));
  }
  return result;
}

/// Whether an input that `id` is computed from has a stride from 1 to `apart` along the last of
/// `loops`.
inline bool lies_along(const Kernel& kernel, ValueId id, const Vector<Loop>& loops,
                       std::int64_t apart = 1) {
  if (loops.empty()) return false;
  return any_of(sources_of(kernel, id), [&](ValueId source) {
    const Instruction& one = kernel.instructions[source];
    if (one.code != Code::load) return false;
    const auto step = coefficient_of(one.index, loops.back().variable);
    return step && step->is_number() && step->number() >= 1 && step->number() <= apart;
  });
}

/// The value that `store` writes, before its rounding to the type in memory: the store rounds too.
inline ValueId before_rounding(const Kernel& kernel, const Instruction& store) {
  const ValueId id = store.operands[0];
  const Instruction& value = kernel.instructions[id];
  const DType memory = kernel.arguments[store.argument].dtype;
  if (!is_half(value.dtype) || value.dtype != memory || store.accumulate) return id;
  if (value.code != Code::compute || value.op != Op::cast) return id;
  const ValueId wide = value.operands[0];
  return kernel.instructions[wide].dtype == f32 ? wide : id;
}

}  // namespace detail

/// `id`, or what it was before it was cast to `to`, in which products are summed: products of
/// 16-bit numbers are exact in f32.
inline ValueId before_widening(const Kernel& kernel, ValueId id, DType to = f32) {
  const auto at = [&](ValueId one) -> const Instruction& { return kernel.instructions[one]; };
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == to) {
    id = at(id).operands[0];
  }
  return id;
}

/// A load from the last argument of a piece of what `known` computes elsewhere.
inline Instruction load_instead(const Instruction& known, std::size_t argument, Extent index) {
  Instruction load{.code = Code::load, .op = known.op, .dtype = known.dtype};
  load.argument = static_cast<std::int32_t>(argument);
  load.index = index;
  load.constant = constant(0, known.dtype);
  load.remark = known.remark;
  return load;
}

/// A kernel that computes a part of a larger one, from its inputs or to its outputs. One more
/// matrix is in memory of the caller.
struct PieceKernel {
  Kernel kernel{};
  Vector<LoopRange> spans{};  ///< Of each grid loop.

  /// Appends a loop; returns its first point: a symbol for LoopRange::part, else 0.
  Extent add(const Loop& loop, LoopRange span) {
    kernel.serial = true;  // its loops stay in the order of the caller
    kernel.grid.push_back({loop.variable, loop.extent, 1});
    spans.push_back(span);
    if (span != LoopRange::part) return 0;
    // Ids larger than those of any kernel, so that they differ from its own symbols.
    const auto id = static_cast<std::uint32_t>((1 << 24) + kernel.symbols.size());
    kernel.symbols.push_back(Extent::symbol(id));
    return kernel.symbols.back();
  }
  /// Copies the values `roots` of `from` and what they are computed from, but loads `given` (-1:
  /// none) from the matrix at `index`. Returns the new ids of `roots`.
  Vector<ValueId> copy(const Kernel& from, const Vector<ValueId>& roots, ValueId given,
                       Extent index) {
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
  /// Stores `value` in the matrix at `index`.
  void store(ValueId value, Extent index) {
    Instruction store{.code = Code::store, .op = Op::input};
    store.dtype = kernel.instructions[value].dtype;
    store.operands = {value};
    store.argument = static_cast<std::int32_t>(kernel.arguments.size()) - 1;
    store.index = index;
    append(kernel, std::move(store));
  }

  /// Appends the matrix as the last argument, with elements of `dtype`.
  void add_matrix(DType dtype, Access access) { kernel.arguments.push_back({dtype, access, 0}); }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
