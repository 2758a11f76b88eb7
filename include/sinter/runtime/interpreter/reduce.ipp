#pragma once

#include <algorithm>    // std::fill_n, std::min
#include <limits>       // std::numeric_limits
#include <type_traits>  // std::conditional_t

#include <sinter/runtime/interpreter/reduce.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime::interpreter {

namespace detail {

// The shape of the result, and for each axis of the input its stride in the result and in the
// position over the reduced axes; 0 if it has none.
struct Reduction {
  Sizes shape{}, strides{}, position_strides{};
};

SINTER_INLINE Reduction plan_reduction(const Sizes& shape, const Sizes& axes) {
  Reduction plan;
  plan.strides.resize(shape.size());
  plan.position_strides.resize(shape.size());
  std::size_t next = axes.size();
  std::int64_t stride = 1, position_stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    const bool reduced = next > 0 && axes[next - 1] == static_cast<std::int64_t>(axis);
    if (reduced) --next;
    (reduced ? plan.position_strides : plan.strides)[axis] = reduced ? position_stride : stride;
    (reduced ? position_stride : stride) *= shape[axis];
  }
  next = 0;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const bool reduced = next < axes.size() && axes[next] == static_cast<std::int64_t>(axis);
    if (reduced) ++next;
    if (!reduced) plan.shape.push_back(shape[axis]);
  }
  return plan;
}

// Calls visit(x, start, step, size, position, position_step) for chunks of elements in row-major
// order: x[i] belongs to the element start + i * step of the result, and has the position
// position + i * position_step among the elements that are reduced to it.
template <class T, class Visit>
void for_each_chunk(const Array& x, const Reduction& plan, const Visit& visit) {
  Runs<2> runs(x.shape, {plan.strides, plan.position_strides});
  if (runs.length() == 0) return;
  Reader elements(x);
  const auto [step, position_step] = runs.step();
  do {
    const auto [start, position] = runs.start();
    for (std::int64_t done = 0; done < runs.length(); done += chunk) {
      const std::int64_t size = std::min(chunk, runs.length() - done);
      visit(elements.next<T>(size), start + done * step, step, size,
            position + done * position_step, position_step);
    }
  } while (runs.next());
}

// Combines x[0] ... x[size - 1] with `total`: in 16 independent lanes, or in order, which floating
// sums and products need so that strict kernels give the same bits.
template <class T, class Total, class Combine>
Total combine_all(const T* x, std::int64_t size, Total total, Total identity, bool in_order,
                  const Combine& combine) {
  constexpr std::int64_t lanes = 16;
  if (size >= 2 * lanes && !in_order) {
    Total partial[lanes];
    std::fill_n(partial, lanes, identity);
    for (; size >= lanes; size -= lanes, x += lanes) {
      for (std::int64_t i = 0; i < lanes; ++i) {
        partial[i] = combine(partial[i], static_cast<Total>(x[i]));
      }
    }
    for (const Total& lane : partial) total = combine(total, lane);
  }
  for (std::int64_t i = 0; i < size; ++i) total = combine(total, static_cast<Total>(x[i]));
  return total;
}

template <class T, class Total, class Combine>
void reduce_with(const Array& x, const Reduction& plan, Total identity, bool in_order,
                 const Array& totals, const Combine& combine) {
  Total* const to = reinterpret_cast<Total*>(totals.data());
  std::fill_n(to, count(plan.shape), identity);
  for_each_chunk<T>(
      x, plan,
      [&](const T* elements, std::int64_t start, std::int64_t step, std::int64_t size, std::int64_t,
          std::int64_t) {
        if (step == 0) {
          to[start] = combine_all(elements, size, to[start], identity, in_order, combine);
          return;
        }
        Total* const target = to + start;  // the kept axes are dense, so the step is 1
        for (std::int64_t i = 0; i < size; ++i) {
          target[i] = combine(target[i], static_cast<Total>(elements[i]));
        }
      });
}

template <class T>
Array argmax(const Array& x, const Reduction& plan, Where where) {
  const Array result = make_dense(i64, plan.shape, where);
  const Array largest = make_dense(dtype_of<T>, plan.shape, where);
  std::int64_t* const positions = reinterpret_cast<std::int64_t*>(result.data());
  T* const best = reinterpret_cast<T*>(largest.data());
  std::fill_n(positions, count(plan.shape), 0);
  for_each_chunk<T>(
      x, plan,
      [&](const T* elements, std::int64_t start, std::int64_t step, std::int64_t size,
          std::int64_t position, std::int64_t position_step) {
        for (std::int64_t i = 0; i < size; ++i) {
          const std::int64_t at = position + i * position_step, to = start + i * step;
          const T element = elements[i];
          if (at != 0 && !(element > best[to] || (element != element && best[to] == best[to])))
            continue;
          best[to] = element;
          positions[to] = at;
        }
      });
  return result;
}

// The initial values of max and min.
template <class T>
constexpr T least() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}
template <class T>
constexpr T greatest() {
  using Limits = std::numeric_limits<T>;
  return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

// The same for `dtype`, which may be narrower than the type in which it is computed.
template <class T>
T limit_of(DType dtype, bool lowest) {
  return visit_dtype(dtype, [lowest]<class Element>(Element) {
    if constexpr (std::is_integral_v<Element>) {
      return static_cast<T>(lowest ? least<Element>() : greatest<Element>());
    } else {
      return lowest ? least<T>() : greatest<T>();
    }
  });
}

template <class T>
Array reduce_computed(Op op, const Array& x, const Reduction& plan, Where where) {
  constexpr bool floating = std::is_floating_point_v<T>;
  using Total = std::conditional_t<floating, double, std::uint64_t>;
  using Stored = std::conditional_t<floating, double, std::int64_t>;
  const Array result = make_dense(x.dtype, plan.shape, where);
  const auto reduce_in = [&]<class As>(As identity, const auto& combine) {
    using Accumulator = std::conditional_t<std::is_same_v<As, Total>, Stored, T>;
    const bool direct = dtype_of<Accumulator> == x.dtype;
    const Array totals = direct ? result : make_dense(dtype_of<Accumulator>, plan.shape, where);
    const bool in_order = floating && (op == Op::sum || op == Op::prod);
    reduce_with<T>(x, plan, identity, in_order, totals, combine);
    if (direct) return;
    store(x.dtype, reinterpret_cast<const Accumulator*>(totals.data()), count(plan.shape),
          result.data());
  };
  switch (op) {
    case Op::sum:
      reduce_in(Total(0), [](Total a, Total b) { return a + b; });
      break;
    case Op::prod:
      reduce_in(Total(1), [](Total a, Total b) { return a * b; });
      break;
    case Op::max:
      reduce_in(limit_of<T>(x.dtype, true), [](T a, T b) { return b > a || b != b ? b : a; });
      break;
    default:
      reduce_in(limit_of<T>(x.dtype, false), [](T a, T b) { return b < a || b != b ? b : a; });
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Array reduce(Op op, const Array& x, const Sizes& axes, Where where) {
  const detail::Reduction plan = detail::plan_reduction(x.shape, axes);
  return visit_computed(x.dtype, [&]<class T>(T) {
    return op == Op::argmax ? detail::argmax<T>(x, plan, where)
                            : detail::reduce_computed<T>(op, x, plan, where);
  });
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime::interpreter
