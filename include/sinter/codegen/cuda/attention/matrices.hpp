#pragma once
// The matrices that a streaming kernel holds in shared memory, and which are copied from inputs.

#include <cstddef>  // std::size_t
#include <string>   // std::string
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/attention/form.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A matrix in shared memory: one line per row of the block, or per step of a tile of steps.
struct StreamingMatrix {
  std::string name{};
  bool of_rows = false;
  ValueId value = -1;
  Vector<Loop> inner{};  ///< Loops over the depth, or over columns.
  int width = 16;        ///< Extent of `inner`, rounded up.
  bool deep = true;      ///< Contiguous along `inner`.
  bool copied = false;   ///< A plain input, copied with cp.async, ...
  Extent stride = 0;     ///< ... whose lines are this far apart.
  std::string call{};    ///< If not copied: the call that computes one element.
};

namespace detail {

inline bool same_memory(const Kernel& code, const StreamingMatrix& a, const StreamingMatrix& b) {
  if (a.of_rows || b.of_rows || a.inner.size() != 1 || b.inner.size() != 1) return false;
  const Instruction& one = code.instructions[a.value];
  const Instruction& other = code.instructions[b.value];
  if (one.code != Code::load || other.code != Code::load || one.argument != other.argument) {
    return false;
  }
  if (!one.guards.empty() || !other.guards.empty()) return false;
  const Extent moved = substitute(one.index, a.inner[0].variable, b.inner[0].variable);
  return same(a.inner[0].extent, b.inner[0].extent) && same(moved, other.index);
}

// True if `matrix` is an input with a constant stride between lines. Sets its stride and layout.
inline bool copies(const CudaStreamingForm& how, StreamingMatrix& matrix) {
  const StreamingForm& form = how.form;
  const Instruction& load = form.code.instructions[matrix.value];
  if (load.code != Code::load || !load.guards.empty() || load.dtype != how.dtype) return false;
  for (const Extent variable : variables(load.index)) {  // an index read from data (gather)
    if (schedule::bind_of(form.code, variable) >= 0) return false;
  }
  const Loop& line = matrix.of_rows ? form.row : form.step;
  const auto lines = lines_of(load.index, {line}, matrix.inner);
  if (lines) matrix.deep = lines->is_along, matrix.stride = lines->stride;
  return lines.has_value();
}

}  // namespace detail

/// Adds the matrix of `value` to `matrices`, or finds it there, and returns its position.
inline std::size_t add_matrix(Vector<StreamingMatrix>& matrices, const CudaStreamingForm& how,
                              bool of_rows, ValueId value, const Vector<Loop>& inner) {
  StreamingMatrix matrix{.of_rows = of_rows, .inner = inner};
  matrix.value = how.dtype == sum_dtype(how) ? value : before_widening(how.form.code, value);
  const std::int64_t most = bounds(count_of(inner)).max;
  while (matrix.width < most) matrix.width += how.mma ? 16 : matrix.width;
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (detail::same_memory(how.form.code, matrices[i], matrix)) return i;
  }
  matrix.copied = detail::copies(how, matrix);
  if (!matrix.copied) matrix.deep = true;
  matrix.name = text(of_rows ? "left" : "right", matrices.size());
  matrices.push_back(std::move(matrix));
  return matrices.size() - 1;
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
