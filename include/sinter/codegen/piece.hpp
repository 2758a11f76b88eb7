#pragma once
// A function that runs a part of the points of a kernel for another one: what packs an operand of a
// product, or finishes its sums.

#include <cstdint>  // std::uint8_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/codegen/reductions.hpp>
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

/// Writes a piece as
///
///     static void name(void* const* buffers, const long* sizes, T* matrix, long i0, ...)
///
/// with, for each loop in turn, its point if that is given, its first and last if it is a part; and
/// with the context behind the sizes if the data can be at fault.
class Piece : public Reductions {
 public:
  Piece(const PieceKernel& piece, int vector_bits, bool strict);
  std::string function(const std::string& name);

 protected:
  bool streams(std::int32_t) const override { return false; }

 private:
  std::string signature(const std::string& name) const;
  void write_used();
  void write_loop(int position);
  void write_inside(int position, bool masked);
  std::string first(int position) const;
  std::string last(int position) const;

  std::vector<Span> spans_;
  std::size_t given_symbols_;  ///< How many symbols come from `sizes`.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/piece.ipp>
#endif
