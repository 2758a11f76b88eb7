#pragma once
// Extracts a part of a kernel as a kernel of its own: one that packs an operand of a product, or
// the epilogue of its sums.

#include <cstdint>  // std::int64_t, std::uint8_t

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

/// `id`, or what it was before it was cast to `to`, in which products are summed: products of
/// 16-bit numbers are exact in f32.
ValueId before_widening(const Kernel& kernel, ValueId id, DType to = f32);

/// A load from the last argument of a piece of what `known` computes elsewhere.
Instruction load_instead(const Instruction& known, std::size_t argument, Extent index);

namespace detail {

/// The values that `root` is computed from, and `root`, ascending.
Vector<ValueId> sources_of(const Kernel& kernel, ValueId root);

/// Marks `id` and what it is computed from in `used`, but not what `given` is computed from.
void mark_used(const Kernel& kernel, ValueId id, ValueId given, Vector<bool>& used);

/// What the epilogue of a product computes: all stores, and checks of the data.
Vector<ValueId> epilogue_roots(const Kernel& kernel);

/// Whether an input that `id` is computed from has a stride from 1 to `apart` along the last of
/// `loops`.
bool lies_along(const Kernel& kernel, ValueId id, const Vector<Loop>& loops,
                std::int64_t apart = 1);

/// The value that `store` writes, before its rounding to the type in memory: the store rounds too.
ValueId before_rounding(const Kernel& kernel, const Instruction& store);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/piece_kernel.ipp>
#endif
