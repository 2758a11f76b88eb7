#pragma once

#include <array>      // std::array
#include <optional>   // std::optional

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/jit/cuda/library_epilogue.hpp>
#include <sinter/jit/cuda/library_product.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

using codegen::ProductForm;
using runtime::CudaLibraryCall;
using schedule::Code;
using schedule::Instruction;
using schedule::Kernel;
using schedule::Loop;
using schedule::ValueId;

using Loops = Vector<Loop>;

// Builds the library call for one kernel.
class LibraryProduct {
 public:
  LibraryProduct(const Kernel& kernel, const ProductForm& form) : kernel_(kernel), form_(form) {}

  SharedPtr<const CudaLibraryCall> call(bool tf32) {
    const bool found = find_values() && find_loops() && find_matrices();
    if (!found || !call_.may_pay()) return nullptr;
    call_.tf32 = tf32 && call_.operands == f32;
    return make_shared_ptr<const CudaLibraryCall>(std::move(call_));
  }

 private:
  const Instruction& at(ValueId id) const {
    return kernel_.instructions[static_cast<std::size_t>(id)];
  }
  DType memory_type(ValueId id) const {
    return kernel_.arguments[static_cast<std::size_t>(at(id).argument)].dtype;
  }
  bool find_values();
  bool find_operand(ValueId id, ValueId& load) const;
  bool is_plain(const Instruction& access) const;
  bool find_loops();
  Loops split(const Loops& loops, ValueId operand) const;
  Loops innermost(const Loops& loops, Span<const ValueId> accesses) const;
  void add_repeats(Loops loops);
  bool find_matrices();
  bool is_one_row(Extent index) const;
  Optional<CudaLibraryCall::Matrix> operand(ValueId load, const Loops& lines) const;
  Optional<CudaLibraryCall::Matrix> result(ValueId access) const;
  CudaLibraryCall::Matrix placed(ValueId access, Extent pitch, bool by_depth) const;
  Vector<ValueId> stored_alike() const;

  const Kernel& kernel_;
  const ProductForm& form_;
  CudaLibraryCall call_{};
  LibraryEpilogue epilogue_{};
  ValueId left_ = -1, right_ = -1, store_ = -1;
  Loops rows_{}, columns_{};
};

SINTER_INLINE bool is_in(const Loops& loops, const Loop& loop) {
  return any_of(loops, [&](const Loop& one) { return same(one.variable, loop.variable); });
}

// The only store of the kernel; -1 if it has none or several, or can fault.
SINTER_INLINE ValueId only_store(const Kernel& kernel) {
  ValueId result = -1;
  for (std::size_t id = 0; id < kernel.instructions.size(); ++id) {
    const Instruction& one = kernel.instructions[id];
    if (schedule::can_fault(one)) return -1;
    if (one.code != Code::store) continue;
    if (result >= 0 || one.accumulate) return -1;
    result = static_cast<ValueId>(id);
  }
  return result;
}

// True if the access is unguarded and its index is affine in the loops, with coefficients that
// depend on sizes only.
SINTER_INLINE bool LibraryProduct::is_plain(const Instruction& access) const {
  if (!access.guards.empty()) return false;
  const auto has_ranges = [](Extent extent) {
    const auto used = variables(extent);
    return any_of(used, [](Extent one) { return one.is_range(); });
  };
  Extent start = access.index;
  for (const Loops* loops : {&form_.batch, &form_.rows, &form_.columns, &form_.depth}) {
    for (const Loop& loop : *loops) {
      const auto step = coefficient_of(access.index, loop.variable);
      if (!step || has_ranges(*step)) return false;
      start = without(start, loop.variable);
    }
  }
  return !has_ranges(start);
}

// Finds the load of an operand, which may be widened before the product.
SINTER_INLINE bool LibraryProduct::find_operand(ValueId id, ValueId& load) const {
  const DType sum = at(form_.sum).dtype;
  load = id;
  const bool widens = at(id).code == Code::compute && at(id).op == Op::cast && sum == f32;
  if (widens) load = at(id).operands[0];
  const Instruction& one = at(load);
  if (one.code != Code::load || one.dtype != memory_type(load) || !is_plain(one)) return false;
  const bool half = one.dtype == f16 || one.dtype == bf16;
  return widens ? half : one.dtype == sum && (sum == f32 || sum == f64);
}

SINTER_INLINE bool LibraryProduct::find_values() {
  store_ = only_store(kernel_);
  if (!kernel_.finalizers.empty() || store_ < 0 || !is_plain(at(store_))) return false;
  if (!find_operand(form_.left, left_) || !find_operand(form_.right, right_)) return false;
  call_.operands = memory_type(left_);
  call_.stored = memory_type(store_);
  const bool wide = at(form_.sum).dtype == f64;
  const bool kept = call_.stored == at(form_.sum).dtype || call_.stored == call_.operands;
  if (memory_type(right_) != call_.operands || !kept || wide != (call_.stored == f64)) return false;
  const auto epilogue = library_epilogue(kernel_, form_, store_);
  if (!epilogue) return false;
  epilogue_ = *epilogue;
  for (const ValueId load : {epilogue_.added, epilogue_.bias}) {
    if (load >= 0 && !is_plain(at(load))) return false;
  }
  call_.scale = epilogue_.scale;
  call_.added_scale = epilogue_.added_scale;
  call_.activation = epilogue_.activation;
  return true;
}

