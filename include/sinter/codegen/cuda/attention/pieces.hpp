#pragma once
// The functions that a streamed kernel calls for single numbers, and what they are given.

#include <string>  // std::string
#include <vector>  // std::vector

#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A function for one number: how it is called but for where, and what it is given.
struct StreamCall {
  std::string head{};
  std::vector<ValueId> givens{};
};

/// Collects the functions of the kernel `name`, whose numbers are counted with `integer`.
class StreamPieces {
 public:
  explicit StreamPieces(const CudaStreamForm& how);

  /// The text so far.
  const std::string& str() const { return text_; }
  /// The sides of a row, and `last`.
  std::vector<CudaSide> sides(const CudaSide& last) const;
  /// Writes a function for `root`, a number or a store.
  StreamCall write_call(const std::string& kind, ValueId root, const std::vector<CudaSide>& all,
                        const std::vector<bool>& known);
  /// Writes the function of all checks: how it is called. Steps without effect can be at fault all
  /// the same.
  std::string write_checks(const std::vector<CudaSide>& all);
  /// Writes the function for a number of the matrix that is called `matrix`: how it is called.
  std::string write_operand(const std::string& matrix, ValueId value, const CudaSide& line,
                            const std::vector<Loop>& inner);
  /// The helper that computes exp: what tensor cores multiply is rounded to 16 bits, for which it
  /// need not be exact to 24.
  std::string exp_name() const;

  std::string integer{"long"}, name{};

 private:
  PieceKernel new_piece(const std::vector<CudaSide>& sides) const;
  ValueId copy_into(PieceKernel& piece, const std::vector<ValueId>& roots,
                    const std::vector<bool>& known, std::vector<ValueId>& givens) const;
  std::string with_near_exp(std::string code) const;

  const CudaStreamForm& how_;
  const StreamForm& form_;
  std::string text_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/attention/pieces.ipp>
#endif
