#pragma once
// The device of a module.

#include <cstddef>  // std::size_t
#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

// A number of the host goes with all devices. One that a call on a GPU updated, as the steps of an
// optimizer, is there, and goes with no other.
inline bool is_bound(const Scalar& scalar) { return scalar.tensor().device().is_cuda(); }

// Copies on the device of all that a module has, in its order.
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
  std::vector<Tensor> copies{};
};

// Puts the copies in the place of what they are copies of.
struct CopiesAssigned : sinter::detail::LeafVisitor {
  explicit CopiesAssigned(std::vector<Tensor> all) : copies(std::move(all)) {}

  void tensor(Tensor& value, const sinter::detail::LeafName&) { assign(value); }
  void typed(auto& value, const sinter::detail::LeafName&) { assign(value); }
  void buffer(Buffer& buffer, const sinter::detail::LeafName&) { assign(buffer.value); }
  void scalar(Scalar& value, const sinter::detail::LeafName&) {
    if (is_bound(value)) assign(value.tensor());
  }
  void assign(auto& value) {
    if (value.defined()) value = std::move(copies[next++]);
  }

  std::vector<Tensor> copies;
  std::size_t next = 0;
};

}  // namespace detail

/// Moves the parameters and buffers of `module` to `device`, and numbers that a GPU updated: all of
/// them, or none if one cannot be. An optimizer that has state is moved in the same way.
template <class M>
void to(M& module, Device device, Where where = Where::current()) {
  static_assert(sinter::detail::HasModule<M>,
                "sinter::nn::to(module, device) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (sinter::detail::HasModule<M>) {  // so that the sentence above is the only error
    detail::CopiesOnDevice copied(device, where);
    sinter::detail::walk(module, copied, {});
    detail::CopiesAssigned assigned(std::move(copied.copies));
    sinter::detail::walk(module, assigned, {});
  }
}

}  // namespace sinter::inline SINTER_ABI::nn
