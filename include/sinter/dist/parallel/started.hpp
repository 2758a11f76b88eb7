#pragma once
// Collectives that a plan starts in one launch and waits for in another.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <span>         // std::span
#include <string_view>  // std::string_view

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/storage.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/collective/transport.hpp>
#include <sinter/graph/custom/custom_code.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>

namespace sinter::inline SINTER_ABI::detail::parallel {

/// A background collective, whose elements are in a result of the launch that starts it.
class StartedJob : public collective::Job {
 public:
  StartedJob(const collective::Collective& what, const RawTensor& result);
  /// Moves the bytes, and adds the time to a profile.
  void run(collective::Bytes& bytes) override;
  unsigned char* data() const { return data_; }

 protected:
  virtual void move(collective::Bytes& bytes, const collective::Transport& group) = 0;
  const collective::Collective& what() const { return what_; }

 private:
  collective::Collective what_;
  std::size_t bytes_;
  Storage own_{};  // under SINTER_CHECK, where results are copies
  unsigned char* data_;
};

/// Makes the job that a launch starts, and the call that the ranks compare.
class JobSource {
 public:
  virtual ~JobSource() = default;
  virtual collective::Call call_of(const collective::Collective& what,
                                   std::span<const RawTensor> in) const = 0;
  virtual SharedPtr<StartedJob> job_of(const collective::Collective& what,
                                       std::span<const RawTensor> in,
                                       const RawTensor& memory) const = 0;
};

inline std::size_t bytes_of(const RawTensor& x) {
  return static_cast<std::size_t>(x.numel()) * info(x.dtype()).size;
}
/// Where the next tensor begins after one of `bytes` in memory that launches share.
inline std::size_t next_begin(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// A node, without inputs and results, that runs `code`.
Node background_node(const collective::Collective& what, CustomCode code, std::size_t operands);
/// The node that starts a job of `source` for `inputs`. Its results are the number of the job and
/// its memory, of type `memory`.
Node start_node(const collective::Collective& what, std::string_view name,
                SharedPtr<const JobSource> source, Span<const Value> inputs, TensorType memory);
/// The node that waits for the job with the number `started`. Its results, of `types`, lie one
/// after another in the last of `inputs`.
Node wait_node(const collective::Collective& what, std::string_view name, Value started,
               Span<const Value> inputs, Span<const TensorType> types);

}  // namespace sinter::inline SINTER_ABI::detail::parallel

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/started.ipp>
#endif
