#pragma once
// Writes a piece of a kernel as a C++ function: one that packs an operand of a product, or its
// epilogue.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes a piece as
///
///     static void name(void* const* buffers, const long* sizes, T* matrix, long i0, ...)
///
/// with, for each loop in turn, its point for LoopRange::given, its first and last for
/// LoopRange::part; and with the context after the sizes if the data can be at fault.
class Piece final : public KernelWriter {
 public:
  /// Ignores the tuning of `options`.
  Piece(const PieceKernel& piece, const CppOptions& options);
  std::string function(const std::string& name);

 private:
  std::string signature(const std::string& name) const;
  void write_used();
  void write_loop(int position);
  void write_iteration(int position, bool masked);
  std::string first(int position) const;
  std::string last(int position) const;

  Vector<LoopRange> spans_;
  std::size_t given_symbols_;  ///< The number of symbols that come from `sizes`.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/piece.ipp>
#endif
