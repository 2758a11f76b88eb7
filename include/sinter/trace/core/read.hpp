#pragma once
// Reads of elements on the host; each evaluates the tensor.

#include <sinter/base/public_call.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// See evaluate.hpp.
const Storage& elements_of(const Tensor& x, Where where);
const void* host_elements_of(const Tensor& x, Where where);

void require_one_element(const Tensor& x, std::string_view op, Where where);
[[noreturn]] void throw_other_element(const Tensor& x, DType asked, Where where);

}  // namespace detail

template <detail::Number T>
T Tensor::item(Where where) const {
  const detail::PublicCall call("item", where);
  detail::require_one_element(*this, "item", where);
  const void* const element = detail::host_elements_of(*this, where);
  return detail::visit_dtype(dtype(), [element]<class From>(From) {
    return detail::convert_element<T>(*static_cast<const From*>(element));
  });
}

template <ElementType T>
const T* Tensor::data(Where where) const {
  const detail::PublicCall call("data", where);
  if (dtype(where) != dtype_of<T>) detail::throw_other_element(*this, dtype_of<T>, where);
  return static_cast<const T*>(detail::host_elements_of(*this, where));
}

template <ElementType T>
std::vector<T> Tensor::to_vector(Where where) const {
  const detail::PublicCall call("to_vector", where);
  const T* const first = data<T>(where);
  return std::vector<T>(first, first + detail::elements_of(*this, where).bytes() / sizeof(T));
}

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/tensor.hpp>
