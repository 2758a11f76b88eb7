#pragma once
// Emits the device functions of a product or streaming kernel: an element of an operand (prologue),
// or the code applied to a sum (epilogue), for one element or a pack of neighbours.

#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/packs.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Loops fused into one index, which is the parameter `name` of a device function.
struct CudaSide {
  std::string name{};
  Vector<Loop> loops{};
};

namespace detail {

/// The variable of a loop: "row", or "row0", "row1" if the side has several.
std::string side_loop(const CudaSide& side, std::size_t loop);

/// Lines that compute the loop variables from the fused index: "const int row1 = row % 14;"
std::vector<std::string> side_lines(const CudaSide& side, const std::string& integer,
                                    const std::string& position,
                                    FunctionRef<std::string(Extent)> c);

}  // namespace detail

/// A piece of `kernel` over the loops of `sides`, with its arguments and sizes.
PieceKernel new_piece(const Kernel& kernel, const Vector<CudaSide>& sides);

/// `extent` of `kernel` in C, where no loops but those of `sides` are open.
std::string c_inside(const Kernel& kernel, const Vector<CudaSide>& sides, Extent extent);

class CudaPiece final : public KernelWriter {
 public:
  /// A function for `pack` neighbours along the last of `sides`, whose loops are those of `piece`,
  /// in order. `integer` is the index type.
  CudaPiece(const PieceKernel& piece, const Vector<CudaSide>& sides, int pack, std::string integer,
            Apply apply = apply_in_cuda);
  /// A function that returns `value` as `dtype` in its memory format, or as a pack (Several).
  std::string operand(const std::string& name, ValueId value, DType dtype);
  /// A function that takes a sum, or a pack of them, in place of the last argument of the kernel.
  std::string epilogue(const std::string& name, std::string_view type);
  /// A function that returns `value` in its compute type, or only stores if `value` is -1. It takes
  /// values, after the sides, in place of the last `given` arguments.
  std::string number(const std::string& name, ValueId value, std::size_t given);
  /// The arguments of a call before the sides: "in0, n0".
  std::string arguments() const;

  void write_instruction(ValueId id, const Instance& instance) override;

 private:
  void write_load(ValueId id, const Instance& instance);
  int pack() const { return packs_.pack(); }
  Vector<bool> used_arguments() const;
  std::string parameters() const;
  std::string several(std::string_view type) const;
  void write_sides();
  void write_values();

  CudaPacks packs_;
  Vector<CudaSide> sides_;
  std::string integer_;
  std::int32_t given_ = -1;  ///< The first kernel argument that is passed by value.
  bool is_sum_ = false;      ///< It is the only one: the sum.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/piece.ipp>
#endif
