#pragma once

// How a kernel is streamed: by what, in tiles of which size, and what is in shared memory.

#include <algorithm>  // std::max, std::min
#include <utility>    // std::move

#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/cuda_stream.hpp>
#include <sinter/codegen/product.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Shared memory that blocks of all GPUs since sm_80 can have.
inline constexpr std::int64_t most_stream_bytes = 96 * 1024;

// An operand before it is made f32, in which products of 16-bit numbers are exact.
SINTER_INLINE ValueId before_f32(const Kernel& code, ValueId id) {
  const auto at = [&](ValueId one) -> const Instruction& {
    return code.instructions[static_cast<std::size_t>(one)];
  };
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == f32) {
    id = at(id).operands[0];
  }
  return id;
}

// What all products of `form` multiply, as far as they say the same: bf16 or f16 for tensor cores.
SINTER_INLINE std::optional<DType> multiplied(const StreamForm& form) {
  const auto dtype = [&](ValueId id) {
    return form.code.instructions[static_cast<std::size_t>(before_f32(form.code, id))].dtype;
  };
  std::optional<DType> result;
  const auto add = [&](ValueId id) {
    const DType one = dtype(id);
    const bool first = !result;
    if (first) result = one;
    return *result == one && (one == bf16 || one == f16);
  };
  for (const StreamDot& dot : form.dots) {
    if (!add(dot.left) || !add(dot.right)) return {};
  }
  for (const StreamSum& sum : form.sums) {
    if (!add(sum.value) || !add(sum.right)) return {};
  }
  return result;
}

// As which all sums are added up, if that is the same.
SINTER_INLINE std::optional<DType> summed(const StreamForm& form) {
  const auto at = [&](ValueId id) -> const Instruction& {
    return form.code.instructions[static_cast<std::size_t>(id)];
  };
  const DType result = at(form.dots[0].result).dtype;
  if (result != f32 && result != f64) return {};
  for (const StreamDot& dot : form.dots) {
    const bool same = at(dot.result).dtype == result && at(dot.left).dtype == result;
    if (!same || at(dot.right).dtype != result) return {};
  }
  for (const StreamSum& sum : form.sums) {
    const bool same = at(sum.result).dtype == result && at(sum.value).dtype == result;
    if (!same || at(sum.right).dtype != result) return {};
  }
  for (const StreamTotal& total : form.totals) {
    if (at(total.result).dtype != result) return {};
  }
  return result;
}

// A function of many terms.
SINTER_INLINE bool is_long(const Instruction& one) {
  return one.code == Code::compute &&
         (one.op == Op::tanh || one.op == Op::sin || one.op == Op::cos || one.op == Op::erf ||
          one.op == Op::pow || one.op == Op::log);
}

// Whether scores take few registers while they are computed: none for addresses of their own.
SINTER_INLINE bool is_short(const StreamForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const schedule::StreamFacts& of = form.facts[id];
    if (one.code == Code::random || is_long(one)) return false;
    if (one.code == Code::load && of.row && of.step && !of.inner) return false;
  }
  return form.code.instructions.size() <= 36;
}

// Whether they take many: random bits, functions of many terms, calls that report faults.
SINTER_INLINE bool is_wide(const StreamForm& form) {
  for (std::size_t id = 0; id < form.code.instructions.size(); ++id) {
    const Instruction& one = form.code.instructions[id];
    const bool wide = one.code == Code::random || is_long(one) || schedule::can_fault(one);
    if (wide && form.facts[id].step && !form.facts[id].inner) return true;
  }
  return false;
}

}  // namespace detail

SINTER_INLINE std::optional<CudaStreamForm> cuda_stream_form(const Kernel& kernel, bool strict,
                                                             bool tf32) {
  if (strict || !schedule::is_block(kernel)) return {};
  auto form = schedule::stream_form(kernel);
  if (!form) return {};
  const auto sums = detail::summed(*form);
  if (!sums) return {};
  const auto factors = detail::multiplied(*form);
  const bool half = factors && *sums == f32;
  const bool mma = half || (tf32 && *sums == f32);
  return CudaStreamForm{std::move(*form), mma, half ? *factors : *sums};
}

