#pragma once

#include <cstddef>  // std::size_t
#include <cstring>  // std::memcpy

#include <sinter/trace/interop/on_gradient.hpp>

namespace sinter::inline SINTER_ABI::detail {

SINTER_INLINE Tensor with_gradient(const Tensor& x, const TensorFunction& backward, Where where) {
  const auto identity = [](const Tensor& value) { return value; };
  const auto rule = [&](const Tensor& operand, const Tensor& result, const Tensor& gradient) {
    const Tensor given[]{operand, result, gradient};
    return backward(given, where).at(0);
  };
  return custom_gradient(identity, rule, where)(x);
}

SINTER_INLINE Tensor passed_on(std::span<const RawTensor> in, std::span<const RawTensor> out) {
  const RawTensor& gradient = in[0];
  const std::size_t bytes =
      static_cast<std::size_t>(gradient.numel()) * info(gradient.dtype()).size;
  if (bytes != 0) std::memcpy(out[0].data(), gradient.data(), bytes);
  return copy_of(gradient);
}

SINTER_INLINE Tensor seen_gradient(const Tensor& gradient, const HostCall& seen, Where where) {
  const auto identity = [](const Tensor&, const Tensor&, const Tensor& g) { return g; };
  CustomOp rules;
  rules.call = seen;
  rules.backward = identity;
  return custom_op<"sinter::on_gradient">(std::move(rules), where)(gradient);
}

}  // namespace sinter::inline SINTER_ABI::detail
