#pragma once
// The host function of a collective: moves elements between ranks by a transport.

#include <cstdint>  // std::int64_t
#include <span>     // std::span

#include <sinter/config.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/graph/custom/host_work.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// Reduces `count` elements at `in` over all ranks into `out`, in an order that depends only on the
/// number of ranks. `out` may be `in`.
void all_reduce(Bytes& bytes, int rank, int size, dist::Reduce reduce, DType dtype, const void* in,
                void* out, std::int64_t count);

/// What the ranks compare before they run `collective` on `in`.
Call call_of(const Collective& collective, std::span<const RawTensor> in,
             std::span<const RawTensor> out);

/// The same for a bucket, one collective of several gradients: collective.gradient is the index of
/// the first.
Call call_of_all(const Collective& collective, std::span<const RawTensor> in,
                 std::span<const RawTensor> out);

/// Runs one collective each time that its node runs.
class CollectiveKernel : public HostKernel {
 public:
  explicit CollectiveKernel(const Collective& collective) : collective_(collective) {}
  HostWork work() const override { return HostWork::collective; }
  void operator()(std::span<const RawTensor> in, std::span<const RawTensor> out) const override;

 private:
  Collective collective_;
};

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/kernel.ipp>
#endif
