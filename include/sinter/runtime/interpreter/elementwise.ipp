#pragma once

#include <algorithm>    // std::find, std::min
#include <type_traits>  // std::is_floating_point_v

#include <sinter/base/error.hpp>
#include <sinter/graph/elementwise.hpp>
#include <sinter/runtime/interpreter/data_error.hpp>
#include <sinter/runtime/interpreter/elementwise.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// The operands of an operation. `bits` is the width of the dtype, which shifts need.
template <class T>
struct Operands {
  const T* x;
  const T* y;  // null for unary operations
  std::int64_t size;
  int bits;
};

template <class T, class Result, class Function>
void map(const Operands<T>& operands, Result* to, const Function& function) {
  const T *const x = operands.x, *const y = operands.y;
  if constexpr (std::is_invocable_v<Function, T>) {
    for (std::int64_t i = 0; i < operands.size; ++i) to[i] = static_cast<Result>(function(x[i]));
  } else {
    for (std::int64_t i = 0; i < operands.size; ++i) {
      to[i] = static_cast<Result>(function(x[i], y[i]));
    }
  }
}

template <class T>
void compute_arithmetic(Op op, const Operands<T>& operands, T* to) {
  const auto over_chunk = [&](const auto& function) { map(operands, to, function); };
  const bool unary = operands.y == nullptr;
  if constexpr (std::is_floating_point_v<T>) {
    unary ? visit_floating_unary<T>(op, over_chunk) : visit_floating_binary<T>(op, over_chunk);
  } else {
    unary ? visit_integral_unary<T>(op, operands.bits, over_chunk)
          : visit_integral_binary<T>(op, operands.bits, over_chunk);
  }
}

// Runs an operation chunk by chunk.
template <class T>
void compute(Op op, Span<const Array> operands, const Array& result, Where where) {
  const DType dtype = operands[0].dtype;
  const bool divides = (op == Op::floor_divide || op == Op::remainder) && !is_floating(dtype);
  const bool direct = info(dtype).size == sizeof(T) && result.dtype == dtype;
  const int bits = dtype == boolean ? 1 : static_cast<int>(info(dtype).size * 8);
  Reader xs(operands[0]), ys(operands.back());
  alignas(64) T buffer[chunk];
  const std::int64_t total = count(result.shape);
  for (std::int64_t done = 0; done < total; done += chunk) {
    const std::int64_t size = std::min(chunk, total - done);
    const T* const x = xs.next<T>(size);
    const Operands<T> chunks{x, operands.size() == 2 ? ys.next<T>(size) : nullptr, size, bits};
    std::byte* const to = result.data() + done * static_cast<std::int64_t>(info(result.dtype).size);
    if (divides) {
      const T* const zero = std::find(chunks.y, chunks.y + size, T(0));
      if (zero != chunks.y + size) {
        throw_division_by_zero(op, dtype, done + (zero - chunks.y), where);
      }
    }
    if (info(op).gives == Gives::boolean) {
      visit_comparison<T>(
          op, [&](const auto& holds) { map(chunks, reinterpret_cast<bool*>(to), holds); });
    } else if (op == Op::cast) {
      store(result.dtype, x, size, to);
    } else {
      T* const computed = direct ? reinterpret_cast<T*>(to) : buffer;
      compute_arithmetic(op, chunks, computed);
      if (!direct) store(result.dtype, computed, size, to);
    }
  }
}

SINTER_INLINE void select(const Array& condition, const Array& x, const Array& y,
                          const Array& result) {
  Reader conditions(condition), xs(x), ys(y);
  const auto element = static_cast<std::int64_t>(info(result.dtype).size);
  const std::int64_t total = count(result.shape);
  visit_size(element, [&]<class T>(T) {
    for (std::int64_t done = 0; done < total; done += chunk) {
      const std::int64_t size = std::min(chunk, total - done);
      const bool* const holds = static_cast<const bool*>(conditions.raw(size));
      const T* const yes = static_cast<const T*>(xs.raw(size));
      const T* const no = static_cast<const T*>(ys.raw(size));
      T* const to = reinterpret_cast<T*>(result.data() + done * element);
      for (std::int64_t i = 0; i < size; ++i) to[i] = holds[i] ? yes[i] : no[i];
    }
  });
}

}  // namespace detail

SINTER_INLINE Array elementwise(Op op, Span<const Array> operands, DType dtype, Where where) {
  const Array result = make_dense(dtype, operands.back().shape, where);
  if (op == Op::select) {
    detail::select(operands[0], operands[1], operands[2], result);
  } else {
    visit_computed(operands[0].dtype,
                   [&]<class T>(T) { detail::compute<T>(op, operands, result, where); });
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
