#pragma once
// Extracts a part of a kernel as a kernel of its own: one that packs an operand of a product, or
// the epilogue of its sums.

#include <cstdint>  // std::uint8_t

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How a piece runs over a loop: over all of it, over a part whose bounds the caller passes, or at
/// one point that the caller passes.
enum class LoopRange : std::uint8_t { whole, part, given };

/// A kernel that computes a part of a larger one, from its inputs or to its outputs. One more
/// matrix is in memory of the caller.
struct PieceKernel {
  Kernel kernel{};
  Vector<LoopRange> spans{};  ///< Of each grid loop.

  /// Appends a loop; returns its first point: a symbol for LoopRange::part, else 0.
  Extent add(const Loop& loop, LoopRange span);
  /// Copies the values `roots` of `from` and what they are computed from, but loads `given` (-1:
  /// none) from the matrix at `index`. Returns the new ids of `roots`.
  Vector<ValueId> copy(const Kernel& from, const Vector<ValueId>& roots, ValueId given,
                       Extent index);
  /// Stores `value` in the matrix at `index`.
  void store(ValueId value, Extent index);

  /// Appends the matrix as the last argument, with elements of `dtype`.
  void add_matrix(DType dtype, Access access) { kernel.arguments.push_back({dtype, access, 0}); }
};

namespace detail {

/// The values that `root` is computed from, and `root`, ascending.
Vector<ValueId> sources_of(const Kernel& kernel, ValueId root);

/// Marks `id` and what it is computed from in `used`, but not what `given` is computed from.
void mark_used(const Kernel& kernel, ValueId id, ValueId given, Vector<bool>& used);

/// The value that `store` writes, before its rounding to the type in memory: the store rounds too.
ValueId before_rounding(const Kernel& kernel, const Instruction& store);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/piece_kernel.ipp>
#endif
