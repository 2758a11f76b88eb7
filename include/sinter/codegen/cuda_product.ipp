#pragma once

#include <algorithm>  // std::max
#include <utility>    // std::move

#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda_nest.hpp>
#include <sinter/codegen/cuda_product.hpp>
#include <sinter/symbol/extent_text.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Parts of the depth that are in shared memory: one is multiplied while three are fetched.
inline constexpr int operand_buffers = 4;

SINTER_INLINE DType cuda_sum_dtype(DType dtype) {
  if (dtype == f16 || dtype == bf16) return f32;
  return is_floating(dtype) || dtype == i64 ? dtype : i32;  // whole numbers wrap alike in i32
}

}  // namespace detail

SINTER_INLINE CudaProduct::CudaProduct(const Kernel& kernel, ProductForm form, const Tuning& tuning,
                                       bool tf32)
    : kernel_(kernel),
      form_(std::move(form)),
      layout_(kernel),
      sum_dtype_(detail::cuda_sum_dtype(at(form_.sum).dtype)),
      tuning_(tuning),
      tf32_(tf32),
      batch_(count_of(form_.batch)),
      rows_(count_of(form_.rows)),
      columns_(count_of(form_.columns)),
      depth_(count_of(form_.depth)) {
  left_.name = "left", left_.side = {"row", form_.rows};
  right_.name = "right", right_.side = {"column", form_.columns};
  choose_method();
  if (is_few()) {
    choose_few();
  } else {
    choose_factor(left_, form_.rows);
    choose_factor(right_, form_.columns);
    choose_tile();
  }
  const int pack = info(sum_dtype_).size == 8 ? 2 : 4;
  finish_pack_ = packs(form_.columns.back(), form_.columns.size(), pack) ? pack : 1;
  if (counts_in_31_bits()) integer_ = "int";
}

// Rounded up to tiles, too.
SINTER_INLINE bool CudaProduct::counts_in_31_bits() const {
  for (const Extent count : {rows_, columns_, depth_}) {
    if (!detail::small(count + 1024)) return false;
  }
  for (const schedule::Argument& argument : kernel_.arguments) {
    if (!detail::small(argument.elements)) return false;
  }
  for (const Instruction& one : kernel_.instructions) {
    if (!detail::small(one.index)) return false;
  }
  return detail::small(tasks() * 2);  // a block passes the end by as many as there are blocks
}

// The same as C.
SINTER_INLINE std::string CudaProduct::c(Extent extent) const {
  return c_text(extent, [&](Extent variable) {
    for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) {
      if (same(kernel_.symbols[i], variable)) return text("n", i);
    }
    for (std::size_t i = 0; i < form_.batch.size(); ++i) {
      if (!same(form_.batch[i].variable, variable)) continue;
      return detail::side_loop({"batch", form_.batch}, i);
    }
    throw InternalError(text("codegen: ", variable, " is not known outside of a product"));
  });
}

SINTER_INLINE std::string CudaProduct::argument_name(std::int32_t argument) const {
  const auto position = static_cast<std::size_t>(argument);
  const bool read = kernel_.arguments[position].access == Access::read;
  return text(read ? "in" : "out", layout_.parameters[position]);
}

SINTER_INLINE std::string CudaProduct::parameters() const {
  std::string result;
  for (std::size_t i = 0; i < kernel_.arguments.size(); ++i) {
    const schedule::Argument& argument = kernel_.arguments[i];
    result += text(argument.access == Access::read ? "const " : "", memory_type(argument.dtype),
                   "* ", argument_name(static_cast<std::int32_t>(i)), ", ");
  }
  for (std::size_t i = 0; i < kernel_.symbols.size(); ++i) result += text("long n", i, ", ");
  return result + "Context* context";
}

SINTER_INLINE std::string CudaProduct::sum_type() const { return type_name({sum_dtype_}); }

SINTER_INLINE int CudaProduct::threads() const {
  return method_ == CudaMethod::mma ? 32 * tile_.down * tile_.across : 256;
}

SINTER_INLINE Extent CudaProduct::tasks() const {
  return batch_ * ceil_div(rows_, tile_.rows) * ceil_div(columns_, tile_.columns);
}

