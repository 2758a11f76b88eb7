#pragma once
// The device of a module.

#include <sinter/trace/module.hpp>
#include <sinter/trace/walk.hpp>

namespace sinter::inline SINTER_ABI::nn {

namespace detail {

struct DeviceVisitor : LeafVisitor {
  DeviceVisitor(Device to, Where at) : device(to), where(at) {}

  void tensor(Tensor& value, const LeafName&) const {
    if (value.defined()) value = value.to(device, where);
  }
  template <class T>
  void typed(T& value, const LeafName&) const {
    if (value.defined()) value = value.tensor().to(device, where);
  }
  void buffer(Buffer& buffer, const LeafName& name) const { tensor(buffer.value, name); }

  Device device;
  Where where;
};

}  // namespace detail

/// Moves the parameters and buffers of `module` to `device`.
template <class M>
void to(M& module, Device device, Where where = Where::current()) {
  static_assert(Module<M>,
                "sinter::nn::to(module, device) requires a module: list the members of the struct "
                "with SINTER_MODULE");
  if constexpr (Module<M>) {  // so that the sentence above is the only error
    detail::DeviceVisitor visitor(device, where);
    walk(module, visitor, {});
  }
}

}  // namespace sinter::inline SINTER_ABI::nn
