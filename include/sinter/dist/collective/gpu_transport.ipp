#pragma once

#include <sinter/dist/collective/gpu_transport.hpp>
#include <sinter/dist/collective/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

SINTER_INLINE GpuTransport*& gpu_transport() {
  static GpuTransport* transport = nullptr;
  return transport;
}

SINTER_INLINE void GpuCollective::prepare(std::span<const RawTensor> in,
                                          std::span<const RawTensor> out, int gpu) const {
  gpu_transport()->prepare(call_of_all(collective_, in, out), collective_.group, gpu);
}

SINTER_INLINE void GpuCollective::enqueue(std::span<const RawTensor> in,
                                          std::span<const RawTensor> out, int gpu,
                                          void* stream) const {
  gpu_transport()->enqueue(collective_, call_of_all(collective_, in, out), in, out, gpu, stream);
}

}  // namespace sinter::inline SINTER_ABI::detail::collective
