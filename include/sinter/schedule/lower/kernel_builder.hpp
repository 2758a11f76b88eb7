#pragma once
// A kernel being written: instructions appended to the stages in which their operands are known.

#include <cstdint>        // std::uint64_t
#include <span>           // std::span
#include <unordered_map>  // std::unordered_map
#include <unordered_set>  // std::unordered_set
#include <vector>         // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/access.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Even slots run once for each point of the grid, odd ones are loops over the row. Slot 2n can
/// use what the loops of slot 2n - 1 reduce.
using Slot = int;

inline constexpr Slot first_slot = 0;
inline bool is_loop(Slot slot) { return slot % 2 != 0; }

class Lowering {
 public:
  Lowering(const Index& grid, const Index& rows);

  /// True if `extent` changes along the row.
  bool varies(Extent extent) const;
  bool varies(const Index& index) const;
  bool varies(std::span<const Guard> guards) const;

  /// The first slot in which all that `extent` depends on, the row aside, has been bound.
  Slot bound_from(Extent extent) const;
  Slot bound_from(const Index& index) const;

  /// True if `extent` is the variable of a bind.
  bool is_bound(Extent extent) const { return bound_.count(extent.bits()) != 0; }

  /// Appends `instruction`, or finds an equal one in the same slot.
  ValueId append(Slot slot, Instruction instruction);

  /// The slot from which on `value` can be used: a loop if it cannot be used after that.
  Slot known_from(ValueId value) const;
  const Instruction& operator[](ValueId value) const {
    return kernel_.instructions[static_cast<std::size_t>(value)];
  }

  /// The argument of `elements` that stands for `node`; `access` is added to what it had.
  std::int32_t argument(NodeId node, DType dtype, Extent elements, Access access);
  /// Scratch for one row.
  std::int32_t local(DType dtype, Extent elements);

  /// The variable of `instruction`, a bind, which is appended unless an equal one is there. It
  /// varies along the row if its slot is a loop.
  Extent bind(Slot slot, Instruction instruction);

  const std::vector<Loop>& grid() const { return kernel_.grid; }

  /// The kernel, its stages in order, without instructions that nothing uses.
  Kernel finish();

  std::vector<NodeId> nodes{};  ///< For each argument.

 private:
  std::vector<bool> used() const;

  Kernel kernel_{};
  std::vector<Loop> rows_{};
  std::vector<std::vector<ValueId>> slots_{};
  std::vector<Slot> slot_of_{};  // for each instruction
  std::unordered_map<Hash, ValueId, HashOfHash> known_{};
  std::unordered_map<NodeId, std::int32_t> arguments_{};
  std::unordered_set<std::uint64_t> varying_{};
  std::unordered_map<std::uint64_t, Slot> bound_{};  // the slot of the bind of each variable
  std::uint32_t next_range_ = 0;
};

/// The loops over `ranges`, of which those of extent 1 are none.
std::vector<Loop> loops_over(const Index& ranges);

/// The hash of an instruction within its kernel and this process.
Hash identity(const Instruction& instruction);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/kernel_builder.ipp>
#endif
