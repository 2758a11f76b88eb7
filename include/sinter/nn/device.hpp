#pragma once
// Moves modules between devices.

#include <cstddef>  // std::size_t
#include <utility>  // std::move

#include <sinter/base/container/vector.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

// Host scalars work with every device. A scalar that a GPU call updated, such as the step count of
// an optimizer, is on that GPU and must be moved.
inline bool is_bound(const Scalar& scalar) { return scalar.tensor().device().is_cuda(); }

// Copies all tensors of a module to the device, in member order.
struct CopiesOnDevice : sinter::detail::LeafVisitor {
  CopiesOnDevice(Device to, Where at) : device(to), where(at) {}

  void tensor(const Tensor& value, const sinter::detail::LeafName&) {
    if (value.defined()) copies.push_back(value.to(device, where));
  }
  void typed(const auto& value, const sinter::detail::LeafName& name) {
    if (value.defined()) tensor(value.tensor(), name);
  }
  void buffer(const Buffer& buffer, const sinter::detail::LeafName& name) {
    tensor(buffer.value, name);
  }
  void scalar(const Scalar& value, const sinter::detail::LeafName& name) {
    if (is_bound(value)) tensor(value.tensor(), name);
  }

  Device device;
  Where where;
  sinter::detail::Vector<Tensor> copies{};
};

// Replaces the tensors by their copies.
struct CopiesAssigned : sinter::detail::LeafVisitor {
  explicit CopiesAssigned(sinter::detail::Vector<Tensor> all) : copies(std::move(all)) {}

  void tensor(Tensor& value, const sinter::detail::LeafName&) { assign(value); }
  void typed(auto& value, const sinter::detail::LeafName&) { assign(value); }
  void buffer(Buffer& buffer, const sinter::detail::LeafName&) { assign(buffer.value); }
  void scalar(Scalar& value, const sinter::detail::LeafName&) {
    if (is_bound(value)) assign(value.tensor());
  }
  void assign(auto& value) {
    if (value.defined()) value = std::move(copies[next++]);
  }

  sinter::detail::Vector<Tensor> copies;
  std::size_t next = 0;
};

}  // namespace detail

/// Moves the parameters and buffers of `module` to `device`, and scalars that a GPU updated: all of
/// them, or none if one fails. Works for optimizers with state, too.
template <class M>
void to(M& module, Device device, Where where = Where::current()) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::to(module, device) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // keeps the static_assert above the only error
    detail::CopiesOnDevice copied(device, where);
    sinter::detail::walk(module, copied, {});
    detail::CopiesAssigned assigned(std::move(copied.copies));
    sinter::detail::walk(module, assigned, {});
  }
}

}  // namespace sinter::inline SINTER_ABI::nn
