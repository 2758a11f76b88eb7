#pragma once
// Writes a piece of a kernel as a C++ function: one that packs an operand of a product, or its
// epilogue.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/codegen/text/reductions.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// Writes a piece as
///
///     static void name(void* const* buffers, const long* sizes, T* matrix, long i0, ...)
///
/// with, for each loop in turn, its point for Span::given, its first and last for Span::part; and
/// with the context after the sizes if the data can be at fault.
class Piece final : public InstructionWriter {
 public:
  Piece(const PieceKernel& piece, int vector_bits, bool strict);
  std::string function(const std::string& name);

  void write_instruction(ValueId id, const Instance& instance) override {
    reductions_.write_instruction(id, instance);
  }
  void write_base(ValueId id) override { memory_.write_base(id); }
  void write_update(ValueId id, const Instance& instance) override {
    reductions_.write_update(id, instance);
  }
  void write_result(ValueId id, const Instance& instance) override {
    reductions_.write_result(id, instance);
  }

 private:
  std::string signature(const std::string& name) const;
  void write_used();
  void write_loop(int position);
  void write_iteration(int position, bool masked);
  std::string first(int position) const;
  std::string last(int position) const;

  KernelContext context_;
  Names& names_{context_.names};
  Layout& layout_{context_.names.layout};
  Writer& out_{context_.out};
  Values values_{context_, *this};
  Memory memory_{context_, values_, NonTemporal::never};
  Reductions reductions_{context_, values_, memory_, *this};
  Vector<Span> spans_;
  std::size_t given_symbols_;  ///< The number of symbols that come from `sizes`.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/nest/piece.ipp>
#endif
