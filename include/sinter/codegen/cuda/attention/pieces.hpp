#pragma once
// The device functions that a streaming kernel calls to compute single elements.

#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/attention/numbers.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A call of a device function for one element.
struct ScalarCall {
  std::string head{};        ///< The call up to its position arguments.
  Vector<ValueId> givens{};  ///< Values that it takes after the position.
};

namespace detail {

// Sets the position that `check` reports: 0 for loops that `piece` does not have. The added guards
// always hold; they only place the check at the depth where its position is known.
inline void place_check(const PieceKernel& piece, Instruction& check) {
  check.index = substitute(check.index, [&](Extent variable) {
    bool known = !variable.is_range() || schedule::bind_of(piece.kernel, variable) >= 0;
    for (const Loop& loop : piece.kernel.grid) known = known || same(loop.variable, variable);
    return known ? variable : Extent(0);
  });
  check.guards.push_back({check.index, check.index, check.index + 1});
}

// An approximate exp is enough where the result is rounded to a tensor core operand.
inline std::string apply_with_near_exp(Op op, Span<const std::string> operands,
                                       const ValueType& from, const ValueType& to) {
  const bool is_near = op == Op::exp && computed_in(from.dtype) == f32;
  return text(is_near ? "near_" : "", apply_in_cuda(op, operands, from, to));
}

}  // namespace detail

/// Collects the device functions of the kernel `name`, whose index type is `integer`.
class StreamingPieces {
 public:
  explicit StreamingPieces(const CudaStreamingForm& how) : how_(how), form_(how.form) {}

  /// The text so far.
  const std::string& str() const { return text_; }
  /// How many functions write_call() has written.
  int calls() const { return calls_; }

  /// Batch and row, and `last` if it has loops.
  Vector<CudaSide> sides(const CudaSide& last) const {
    Vector<CudaSide> result{{"batch", form_.batch}, {"row", {form_.row}}};
    if (!last.loops.empty()) result.push_back(last);
    return result;
  }

  /// Writes a function for `root`, a value or a store.
  ScalarCall write_call(const std::string& kind, ValueId root, const Vector<CudaSide>& all,
                        const Vector<bool>& known) {
    ScalarCall call;
    ++calls_;
    PieceKernel piece = new_piece(form_.code, all);
    const ValueId value = copy_into(piece, {root}, known, call.givens);
    CudaPiece one(piece, all, 1, integer, how_.mma ? detail::apply_with_near_exp : apply_in_cuda);
    const std::string function = text(name, "_", kind, root);
    const ValueId result = form_.code.instructions[root].code == Code::store ? -1 : value;
    text_ += one.number(function, result, call.givens.size());
    call.head = text(function, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ");
    return call;
  }

  /// Writes the function that runs all checks, and returns its call. Steps that the mask skips can
  /// still fail a check.
  std::string write_checks(const Vector<CudaSide>& all) {
    PieceKernel piece = new_piece(form_.code, all);
    Vector<ValueId> givens;
    copy_into(piece, form_.checks, Vector<bool>(form_.code.instructions.size(), false), givens);
    CudaPiece one(piece, all, 1, integer);
    const std::string function = name + "_checks";
    text_ += one.number(function, -1, 0);
    return text(function, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ");
  }

  /// Writes the function for an element of `matrix`, and returns its call.
  std::string write_operand(const std::string& matrix, ValueId value, const CudaSide& line,
                            const Vector<Loop>& inner) {
    const Vector<CudaSide> all{{"batch", form_.batch}, line, {"k", inner}};
    PieceKernel piece = new_piece(form_.code, all);
    Vector<ValueId> givens;
    const Vector<bool> nothing(form_.code.instructions.size(), false);
    const ValueId moved = copy_into(piece, {value}, nothing, givens);
    CudaPiece one(piece, all, 1, integer);
    const std::string function = text(name, "_", matrix);
    text_ += one.operand(function, moved, how_.dtype);
    return text(function, "(", one.arguments(), form_.batch.empty() ? "" : "batch, ");
  }

  /// The helper that computes exp. An approximate one is enough where the result is rounded to a
  /// tensor core operand.
  std::string exp_name() const {
    return text(how_.mma ? "near_exp_" : "exp_", sum_dtype(how_), "(");
  }

  std::string integer{"long"}, name{};

 private:
  // Copies `roots` and their operands into `piece`. Known values become extra arguments, listed in
  // `givens`. Returns the position of the first root.
  ValueId copy_into(PieceKernel& piece, const Vector<ValueId>& roots, const Vector<bool>& known,
                    Vector<ValueId>& givens) const {
    const Kernel& code = form_.code;
    Vector<bool> needed(code.instructions.size(), false);
    for (const ValueId root : roots) detail::mark_needed(code, root, known, needed);
    Vector<ValueId> moved(code.instructions.size(), -1);
    piece.kernel.stages.resize(1);
    for (std::size_t id = 0; id < needed.size(); ++id) {
      if (!needed[id]) continue;
      Instruction one = code.instructions[id];
      if (one.code == Code::store) one.operands[0] = detail::before_rounding(code, one);
      if (known[id]) {
        one = load_instead(one, piece.kernel.arguments.size(), 0);
        piece.add_matrix(one.dtype, Access::read);
        givens.push_back(static_cast<ValueId>(id));
      }
      if (schedule::can_fault(one)) detail::place_check(piece, one);
      for (ValueId& operand : one.operands) operand = moved[operand];
      moved[id] = append(piece.kernel, std::move(one));
    }
    return moved[roots[0]];
  }

  const CudaStreamingForm& how_;
  const StreamingForm& form_;
  std::string text_{};
  int calls_ = 0;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
