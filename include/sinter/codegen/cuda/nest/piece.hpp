#pragma once
// A CUDA function that computes a part of a product for one element, or for some neighbours: what
// an operand is made of, or what becomes of a sum.

#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Loops that a piece is called for by their position in one another, which is its parameter
/// `name`.
struct CudaSide {
  std::string name{};
  std::vector<Loop> loops{};
};

namespace detail {

/// "row", or "row0", "row1" where a side has several loops.
std::string side_loop(const CudaSide& side, std::size_t loop);

/// The lines that take the position in a side apart: "const int row1 = row % 14;"
std::vector<std::string> side_lines(const CudaSide& side, const std::string& integer,
                                    const std::string& position,
                                    FunctionRef<std::string(Extent)> c);

}  // namespace detail

class CudaPiece : public CudaPacks {
 public:
  /// A piece for `pack` neighbours along the last of `sides`, whose loops are those of `piece`, in
  /// order. Numbers that the text counts with are of the type `integer`.
  CudaPiece(const PieceKernel& piece, const std::vector<CudaSide>& sides, int pack,
            std::string integer);
  /// A function that returns `value` as a number of `dtype` in memory, or as Several.
  std::string operand(const std::string& name, ValueId value, DType dtype);
  /// A function that takes a sum, or Several of them, in place of the last argument of the kernel.
  std::string finish(const std::string& name, std::string_view type);
  /// A function that returns `value` as it is computed; with `value` at -1 it stores what it is
  /// there to store. It takes numbers, after the sides, in place of the last `given` arguments.
  std::string number(const std::string& name, ValueId value, std::size_t given);
  /// What all are called with before the sides: "in0, n0".
  std::string arguments() const;

 protected:
  void write_load(ValueId id, const Instance& instance) override;

 private:
  std::vector<bool> used_arguments() const;
  std::string parameters() const;
  std::string several(std::string_view type) const;
  void write_sides();
  void write_values();

  std::vector<CudaSide> sides_;
  std::string integer_;
  std::int32_t given_ = -1;  ///< The first of the arguments that stand for numbers.
  bool is_sum_ = false;      ///< Whether there is one, the sum.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/piece.ipp>
#endif
