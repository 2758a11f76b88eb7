#pragma once
// Builds a kernel: appends instructions to the stages in which their operands are known.

#include <cstdint>  // std::uint64_t

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// A place for instructions: even slots run once for each point of the grid, odd slots are loops
/// over the row. Slot 2n can use the results of reductions in slot 2n - 1.
using Slot = int;

inline constexpr Slot first_slot = 0;
inline bool is_loop(Slot slot) { return slot % 2 != 0; }

class KernelBuilder {
 public:
  KernelBuilder(const Index& grid, const Index& rows);

  /// True if `extent` varies along the row.
  bool varies(Extent extent) const;
  bool varies(const Index& index) const;
  bool varies(Span<const Guard> guards) const;

  /// True if `value`, computed from the element `at` of a tensor of `shape`, depends on a loop over
  /// each axis that may be empty. Otherwise the kernel may compute it though there is no element.
  bool is_in_loops_over(const Shape& shape, const Index& at, ValueId value) const;

  /// The first slot in which all variables of `extent`, except those of the row loops, are bound.
  Slot bound_from(Extent extent) const;
  Slot bound_from(const Index& index) const;
  Slot bound_from(Span<const Guard> guards) const;

  /// True if `extent` is the variable of a bind.
  bool is_bound(Extent extent) const { return bound_.count(extent.bits()) != 0; }

  /// Appends `instruction` unless the slot has an equal one; returns its value.
  ValueId append(Slot slot, Instruction instruction);

  /// The first slot that can use `value`; if that is a loop, later slots cannot use it.
  Slot known_from(ValueId value) const;
  const Instruction& operator[](ValueId value) const { return kernel_.instructions[value]; }

  /// The argument of `elements` for the memory of `node`; adds `access` to its accesses.
  std::int32_t argument(NodeId node, DType dtype, Extent elements, Access access);
  /// A new argument for scratch memory of one row.
  std::int32_t local(DType dtype, Extent elements);

  /// Appends the bind `instruction` unless there is an equal one; returns its variable, which
  /// varies along the row if the slot is a loop.
  Extent bind(Slot slot, Instruction instruction);

  const Vector<Loop>& grid() const { return kernel_.grid; }

  /// The kernel, with its stages in order and without dead instructions.
  Kernel build();

  Vector<NodeId> nodes{};  ///< For each argument.

 private:
  Vector<bool> used() const;

  Kernel kernel_{};
  Vector<Loop> rows_{};
  Vector<Vector<ValueId>> slots_{};
  Vector<Slot> slot_of_{};  // for each instruction
  HashMap<Hash, ValueId, HashOfHash> known_{};
  HashMap<NodeId, std::int32_t> arguments_{};
  HashSet<std::uint64_t> varying_{};
  HashMap<std::uint64_t, Slot> bound_{};  // the slot of the bind of each variable
  std::uint32_t next_range_ = 0;
};

/// The loops over `ranges`; axes of extent 1 have no loop.
Vector<Loop> loops_over(const Index& ranges);

/// The hash of an instruction within its kernel and this process.
Hash identity(const Instruction& instruction);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/kernel_builder.ipp>
#endif