SINTER_INLINE CudaStream::CudaStream(CudaStreamForm form)
    : how_(std::move(form)), form_(how_.form), dtype_(how_.mma ? DType(f32) : how_.dtype) {
  batch_ = count_of(form_.batch), rows_ = form_.row.extent, steps_ = form_.step.extent;
  for (const StreamDot& dot : form_.dots) {
    dot_left_.push_back(add_matrix(true, dot.left, dot.depth));
    dot_right_.push_back(add_matrix(false, dot.right, dot.depth));
  }
  for (const StreamSum& sum : form_.sums) {
    sum_right_.push_back(add_matrix(false, sum.right, sum.columns));
  }
  for (std::size_t id = 0; id < form_.code.instructions.size(); ++id) {
    const Instruction& one = form_.code.instructions[id];
    bool heavy = one.code == Code::load || one.code == Code::random || one.code == Code::reduce;
    for (const ValueId operand : one.operands) {
      heavy = heavy || heavy_[static_cast<std::size_t>(operand)];
    }
    heavy_.push_back(heavy);
  }
  for (Known* known : {&scores_, &shifts_, &rows_known_}) known->assign(heavy_.size(), false);
  choose_tile();
  if (counts_in_31_bits()) integer_ = "int";
}

SINTER_INLINE const Instruction& CudaStream::at(ValueId id) const {
  return form_.code.instructions[static_cast<std::size_t>(id)];
}

SINTER_INLINE const schedule::StreamFacts& CudaStream::facts(ValueId id) const {
  return form_.facts[static_cast<std::size_t>(id)];
}

SINTER_INLINE bool CudaStream::counts_in_31_bits() const {
  for (const Extent count : {rows_, steps_}) {
    if (!detail::small(count + 1024)) return false;
  }
  for (const schedule::Argument& argument : form_.code.arguments) {
    if (!detail::small(argument.elements)) return false;
  }
  for (const Instruction& one : form_.code.instructions) {
    if (!detail::small(one.index)) return false;
  }
  return detail::small(tasks() * 2);
}

SINTER_INLINE bool CudaStream::same_memory(const Matrix& a, const Matrix& b) const {
  if (a.of_rows || b.of_rows || a.inner.size() != 1 || b.inner.size() != 1) return false;
  const Instruction &one = at(a.value), &other = at(b.value);
  if (one.code != Code::load || other.code != Code::load || one.argument != other.argument) {
    return false;
  }
  if (!one.guards.empty() || !other.guards.empty()) return false;
  const Extent moved = substitute(one.index, a.inner[0].variable, b.inner[0].variable);
  return same(a.inner[0].extent, b.inner[0].extent) && same(moved, other.index);
}

// The position of a matrix, which may be there already.
SINTER_INLINE std::size_t CudaStream::add_matrix(bool of_rows, ValueId value,
                                                 const std::vector<Loop>& inner) {
  Matrix matrix{.of_rows = of_rows, .inner = inner};
  matrix.value = how_.dtype == dtype_ ? value : detail::before_f32(form_.code, value);
  const std::int64_t most = bounds(count_of(inner)).max;
  while (matrix.width < most) matrix.width += how_.mma ? 16 : matrix.width;
  for (std::size_t i = 0; i < matrices_.size(); ++i) {
    if (same_memory(matrices_[i], matrix)) return i;
  }
  matrix.copied = copies(matrix);
  if (!matrix.copied) matrix.deep = true;
  matrix.name = text(of_rows ? "left" : "right", matrices_.size());
  matrices_.push_back(std::move(matrix));
  return matrices_.size() - 1;
}

// Whether `matrix` is an input whose lines lie evenly; then also how.
SINTER_INLINE bool CudaStream::copies(Matrix& matrix) const {
  const Instruction& load = at(matrix.value);
  if (load.code != Code::load || !load.guards.empty() || load.dtype != how_.dtype) return false;
  for (const Extent variable : variables(load.index)) {  // lines that the data say lie anywhere
    if (schedule::bind_of(form_.code, variable) >= 0) return false;
  }
  const Loop& line = matrix.of_rows ? form_.row : form_.step;
  const auto down = flat_step(load.index, {line}), along = flat_step(load.index, matrix.inner);
  const auto counts = [&](Extent step) {
    return depends_on(step, form_.row.variable) || depends_on(step, form_.step.variable);
  };
  if (!down || !along || counts(*down) || counts(*along)) return false;
  if (!same(*down, 1) && !same(*along, 1)) return false;
  matrix.deep = same(*along, 1);
  matrix.stride = matrix.deep ? *down : *along;
  return true;
}