SINTER_INLINE Vector<ValueId> LibraryProduct::stored_alike() const {
  Vector<ValueId> result{store_};
  if (epilogue_.added >= 0) result.push_back(epilogue_.added);
  return result;
}

// The longest suffix of `loops` that collapses to a single loop for all of `accesses`.
SINTER_INLINE Loops LibraryProduct::innermost(const Loops& loops,
                                              Span<const ValueId> accesses) const {
  Loops result;
  for (std::size_t from = 0; from < loops.size(); ++from) {
    result.assign(loops.begin() + static_cast<std::ptrdiff_t>(from), loops.end());
    const bool flat = all_of(
        accesses, [&](ValueId id) { return codegen::flat_step(at(id).index, result).has_value(); });
    if (flat) break;
  }
  return result;
}

// The loops that form the rows (or columns) of the matrix. The remaining loops are batch
// dimensions.
SINTER_INLINE Loops LibraryProduct::split(const Loops& loops, ValueId operand) const {
  Vector<ValueId> accesses = stored_alike();
  accesses.push_back(operand);
  if (epilogue_.bias >= 0) accesses.push_back(epilogue_.bias);
  return innermost(loops, accesses);
}

SINTER_INLINE bool LibraryProduct::find_loops() {
  rows_ = split(form_.rows, left_);
  columns_ = split(form_.columns, right_);
  const std::array operands{left_, right_};
  if (rows_.empty() || innermost(form_.depth, operands).size() != form_.depth.size()) return false;
  call_.rows = codegen::count_of(rows_);
  call_.columns = codegen::count_of(columns_);
  call_.depth = codegen::count_of(form_.depth);
  Loops rest;
  for (const Loop& loop : kernel_.grid) {
    if (loop.variable.is_number() || is_in(rows_, loop) || is_in(columns_, loop)) continue;
    rest.push_back(loop);
  }
  add_repeats(std::move(rest));
  return true;
}

SINTER_INLINE void LibraryProduct::add_repeats(Loops loops) {
  Vector<ValueId> accesses = stored_alike();
  accesses.push_back(left_), accesses.push_back(right_);
  while (!loops.empty()) {
    const Loops last = innermost(loops, accesses);
    const auto step = [&](ValueId id) { return *codegen::flat_step(at(id).index, last); };
    call_.repeats.insert(call_.repeats.begin(),
                         {.count = codegen::count_of(last),
                          .left = step(left_),
                          .right = step(right_),
                          .added = epilogue_.added >= 0 ? step(epilogue_.added) : Extent(0),
                          .result = step(store_)});
    loops.resize(loops.size() - last.size());
  }
}

SINTER_INLINE CudaLibraryCall::Matrix LibraryProduct::placed(ValueId access, Extent pitch,
                                                             bool by_depth) const {
  Extent start = at(access).index;
  for (const Loops* loops : {&form_.batch, &form_.rows, &form_.columns, &form_.depth}) {
    for (const Loop& loop : *loops) start = without(start, loop.variable);
  }
  std::int32_t buffer = 0;
  for (std::int32_t i = 0; i < at(access).argument; ++i) {
    buffer += kernel_.arguments[static_cast<std::size_t>(i)].access != schedule::Access::local;
  }
  return {.buffer = buffer, .start = start, .pitch = pitch, .by_depth = by_depth};
}

// An operand that is contiguous along the depth or along `lines`.
SINTER_INLINE Optional<CudaLibraryCall::Matrix> LibraryProduct::operand(ValueId load,
                                                                        const Loops& lines) const {
  const Extent depth = *codegen::flat_step(at(load).index, form_.depth);
  const Extent line = *codegen::flat_step(at(load).index, lines);
  if (same(depth, 1)) return placed(load, line, true);
  if (same(line, 1)) return placed(load, depth, false);
  return std::nullopt;
}

SINTER_INLINE Optional<CudaLibraryCall::Matrix> LibraryProduct::result(ValueId access) const {
  if (!same(*codegen::flat_step(at(access).index, columns_), 1)) return std::nullopt;
  return placed(access, *codegen::flat_step(at(access).index, rows_), false);
}

// True if the index is contiguous along the columns and the same for all rows and batches.
SINTER_INLINE bool LibraryProduct::is_one_row(Extent index) const {
  for (const Loop& loop : kernel_.grid) {
    if (!is_in(columns_, loop) && depends_on(index, loop.variable)) return false;
  }
  return same(*codegen::flat_step(index, columns_), 1);
}

SINTER_INLINE bool LibraryProduct::find_matrices() {
  const auto put = [](const Optional<CudaLibraryCall::Matrix>& found,
                      CudaLibraryCall::Matrix& matrix) {
    if (found) matrix = *found;
    return found.has_value();
  };
  if (!put(operand(left_, rows_), call_.left)) return false;
  if (!put(operand(right_, columns_), call_.right)) return false;
  if (!put(result(store_), call_.result)) return false;
  if (epilogue_.added >= 0 && !put(result(epilogue_.added), call_.added)) return false;
  if (epilogue_.bias < 0) return true;
  call_.bias = placed(epilogue_.bias, 0, false);
  return is_one_row(at(epilogue_.bias).index);
}

}  // namespace detail

SINTER_INLINE SharedPtr<const runtime::CudaLibraryCall> library_product(
    const schedule::Kernel& kernel, bool tf32) {
  if (schedule::is_row_tiled(kernel)) return nullptr;  // more than a product
  const auto form = codegen::product_form(kernel, false);
  return form ? detail::LibraryProduct(kernel, *form).call(tf32) : nullptr;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