// Bytes between lines in shared memory. Lanes read numbers of 4 bytes that lie across the depth one
// by one, from four lines at once, which are to be in different banks.
SINTER_INLINE int CudaProduct::padding(const Factor& factor) const {
  return is_tf32() && !factor.deep ? 32 : 16;
}

// Operands and sums are there in turns.
SINTER_INLINE std::int64_t CudaProduct::shared_bytes() const {
  const auto size = static_cast<std::int64_t>(info(sum_dtype_).size);
  const int parts = method_ == CudaMethod::columns ? 1 + threads() / 32 : 1;
  const std::int64_t sums = size * parts * tile_.rows * pitch();
  const auto bytes = [&](const Factor& factor, int count) {
    const auto element = static_cast<std::int64_t>(info(factor.dtype).size);
    const int lines = factor.deep ? count : tile_.step, width = factor.deep ? tile_.step : count;
    return lines * (width * element + padding(factor));
  };
  if (is_few()) return sums;
  const std::int64_t operands = bytes(left_, tile_.rows) + bytes(right_, tile_.columns);
  return std::max(sums, detail::operand_buffers * operands);
}

SINTER_INLINE CudaLaunch CudaProduct::launch() const {
  return {max(tasks(), 1), threads(), shared_bytes()};
}

SINTER_INLINE PieceKernel CudaProduct::new_piece(const std::vector<CudaSide>& sides) const {
  PieceKernel piece;
  piece.kernel.vector_axis = VectorAxis::grid;
  piece.kernel.arguments = kernel_.arguments;
  piece.kernel.symbols = kernel_.symbols;
  piece.kernel.checks_before = kernel_.checks_before;
  for (const CudaSide& side : sides) {
    for (const Loop& loop : side.loops) piece.add(loop, Span::given);
  }
  return piece;
}

// The side along which it is read comes last.
SINTER_INLINE std::vector<CudaSide> CudaProduct::sides_of(const Factor& factor) const {
  const CudaSide batch{"batch", form_.batch}, k{"k", form_.depth};
  if (factor.deep) return {batch, factor.side, k};
  return {batch, k, factor.side};
}

SINTER_INLINE void CudaProduct::write_operand(Factor& factor) {
  if (factor.copied) return;
  const std::vector<CudaSide> sides = sides_of(factor);
  for (const int pack : {1, factor.pack}) {
    if (pack == 1 && factor.pack > 1 && !factor.has_rest) continue;
    PieceKernel piece = new_piece(sides);
    const ValueId value = piece.copy(kernel_, {factor.value}, -1, 0)[0];
    CudaPiece one(piece, sides, pack, integer_);
    const std::string name = text(name_, "_", factor.name, pack == 1 ? "" : text("_", pack));
    pieces_ += one.operand(name, value, factor.dtype);
    factor.arguments = one.arguments();
    if (factor.pack == 1) break;
  }
}

// All that comes behind the sum.
SINTER_INLINE void CudaProduct::write_finish() {
  const std::vector<CudaSide> sides{{"batch", form_.batch}, left_.side, right_.side};
  std::vector<ValueId> roots;
  for (std::size_t id = 0; id < kernel_.instructions.size(); ++id) {
    const Instruction& one = kernel_.instructions[id];
    const bool acts = one.code == Code::store || schedule::can_fault(one);
    if (acts) roots.push_back(static_cast<ValueId>(id));
  }
  for (const int pack : {1, finish_pack_}) {
    if (pack == 1 && finish_pack_ > 1 && proven_divisible(columns_, finish_pack_)) continue;
    PieceKernel piece = new_piece(sides);
    piece.add_matrix(sum_dtype_, Access::read);
    piece.copy(kernel_, roots, form_.sum, form_.columns.back().variable);
    CudaPiece one(piece, sides, pack, integer_);
    pieces_ += one.finish(text(name_, "_finish", pack == 1 ? "" : text("_", pack)), sum_type());
    finish_arguments_ = one.arguments();
    if (finish_pack_ == 1) break;
  }
}

SINTER_INLINE std::string CudaProduct::function(const std::string& name) {
  name_ = name;
  write_operand(left_);
  write_operand(right_);
  write_finish();
  {
    const auto body = out_.block(text("extern \"C\" __global__ void __launch_bounds__(", threads(),
                                      ", 1) ", name, "(", parameters(), ")"));
    write_body();
  }
  return pieces_ + out_.str();
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
