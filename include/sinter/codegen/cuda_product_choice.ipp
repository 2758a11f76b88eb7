#pragma once

// How a product is computed on a GPU: its method, its tile, and how its operands are read.

#include <algorithm>  // std::any_of, std::clamp, std::max, std::min
#include <array>      // std::array

#include <sinter/codegen/cuda_product.hpp>
#include <sinter/symbol/interval.hpp>
#include <sinter/symbol/proof.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

// Sums so short are made by a thread each: their operands are hardly read twice.
inline constexpr std::int64_t least_cuda_depth = 8;
// So few rows do not fill a tile.
inline constexpr std::int64_t most_few_rows = 8;
// For rows, columns and batches whose number is not known.
inline constexpr std::int64_t usual_size = 1024, usual_batch = 16;
// Of the GPU that speeds are for.
inline constexpr std::int64_t cuda_processors = 132;

// The speeds are predictions: of an H200, whose mma.sync instructions reach about 600 of 989
// TFLOP/s of 16-bit numbers, and half of both for TF32, whose numbers have twice the bytes: what
// tiles are to one another is the same. A warp of 64 x 64 sums reads 8 KiB of shared memory for 64
// Ki multiply-adds, which takes two thirds of the time of its instructions; one of 32 x 32 reads 4
// KiB for 16 Ki and waits for the memory. Small tiles fetch more of the depth at once: few blocks
// have to ask for enough.
inline constexpr std::array<CudaTile, 5> mma_tiles{{{128, 128, 2, 2, 32, 1.0},
                                                    {64, 128, 2, 2, 32, 0.85},
                                                    {64, 64, 2, 2, 64, 0.7},
                                                    {32, 64, 1, 4, 64, 0.45},
                                                    {16, 64, 1, 4, 128, 0.25}}};
// 8 x 8 sums of a thread take 64 multiply-adds for 16 numbers read.
inline constexpr std::array<CudaTile, 5> register_tiles{{{128, 128, 1, 1, 16, 1.0},
                                                         {64, 128, 1, 1, 16, 0.85},
                                                         {64, 64, 1, 1, 16, 0.6},
                                                         {32, 64, 1, 1, 16, 0.4},
                                                         {32, 32, 1, 1, 16, 0.3}}};

SINTER_INLINE std::int64_t about(Extent extent, std::int64_t usual = usual_size) {
  const std::int64_t most = bounds(extent).max;
  return most == unbounded ? usual : std::clamp<std::int64_t>(most, 1, 1 << 20);
}

// Sums of 8 bytes take twice the registers.
SINTER_INLINE bool fits(const CudaTile& tile, DType dtype) {
  return info(dtype).size < 8 || tile.rows * tile.columns <= 64 * 64;
}

// True if its value depends on loops.
SINTER_INLINE bool counts_loops(Extent extent) {
  const auto used = variables(extent);
  return std::any_of(used.begin(), used.end(), [](Extent one) { return one.is_range(); });
}

}  // namespace detail

SINTER_INLINE std::span<const CudaTile> cuda_tiles(CudaMethod method) {
  if (method == CudaMethod::mma) return detail::mma_tiles;
  return detail::register_tiles;
}

SINTER_INLINE CudaTile cuda_tile(CudaMethod method, DType dtype, Extent batch, Extent rows,
                                 Extent columns) {
  const auto parts = [](Extent all, int part) { return (detail::about(all) + part - 1) / part; };
  CudaTile best;
  double least = 0;
  for (const CudaTile& tile : cuda_tiles(method)) {
    if (!detail::fits(tile, dtype)) continue;
    const std::int64_t blocks = detail::about(batch, detail::usual_batch) * parts(rows, tile.rows) *
                                parts(columns, tile.columns);
    const std::int64_t turns = (blocks + detail::cuda_processors - 1) / detail::cuda_processors;
    const double time = static_cast<double>(turns * tile.rows * tile.columns) / tile.speed;
    if (least == 0 || time < least) best = tile, least = time;
  }
  return best;
}

