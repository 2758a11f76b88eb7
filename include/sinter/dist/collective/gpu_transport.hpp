#pragma once
// The interface of what runs collectives on GPUs, and their nodes there.

#include <span>    // std::span
#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/graph/custom/stream_kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// What moves bytes between GPUs.
class GpuTransport {
 public:
  virtual ~GpuTransport() = default;

  /// Why there is none on this machine; empty if there is.
  virtual std::string why_not() const = 0;
  /// Returns when all ranks of the group have come to `call`, and can enqueue it. Throws RankError
  /// if they disagree, or if one has failed.
  virtual void prepare(const Call& call, int group, int gpu) = 0;
  /// Enqueues `collective` of each operand, as one. Its axis is the first.
  virtual void enqueue(const Collective& collective, const Call& call,
                       std::span<const RawTensor> in, std::span<const RawTensor> out, int gpu,
                       void* stream) = 0;
  /// Ends what prepare() began, and what GPUs run if something `has_failed`.
  virtual void end(bool has_failed) noexcept = 0;
};

/// Null in programs without code for GPUs.
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
