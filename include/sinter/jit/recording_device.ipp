#pragma once

// Which device a recording is for.

#include <sinter/base/error.hpp>
#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

SINTER_INLINE Device device_of(const std::vector<Tensor>& arguments, const guard::Leaves& results) {
  for (const Tensor& argument : arguments) {
    if (argument.lazy()->device().is_cuda()) return argument.lazy()->device();
  }
  for (const guard::Leaf& leaf : results.list) {
    if (leaf.tensor->lazy()->device().is_cuda()) return leaf.tensor->lazy()->device();
  }
  return cpu();
}

// A number that a call updates is on the host before the first call and on the GPU after it: where
// another leaf says which GPU it is, one recording serves both.
SINTER_INLINE void note_devices(std::span<const Tensor> leaves, guard::Guard& guard) {
  Device gpu = cpu();
  for (const Tensor& leaf : leaves) {
    if (leaf.ndim() != 0 && leaf.lazy()->device().is_cuda()) gpu = leaf.lazy()->device();
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    guard::LeafGuard& one = guard.leaves[i];
    one.may_be_on_host = gpu.is_cuda() && leaves[i].ndim() == 0;
    one.device = one.may_be_on_host ? gpu : leaves[i].lazy()->device();
  }
}

// Programs read memory of their device and of the host. Of two tensors that do not go together, the
// one that is no argument is named: nobody looked at it before.
SINTER_INLINE void require_readable(const Storage& elements, const Lazy& input, Device device,
                                    const Recorder& recorder, Where where) {
  if (elements.device().is_cpu() || elements.device() == device) return;
  const Outside* found = recorder.outside_of(input);
  for (const Outside& one : recorder.outside()) {
    if (found == nullptr && one.tensor.device() == device) found = &one;
  }
  const bool is_other = found != nullptr && found->tensor.device() == device;
  const std::string name = found == nullptr ? "" : to_string(found->tensor) + " ";
  const Device here = is_other ? device : elements.device();
  const Device others = is_other ? elements.device() : device;
  throw DeviceError({.op = "compile",
                     .what = "the function uses a tensor of another device",
                     .facts = {{"tensor", text(name, "on ", to_string(here))},
                               {"others", text("on ", to_string(others))}},
                     .rule = "all tensors of a call are on one device, but for numbers",
                     .fix = "move it with x.to(device) before the call",
                     .where = found == nullptr ? where : found->where,
                     .see = "devices"});
}

}  // namespace detail

// Numbers of the host may be anywhere.
SINTER_INLINE void RecordingSession::require_one_device() const {
  const Tensor* on_gpu = nullptr;
  const Tensor* elsewhere = nullptr;
  for (const guard::Leaf& leaf : real_.list) {
    const Device device = leaf.tensor->lazy()->device();
    const bool is_gpu = device.is_cuda() && (on_gpu == nullptr || on_gpu->device() == device);
    if (is_gpu) on_gpu = leaf.tensor;
    if (!is_gpu && (device.is_cuda() || leaf.tensor->ndim() != 0)) elsewhere = leaf.tensor;
  }
  if (on_gpu == nullptr || elsewhere == nullptr) return;
  const auto name = [&](const Tensor* tensor) {
    std::size_t i = 0;
    while (real_.list[i].tensor != tensor) ++i;
    return text(names()[i], ", ", to_string(*tensor), " on ", to_string(tensor->device()));
  };
  throw DeviceError({.op = "compile",
                     .what = "arguments are on different devices",
                     .facts = {{"one", name(on_gpu)}, {"other", name(elsewhere)}},
                     .rule = "all tensors of a call are on one device, but for numbers",
                     .fix = "move them with x.to(device), and modules with nn::to(module, device)",
                     .where = where_,
                     .see = "devices"});
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