SINTER_INLINE std::optional<ProductForm> cuda_product_form(const Kernel& kernel, bool strict) {
  std::optional<ProductForm> form = product_form(kernel, strict);
  if (!form) return {};
  const DType dtype = kernel.instructions[static_cast<std::size_t>(form->sum)].dtype;
  if (strict && is_floating(dtype)) return {};
  if (bounds(count_of(form->depth)).max < detail::least_cuda_depth) return {};
  return form;
}

SINTER_INLINE const Instruction& CudaProduct::at(ValueId id) const {
  return kernel_.instructions[static_cast<std::size_t>(id)];
}

// An operand before it is made f32, in which products of 16-bit numbers are exact.
SINTER_INLINE ValueId CudaProduct::before_widening(ValueId id) const {
  while (at(id).code == Code::compute && at(id).op == Op::cast && at(id).dtype == f32) {
    id = at(id).operands[0];
  }
  return id;
}

// bf16 or f16 where tensor cores multiply those; else the type of the sums.
SINTER_INLINE DType CudaProduct::multiplied_as() const {
  const DType left = at(before_widening(form_.left)).dtype;
  const DType right = at(before_widening(form_.right)).dtype;
  const bool half = left == right && (left == bf16 || left == f16);
  return half && sum_dtype_ == f32 ? left : at(form_.left).dtype;
}

SINTER_INLINE bool CudaProduct::lies_along(ValueId id, const std::vector<Loop>& loops) const {
  if (loops.empty()) return false;
  std::vector<bool> used(kernel_.instructions.size(), false);
  detail::mark_used(kernel_, id, -1, used);
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Instruction& one = kernel_.instructions[i];
    if (!used[i] || one.code != Code::load) continue;
    const auto step = coefficient_of(one.index, loops.back().variable);
    if (step && same(*step, 1)) return true;
  }
  return false;
}

// Whether `factor` is an input whose lines lie evenly; then also how.
SINTER_INLINE bool CudaProduct::copies(Factor& factor, const std::vector<Loop>& loops) const {
  const Instruction& load = at(factor.value);
  if (load.code != Code::load || !load.guards.empty() || load.dtype != factor.dtype) return false;
  if (kernel_.arguments[static_cast<std::size_t>(load.argument)].dtype != load.dtype) return false;
  const auto down = flat_step(load.index, loops), along = flat_step(load.index, form_.depth);
  if (!down || !along || detail::counts_loops(*down) || detail::counts_loops(*along)) return false;
  if (!same(*down, 1) && !same(*along, 1)) return false;
  factor.deep = same(*along, 1);
  factor.stride = factor.deep ? *down : *along;
  return true;
}

// True if `pack` neighbours never belong to different steps of an outer loop.
SINTER_INLINE bool CudaProduct::packs(const Loop& last, std::size_t loops, int pack) const {
  return bounds(last.extent).max >= pack && (loops == 1 || proven_divisible(last.extent, pack));
}

// 16 bytes of the input that is read along the depth or across it.
SINTER_INLINE int CudaProduct::widest_pack(const Factor& factor) const {
  const Loop& along = factor.deep ? form_.depth.back() : factor.side.loops.back();
  std::vector<bool> used(kernel_.instructions.size(), false);
  detail::mark_used(kernel_, factor.value, -1, used);
  std::size_t bytes = 2;
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Instruction& one = kernel_.instructions[i];
    if (!used[i] || one.code != Code::load) continue;
    const auto step = coefficient_of(one.index, along.variable);
    if (!step || same(*step, 0)) continue;
    bytes =
        std::max(bytes, info(kernel_.arguments[static_cast<std::size_t>(one.argument)].dtype).size);
  }
  return static_cast<int>(16 / bytes);
}

