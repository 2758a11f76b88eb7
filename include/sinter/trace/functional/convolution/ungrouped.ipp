#pragma once

#include <string>   // std::string
#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/convolution/gradient.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/functional/convolution/ungrouped.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>

namespace sinter::inline SINTER_ABI::detail {

namespace whole {

SINTER_INLINE Tensor contract(const Tensor& lhs, const Tensor& rhs,
                              const std::vector<std::int64_t>& of_lhs,
                              const std::vector<std::int64_t>& of_rhs, Where where) {
  const std::vector<std::int64_t> none;
  return record({.op = Op::dot_general,
                 .attributes = {{"lhs_batch", none},
                                {"rhs_batch", none},
                                {"lhs_contract", of_lhs},
                                {"rhs_contract", of_rhs}}},
                {lhs, rhs}, where);
}

// The windows are the right operand, so that results are contiguous along positions, in the order
// of their readers.
SINTER_INLINE Tensor product(const Tensor& x, const Tensor& weight, const Vector<WindowAxis>& axes,
                             std::string_view op, Where where) {
  const auto spatial = static_cast<std::int64_t>(axes.size());
  const Tensor taken = windows(x, axes, constant(0, x.dtype()), op, where);
  std::vector<std::int64_t> lhs{1}, rhs{1};
  for (std::int64_t i = 0; i < spatial; ++i) lhs.push_back(2 + i), rhs.push_back(2 + spatial + i);
  const Tensor result = contract(weight, taken, lhs, rhs, where);
  return move_axis(result, 0, 1, where);
}

}  // namespace whole

SINTER_INLINE Tensor convolve_whole(const Tensor& x, const Tensor& weight,
                                    const Vector<WindowAxis>& axes, std::string_view op,
                                    Where where) {
  if (!whole::overlaps(x, weight, axes, where)) return whole::product(x, weight, axes, op, where);
  const std::string name(op);
  const auto forward = [=](const Tensor& image, const Tensor& kernel) {
    return whole::product(image, kernel, axes, name, where);
  };
  const auto backward = [=](const Tensor& image, const Tensor& kernel, const Tensor&,
                            const Tensor& g) {
    return std::pair{whole::gradient_of_input(g, kernel, image.shape(), axes, 0, name, where),
                     whole::gradient_of_weight(g, image, axes, name, where)};
  };
  return custom_gradient(forward, backward, where)(x, weight);
}

}  // namespace sinter::inline SINTER_ABI::detail
