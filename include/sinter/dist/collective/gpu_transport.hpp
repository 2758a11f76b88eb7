#pragma once
// GpuTransport: the interface that runs collectives on GPUs, and the kernel that calls it.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// Runs collectives between GPUs.
class GpuTransport {
 public:
  virtual ~GpuTransport() = default;

  /// Why this machine cannot run collectives on GPUs; empty if it can.
  virtual std::string why_not() const = 0;
  /// Waits until all ranks of the group have reached `call` and can enqueue it. Throws RankError if
  /// their calls differ or one has failed.
  virtual void prepare(const Call& call, int group, int gpu) = 0;
  /// Enqueues `collective` for all operands as one. The ranks divide axis 0.
  virtual void enqueue(const Collective& collective, const Call& call,
                       std::span<const RawTensor> in, std::span<const RawTensor> out, int gpu,
                       void* stream) = 0;
  /// Releases what prepare() made. After a failure, also aborts the collectives that GPUs run.
  virtual void end(bool has_failed) noexcept = 0;
};

/// Null in programs that are compiled without support for GPUs.
GpuTransport*& gpu_transport();

/// Runs a collective, or a bucket of them, on a GPU.
class GpuCollective : public StreamKernel {
 public:
  explicit GpuCollective(const Collective& collective) : collective_(collective) {}
  void prepare(std::span<const RawTensor> in, std::span<const RawTensor> out,
               int gpu) const override;
  void enqueue(std::span<const RawTensor> in, std::span<const RawTensor> out, int gpu,
               void* stream) const override;

 private:
  Collective collective_;
};

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/gpu_transport.ipp>
#endif
