#pragma once

#include <algorithm>  // std::copy_if
#include <iterator>   // std::back_inserter

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/movement/movement.hpp>
#include <sinter/trace/transform/jacobian.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE std::vector<Tensor> floating_among(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  std::copy_if(tensors.begin(), tensors.end(), std::back_inserter(result),
               [](const Tensor& tensor) { return is_floating(tensor.dtype()); });
  return result;
}

SINTER_INLINE std::vector<Tensor> fitted(const std::vector<Tensor>& given,
                                         const std::vector<Tensor>& expected, std::string_view op,
                                         std::string_view what, Where where) {
  const auto report = [&](std::string_view mistake, std::string found, std::string wanted) {
    return Report{.op = std::string(op),
                  .what = text(what, " ", mistake),
                  .facts = {{"given", std::move(found)}, {"expected", std::move(wanted)}},
                  .rule = text(what, " has the structure, dtypes and shapes of what it belongs to"),
                  .fix = "make it with ones_like(value), or convert it: x.to(f32)",
                  .where = where,
                  .see = "gradients"};
  };
  if (given.size() != expected.size()) {
    throw ShapeError(report("has another structure", quantity(given.size(), "tensor"),
                            quantity(expected.size(), "tensor")));
  }
  std::vector<Tensor> result;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const Tensor &a = given[i], &b = expected[i];
    if (a.dtype() != b.dtype()) {
      throw DTypeError(report("has another dtype", to_string(a), to_string(b)));
    }
    bool is_same = a.ndim() == b.ndim();
    for (int axis = 0; is_same && axis < a.ndim(); ++axis) {
      is_same = equal_sizes(a.size(axis), b.size(axis), where);
    }
    if (!is_same) throw ShapeError(report("has another shape", to_string(a), to_string(b)));
    result.push_back(expand({a, where}, b.shape()));
  }
  return result;
}

SINTER_INLINE Shape joined(const Shape& a, const Shape& b, Where where) {
  Shape result = a;
  for (const Extent& extent : b) result.push_back(extent, where);
  return result;
}

// The standard basis: one sample for each element of `x`, 1 there and 0 elsewhere.
SINTER_INLINE Tensor basis_of(const Tensor& x, Where where) {
  const Extent count = numel(x.shape());
  return reshape({eye(count, x.dtype(), where), where}, joined({count}, x.shape(), where));
}

SINTER_INLINE Tensor jacobian(const Derivative& derivative, const Tensor& output,
                              const Tensor& variable, bool forward, Where where) {
  const Shape shape = joined(output.shape(), variable.shape(), where);
  const auto along = [&](const Tensor& direction) {
    return forward ? derivative.push_forward({direction}, where)[0]
                   : derivative.pull_back({direction}, where)[0];
  };
  const Tensor basis = basis_of(forward ? variable : output, where);
  const int samples = forward ? output.ndim() : 0;
  return reshape({vmap(along, 0, samples, where)(basis), where}, shape);
}

}  // namespace sinter::inline SINTER_ABI::detail