SINTER_INLINE std::int64_t CudaStream::bytes_of(const Matrix& matrix) const {
  const int count = matrix.of_rows ? tile_.rows : tile_.steps;
  const int lines = matrix.deep ? count : matrix.width, width = matrix.deep ? matrix.width : count;
  const auto size = static_cast<std::int64_t>(info(how_.dtype).size);
  return lines * (width * size + 16) * (matrix.of_rows ? 1 : 2);
}

SINTER_INLINE std::int64_t CudaStream::shared_bytes() const {
  std::int64_t result = 0;
  for (const Matrix& matrix : matrices_) result += bytes_of(matrix);
  if (how_.mma) return result;
  const auto size = static_cast<std::int64_t>(info(dtype_).size);
  return result + tile_.rows * (tile_.steps * size + 16) + tile_.rows * 8;
}

// As many rows and steps as registers and shared memory have room for.
SINTER_INLINE void CudaStream::choose_tile() {
  int columns = 0;
  for (const std::size_t right : sum_right_) columns += matrices_[right].width;
  if (how_.mma) {
    // Warps of 32 rows read shared memory half as often for what they multiply, as long as their
    // sums leave room for scores in the registers.
    const bool light = columns <= 64 && form_.dots.size() == 1 && detail::is_short(form_);
    const bool heavy = columns > 128 || form_.dots.size() > 1;
    tile_ = {.rows = 128, .steps = heavy ? 32 : 64, .high = light ? 2 : 1};
    const std::int64_t most = bounds(rows_).max;
    if (most <= 64) tile_ = {.rows = most <= 16 ? 16 : 64, .steps = tile_.steps, .high = 1};
    tile_.full = columns > 128;
    // Numbers of 32 bits to multiply take twice the registers.
    const bool crowded = tile_.full || (heavy && info(how_.dtype).size == 4);
    if (crowded && detail::is_wide(form_)) tile_.steps = 16;
  } else {
    const bool wide = info(dtype_).size == 8;
    tile_ = {.rows = wide ? 32 : 64, .steps = wide ? 32 : 64};
  }
  while (shared_bytes() > detail::most_stream_bytes && tile_.steps > 32) tile_.steps /= 2;
  while (shared_bytes() > detail::most_stream_bytes && tile_.rows > 64) tile_.rows /= 2;
  while (shared_bytes() > detail::most_stream_bytes && tile_.steps > 16) tile_.steps /= 2;
  while (shared_bytes() > detail::most_stream_bytes && tile_.rows > 16) tile_.rows /= 2;
}

SINTER_INLINE int CudaStream::threads() const {
  return how_.mma ? tile_.rows / tile_.high * 2 : 256;
}

SINTER_INLINE Extent CudaStream::tasks() const { return batch_ * ceil_div(rows_, tile_.rows); }

SINTER_INLINE CudaLaunch CudaStream::launch() const {
  return {max(tasks(), 1), threads(), shared_bytes()};
}

// The same as C; with `row`, that is what the row is called.
SINTER_INLINE std::string CudaStream::c(Extent extent, const std::string& row) const {
  return c_text(extent, [&](Extent variable) {
    for (std::size_t i = 0; i < form_.code.symbols.size(); ++i) {
      if (same(form_.code.symbols[i], variable)) return text("n", i);
    }
    for (std::size_t i = 0; i < form_.batch.size(); ++i) {
      if (!same(form_.batch[i].variable, variable)) continue;
      return detail::side_loop({"batch", form_.batch}, i);
    }
    if (same(variable, form_.row.variable) && !row.empty()) return row;
    throw InternalError(text("codegen: ", variable, " is not known where rows are streamed"));
  });
}

SINTER_INLINE std::string CudaStream::argument_name(std::int32_t argument) const {
  std::int32_t position = 0;  // among those that are not local
  for (std::int32_t i = 0; i < argument; ++i) {
    const auto access = form_.code.arguments[static_cast<std::size_t>(i)].access;
    position += access == Access::local ? 0 : 1;
  }
  const bool read = form_.code.arguments[static_cast<std::size_t>(argument)].access == Access::read;
  return text(read ? "in" : "out", position);
}

SINTER_INLINE std::string CudaStream::parameters() const {
  std::string result;
  for (std::size_t i = 0; i < form_.code.arguments.size(); ++i) {
    const schedule::Argument& argument = form_.code.arguments[i];
    if (argument.access == Access::local) continue;
    result += text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype),
                   "* ", argument_name(static_cast<std::int32_t>(i)), ", ");
  }
  for (std::size_t i = 0; i < form_.code.symbols.size(); ++i) result += text("long n", i, ", ");
  return result + "Context* context";
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
