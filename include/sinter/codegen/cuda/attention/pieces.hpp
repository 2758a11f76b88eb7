#pragma once
// The device functions that a streaming kernel calls to compute single elements.

#include <string>  // std::string

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A call of a device function for one element.
struct ScalarCall {
  std::string head{};             ///< The call up to its position arguments.
  Vector<ValueId> givens{};       ///< Values that it takes after the position.
};

/// Collects the device functions of the kernel `name`, whose index type is `integer`.
class StreamingPieces {
 public:
  explicit StreamingPieces(const CudaStreamingForm& how);

  /// The text so far.
  const std::string& str() const { return text_; }
  /// How many functions write_call() has written.
  int calls() const { return calls_; }
  /// Batch and row, and `last` if it has loops.
  Vector<CudaSide> sides(const CudaSide& last) const;
  /// Writes a function for `root`, a value or a store.
  ScalarCall write_call(const std::string& kind, ValueId root, const Vector<CudaSide>& all,
                        const Vector<bool>& known);
  /// Writes the function that runs all checks, and returns its call. Steps that the mask skips can
  /// still fail a check.
  std::string write_checks(const Vector<CudaSide>& all);
  /// Writes the function for an element of `matrix`, and returns its call.
  std::string write_operand(const std::string& matrix, ValueId value, const CudaSide& line,
                            const Vector<Loop>& inner);
  /// The helper that computes exp. An approximate one is enough where the result is rounded to a
  /// tensor core operand.
  std::string exp_name() const;

  std::string integer{"long"}, name{};

 private:
  ValueId copy_into(PieceKernel& piece, const Vector<ValueId>& roots, const Vector<bool>& known,
                    Vector<ValueId>& givens) const;

  const CudaStreamingForm& how_;
  const StreamingForm& form_;
  std::string text_{};
  int calls_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/pieces.ipp>
#endif
