#pragma once

#include <utility>  // std::move

#include <sinter/device/host/scoped_device.hpp>
#include <sinter/jit/interface/tensor_spec.hpp>
#include <sinter/trace/ops/creation/create.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace jit {

SINTER_INLINE Tensor tensor_of(const TensorSpec& spec) {
  require_sizes(spec.shape, "prepare", spec.where);
  Tensor result(make_lazy({.op = Op::input, .results = {{spec.dtype, spec.shape}}}, {}, 0));
  result.lazy()->set_device(current_device());
  for (const Mark& mark : spec.marks) mark_dynamic(result, mark.dim, mark.range, mark.where);
  return result;
}

}  // namespace jit

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
