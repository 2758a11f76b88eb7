#pragma once

#include <string>   // std::string
#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/functional/convolution/gradient.hpp>
#include <sinter/trace/functional/convolution/grouped.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/custom_gradient.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Tensor move_axis(const Tensor& x, int from, int to, Where where) {
  std::vector<int> order;
  for (int axis = 0; axis < x.ndim(); ++axis) {
    if (axis != from) order.push_back(axis);
  }
  order.insert(order.begin() + to, from);
  return permute({x, where}, order);
}

SINTER_INLINE Tensor transposed_weight(const Tensor& weight, std::int64_t groups, Where where) {
  Shape split{groups, floor_div(weight.shape()[0], groups)};
  std::vector<int> order{0, 2, 1}, kernel;
  for (int axis = 1; axis < weight.ndim(); ++axis) split.push_back(weight.shape()[axis]);
  for (int axis = 2; axis < weight.ndim(); ++axis) {
    order.push_back(axis + 1), kernel.push_back(axis);
  }
  const Tensor swapped = permute({reshape({weight, where}, split), where}, order);
  Shape shape{split[2] * groups, split[1]};
  for (const int axis : kernel) shape.push_back(weight.shape()[axis]);
  return flip({reshape({swapped, where}, shape), where}, kernel);
}

// The groups are a batch axis of the product. If that exceeds the maximum rank, groups and batch
// are merged and the weight is repeated.
SINTER_INLINE Tensor convolve_groups(const Tensor& x, const Tensor& weight, std::int64_t groups,
                                     const Vector<WindowAxis>& axes, std::string_view op,
                                     Where where) {
  const auto spatial = static_cast<int>(axes.size());
  const Extent batch = x.shape()[0], in = weight.shape()[1];
  const Extent out = floor_div(weight.shape()[0], groups);
  const bool merges = 3 + 2 * spatial > window_rank;
  Shape from{merges ? batch * groups : batch}, kernel{groups, out};
  if (!merges) from.push_back(groups);
  from.push_back(in);
  for (int i = 2; i < x.ndim(); ++i) from.push_back(x.shape()[i]);
  for (int i = 1; i < weight.ndim(); ++i) kernel.push_back(weight.shape()[i]);
  Tensor filter = reshape({weight, where}, kernel);
  if (merges) {
    Shape repeated{batch}, merged{batch * groups};
    for (const Extent& extent : kernel) repeated.push_back(extent);
    for (int i = 1; i < kernel.size(); ++i) merged.push_back(kernel[i]);
    filter = reshape({expand({filter, where}, repeated), where}, merged);
  }
  const Tensor taken = windows(reshape({x, where}, from), axes, constant(0, x.dtype()), op, where);
  const std::int64_t channels = merges ? 1 : 2;
  std::vector<std::int64_t> lhs{channels}, rhs{2};
  for (int i = 0; i < spatial; ++i) lhs.push_back(channels + 1 + spatial + i), rhs.push_back(3 + i);
  const Tensor product =
      record({.op = Op::dot_general,
              .attributes = {{"lhs_batch", std::vector<std::int64_t>{channels - 1}},
                             {"rhs_batch", std::vector<std::int64_t>{0}},
                             {"lhs_contract", lhs},
                             {"rhs_contract", rhs}}},
             {taken, filter}, where);
  // (groups, batch, counts..., out), or (batch * groups, counts..., out)
  const Tensor front = merges ? product : move_axis(product, 0, 1, where);
  const Tensor ordered = move_axis(front, product.ndim() - 1, merges ? 1 : 2, where);
  Shape result{batch, weight.shape()[0]};
  for (int i = -spatial; i < 0; ++i) result.push_back(ordered.shape()[i]);
  return reshape({ordered, where}, result);
}

// The generic rules would add up the gradients of overlapping windows, which is slower with few
// channels.
SINTER_INLINE Tensor convolve_grouped(const Tensor& x, const Tensor& weight, std::int64_t groups,
                                      const Vector<WindowAxis>& axes, std::string_view op,
                                      Where where) {
  bool is_simple = is_floating(x.dtype()) && 3 + 2 * axes.size() <= std::size_t{window_rank};
  for (const WindowAxis& axis : axes) {
    is_simple = is_simple && axis.low < axis.reach() && axis.high < axis.reach();
  }
  if (!is_simple) return convolve_groups(x, weight, groups, axes, op, where);
  const std::string name(op);
  const auto forward = [=](const Tensor& image, const Tensor& kernel) {
    return convolve_groups(image, kernel, groups, axes, name, where);
  };
  const auto backward = [=](const Tensor& image, const Tensor& kernel, const Tensor&,
                            const Tensor& g) {
    return std::pair{gradient_of_input(g, kernel, image.shape(), groups, axes, name, where),
                     gradient_of_weight(g, image, kernel.shape(), groups, axes, name, where)};
  };
  return custom_gradient(forward, backward, where)(x, weight);
}

}  // namespace sinter::inline SINTER_ABI::detail
