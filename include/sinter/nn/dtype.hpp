#pragma once
// Converts modules to another dtype.

#include <sinter/base/error.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

struct DTypeVisitor : sinter::detail::LeafVisitor {
  void tensor(Tensor& value, const sinter::detail::LeafName&) const {
    if (value.defined() && sinter::detail::is_floating(value.dtype()))
      value = value.to(dtype, where);
  }
  void buffer(Buffer& buffer, const sinter::detail::LeafName& name) const {
    tensor(buffer.value, name);
  }

  DType dtype;
  Where where;
};

inline void require_floating(DType dtype, Where where) {
  if (sinter::detail::is_floating(dtype)) return;
  throw DTypeError({.op = "nn::to",
                    .what = "parameters cannot become integers",
                    .facts = {{"dtype", to_string(dtype)}},
                    .rule = "dtype is f16, bf16, f32 or f64",
                    .fix = "pass a floating dtype; x.to(dtype) makes integers of one tensor",
                    .where = where,
                    .see = "dtypes"});
}

}  // namespace detail

/// Converts the floating parameters and buffers of `module` to `dtype`; typed ones (TensorOf) stay
/// unchanged.
///
/// Throws   DTypeError unless `dtype` is floating
template <class M>
void to(M& module, DType dtype, Where where = Where::current()) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::to(module, dtype) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // keeps the static_assert above the only error
    detail::require_floating(dtype, where);
    detail::DTypeVisitor visitor{{}, dtype, where};
    sinter::detail::walk(module, visitor, {});
  }
}

}  // namespace sinter::inline SINTER_ABI::nn