SINTER_INLINE void CudaProduct::choose_factor(Factor& factor, const std::vector<Loop>& loops) {
  factor.side.loops = loops;
  factor.copied = copies(factor, loops);
  if (factor.copied) return;
  factor.deep = lies_along(factor.value, form_.depth) || !lies_along(factor.value, loops);
  const std::vector<Loop>& along = factor.deep ? form_.depth : loops;
  factor.pack = std::max(info(factor.dtype).size, std::size_t{4}) == 8 ? 2 : 4;
  if (!packs(along.back(), along.size(), factor.pack)) factor.pack = 1;
}

SINTER_INLINE void CudaProduct::choose_method() {
  const std::int64_t high = bounds(rows_).max;
  const DType as = multiplied_as();
  left_.value = form_.left, right_.value = form_.right;
  const bool few = high <= detail::most_few_rows && tuning_.tile_rows == 0;
  left_.dtype = right_.dtype = few ? sum_dtype_ : as;
  if (few) {
    few_ = static_cast<int>(std::max<std::int64_t>(high, 1));
    right_.deep = lies_along(form_.right, form_.depth) && !lies_along(form_.right, form_.columns);
    method_ = right_.deep ? CudaMethod::dots : CudaMethod::columns;
    return;
  }
  const bool half = as != sum_dtype_ && info(as).size == 2 && is_floating(as);
  // Tensor cores round f32 to 11 bits, which a program that does not ask for it does not get.
  const bool rounded = tf32_ && as == f32 && sum_dtype_ == f32;
  method_ = half || rounded ? CudaMethod::mma : CudaMethod::registers;
  if (!half) return;
  left_.value = before_widening(form_.left);
  right_.value = before_widening(form_.right);
}

// That which timing found, or else which the cost model would have.
SINTER_INLINE void CudaProduct::choose_tile() {
  tile_ = cuda_tile(method_, sum_dtype_, batch_, rows_, columns_);
  for (const CudaTile& tile : cuda_tiles(method_)) {
    const bool found = tile.rows == tuning_.tile_rows && tile.columns == tuning_.tile_columns;
    if (found && detail::fits(tile, sum_dtype_)) tile_ = tile;
  }
  if (is_tf32()) tile_.step /= 2;  // as many bytes as of 16-bit numbers
  while (tile_.step > 32 && bounds(depth_).max <= tile_.step / 2) tile_.step /= 2;
}

// Few rows: `right` is read once, 16 bytes at a time, and finer parts keep all processors busy.
SINTER_INLINE void CudaProduct::choose_few() {
  left_.side.loops = form_.rows, right_.side.loops = form_.columns;
  left_.deep = true;
  const std::vector<Loop>& along = right_.deep ? form_.depth : form_.columns;
  int pack = widest_pack(right_);
  while (pack > 1 && !packs(along.back(), along.size(), pack)) pack /= 2;
  right_.pack = pack, left_.pack = right_.deep ? pack : 1;
  tile_.rows = few_;
  const auto blocks = [&] {
    return detail::about(batch_, detail::usual_batch) *
           ((detail::about(columns_) - 1) / tile_.columns + 1);
  };
  if (right_.deep) {
    tile_.columns = 8 * (few_ > 2 ? 4 : 2);  // of 8 warps
    while (tile_.columns > 8 && blocks() < detail::cuda_processors) tile_.columns /= 2;
    if (tuning_.tile_columns % 8 == 0 && tuning_.tile_columns >= 8 && tuning_.tile_columns <= 32) {
      tile_.columns = tuning_.tile_columns;
    }
    left_.has_rest = right_.has_rest = pack > 1 && !proven_divisible(depth_, pack);
    return;
  }
  tile_.columns = (pack == 1 ? 32 : 8) * pack;
  if (pack > 1 && blocks() < 2 * detail::cuda_processors) tile_.columns /= 2;
  for (const int threads : {4, 8, 16, 32}) {  // of a row of sums
    if (tuning_.tile_columns == threads * pack) tile_.columns = tuning_.tile_columns;
  }
  right_.has_rest = !proven_divisible(columns_, tile_.columns);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
