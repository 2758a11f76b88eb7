#pragma once
// A part of a kernel's points as a kernel of its own: what packs an operand of a product, or
// finishes its sums.

#include <cstdint>  // std::uint8_t
#include <vector>   // std::vector

#include <sinter/codegen/text/layout.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// How a piece runs over a loop: over all of it, over a part between bounds that the caller gives,
/// or at one point that the caller gives.
enum class Span : std::uint8_t { whole, part, given };

/// What is computed at each point of some loops, from the inputs of a larger kernel or to its
/// outputs, with one matrix in memory of the caller beside them.
struct PieceKernel {
  Kernel kernel{};
  std::vector<Span> spans{};  ///< Of each loop of the grid.

  /// Appends a loop; of a part, the first point is the symbol that is returned, else 0.
  Extent add(const Loop& loop, Span span);
  /// Copies the values among `roots` of `from`, and what they are computed from, but reads `given`
  /// (none if -1) from the matrix at `index`. Returns the positions of `roots`.
  std::vector<ValueId> copy(const Kernel& from, const std::vector<ValueId>& roots, ValueId given,
                            Extent index);
  /// Stores `value` in the matrix.
  void store(ValueId value, Extent index);

  /// The matrix, of `elements` that are kept as `dtype`: its argument comes last.
  void add_matrix(DType dtype, Access access);
};

namespace detail {

/// Marks in `used` what `id` is computed from, and itself; what `given` is computed from is not.
void mark_used(const Kernel& kernel, ValueId id, ValueId given, std::vector<bool>& used);

/// What `store` writes, before it is rounded to the type of the memory: the store does that.
ValueId before_rounding(const Kernel& kernel, const Instruction& store);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/piece_kernel.ipp>
#endif
