#pragma once

#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/runtime/cuda/library/stream_call.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE StreamCall::StreamCall(const schedule::Control& control, Span<void* const> pointers,
                                     Span<const std::int64_t> symbols)
    : control_(control) {
  for (const TensorType& type : control.types) {
    shapes_.emplace_back();
    for (const Extent& extent : type.shape) shapes_.back().push_back(evaluate(extent, symbols));
  }
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    tensors_.emplace_back(pointers[i], control.types[i].dtype,
                          std::span(shapes_[i].data(), shapes_[i].size()));
  }
}

SINTER_INLINE std::span<const RawTensor> StreamCall::in() const {
  return {tensors_.data(), static_cast<std::size_t>(control_.inputs)};
}

SINTER_INLINE std::span<const RawTensor> StreamCall::out() const {
  return {tensors_.data() + control_.inputs, static_cast<std::size_t>(control_.results)};
}

SINTER_INLINE void StreamCall::prepare(Device device) const {
  control_.code->on_stream->prepare(in(), out(), device.index());
}

SINTER_INLINE void StreamCall::enqueue(Device device, void* stream) const {
  control_.code->on_stream->enqueue(in(), out(), device.index(), stream);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
