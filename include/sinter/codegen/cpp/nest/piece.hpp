#pragma once
// Writes a piece of a kernel as a C++ function: one that packs an operand of a product, or its
// epilogue.

#include <algorithm>  // std::count
#include <string>     // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cpp/nest/function_head.hpp>
#include <sinter/codegen/cpp/nest/options.hpp>
#include <sinter/codegen/text/kernel_writer.hpp>
#include <sinter/codegen/text/piece_kernel.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// The lanes of a vector in `kernel`, whose widest type decides.
inline int lanes_for(const Kernel& kernel, int vector_bits) {
  return vector_bits == 0 ? 1 : vector_bits / (8 * lane_bytes(kernel));
}

}  // namespace detail

/// Writes a piece as
///
///     static void name(void* const* buffers, const long* sizes, T* matrix, long i0, ...)
///
/// with, for each loop in turn, its point for LoopRange::given, its first and last for
/// LoopRange::part; and with the context after the sizes if the data can be at fault.
class Piece final : public KernelWriter {
 public:
  /// Ignores the tuning of `options`.
  Piece(const PieceKernel& piece, const CppOptions& options)
      : KernelWriter(
            {Names(piece.kernel, detail::lanes_for(piece.kernel, options.target.vectors.bits),
                   options.target.cpp),
             apply, options.strict, Tuning{}, options.target},
            NonTemporal::never),
        spans_(piece.spans),
        given_symbols_(piece.kernel.symbols.size() -
                       static_cast<std::size_t>(
                           std::count(piece.spans.begin(), piece.spans.end(), LoopRange::part))) {}

  std::string function(const std::string& name) {
    {
      const auto body = out_.block(signature(name));
      write_used();
      values_.write_depth(0, -1);
      write_loop(0);
    }
    return out_.str();
  }

 private:
  std::string signature(const std::string& name) const {
    const auto matrix = static_cast<std::int32_t>(layout_.kernel.arguments.size()) - 1;
    const schedule::Argument& matrix_argument = layout_.kernel.arguments.back();
    std::string result =
        text("static __attribute__((noinline)) void ", name,
             "(void* const* buffers, const long* sizes, ",
             layout_.checks.empty() ? "" : "Context* context, ",
             matrix_argument.access == Access::read ? "const " : "",
             memory_type(matrix_argument.dtype), "* ", names_.argument_name(matrix));
    for (int position = 0; position < layout_.grid_depth(); ++position) {
      const LoopRange span = spans_[position];
      if (span == LoopRange::given) result += text(", long ", names_.loop_name(0, position));
      if (span == LoopRange::part)
        result += text(", long ", first(position), ", long ", last(position));
    }
    return result + ")";
  }

  // Declares the buffers that are read or written, and the sizes.
  void write_used() {
    const Vector<bool> used = schedule::used_arguments(layout_.kernel);
    for (std::size_t i = 0; i + 1 < used.size(); ++i) {
      if (used[i]) write_buffer(out_, names_, i);
    }
    write_sizes(out_, given_symbols_);
  }

  void write_loop(int position) {
    if (position == layout_.grid_depth()) return reductions_.write_innermost(0);
    if (spans_[position] == LoopRange::given) {
      return write_iteration(position, false);
    }
    const std::string name = names_.loop_name(0, position), end = last(position);
    const std::string start = text("long ", name, " = ", first(position), ";");
    if (names_.lanes == 1 || position != layout_.vector_loop(0)) {
      const auto block = out_.block({"for (", start, " ", name, " < ", end, "; ++", name, ")"});
      return write_iteration(position, false);
    }
    out_.line(start);
    {
      const auto block = out_.block({"for (; ", name, " + ", names_.lanes, " <= ", end, "; ", name,
                                     " += ", names_.lanes, ")"});
      write_iteration(position, false);
    }
    const auto block = out_.block({"if (", name, " < ", end, ")"});
    out_.line({"const long lanes = ", end, " - ", name, ";"});
    write_iteration(position, true);
  }

  void write_iteration(int position, bool masked) {
    const bool vector = names_.lanes > 1 && position == layout_.vector_loop(0);
    names_.masked = masked;
    names_.frames.push_back({names_.loop_name(0, position), 1, vector ? names_.lanes : 1});
    if (position + 1 < layout_.grid_depth()) values_.write_depth(position + 1, -1);
    write_loop(position + 1);
    names_.frames.pop_back();
    names_.masked = false;
  }

  std::string first(int position) const {
    std::size_t symbol = given_symbols_;
    for (int i = 0; i < position; ++i) symbol += spans_[i] == LoopRange::part;
    return spans_[position] == LoopRange::part ? text("n", symbol) : "0";
  }

  std::string last(int position) const {
    if (spans_[position] == LoopRange::part) return text("last", position);
    return names_.c_index(layout_.loop(0, position).extent, 0, {});
  }

  Vector<LoopRange> spans_;
  std::size_t given_symbols_;  ///< The number of symbols that come from `sizes`.
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
