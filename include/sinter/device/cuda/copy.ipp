#pragma once

#include <algorithm>  // std::min
#include <cstddef>    // std::byte
#include <cstring>    // std::memcpy
#include <vector>     // std::vector

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/staging.hpp>
#include <sinter/device/cuda/submission.hpp>

namespace sinter::inline SINTER_ABI::detail {

// Up to this size the driver's own staging of pageable memory is as fast; it is complete when the
// call returns.
inline constexpr std::size_t max_unstaged_bytes = std::size_t{64} << 10;

SINTER_INLINE void copy_to_device(const Storage& to, const Storage& from, Where where) {
  CudaSubmission work(to.device(), where);
  work.writes(to);
  const CudaDriver& driver = work.driver();
  const auto copy = [&](std::size_t at, const void* source, std::size_t bytes) {
    work.check(
        driver.copy_to_device_async(device_address(to) + at, source, bytes, work.stream().handle),
        "cuMemcpyHtoDAsync");
  };
  if (from.bytes() <= max_unstaged_bytes) {
    // Copy to pageable memory first: page-locked memory would be read only when the stream reaches
    // the copy.
    const auto* const first = static_cast<const std::byte*>(from.data());
    const std::vector<std::byte> pageable(first, first + from.bytes());
    return copy(0, pageable.data(), from.bytes());
  }
  for (std::size_t at = 0; at < from.bytes(); at += staging_bytes) {
    const std::size_t bytes = std::min(staging_bytes, from.bytes() - at);
    CudaStagingLease buffer(work.context(), where);
    std::memcpy(buffer.data(), static_cast<const std::byte*>(from.data()) + at, bytes);
    copy(at, buffer.data(), bytes);
    buffer.used_by(work.stream());
  }
}

// A copy to the host through two staging buffers: the GPU fills one while the host reads the other.
class CopyToHost {
 public:
  CopyToHost(const Storage& to, const Storage& from, Where where)
      : to_(to),
        from_(from),
        work_(from.device(), where),
        buffers_{{work_.context(), where}, {work_.context(), where}} {
    work_.reads(from);
  }

  void run() {
    ask(0);
    for (std::size_t at = 0, index = 0; at < from_.bytes();
         at += staging_bytes, index = 1 - index) {
      ask(at + staging_bytes);
      buffers_[index].wait();
      std::memcpy(static_cast<std::byte*>(to_.data()) + at, buffers_[index].data(), bytes_at(at));
    }
  }

 private:
  std::size_t bytes_at(std::size_t at) const { return std::min(staging_bytes, from_.bytes() - at); }
  void ask(std::size_t at) {
    if (at >= from_.bytes()) return;
    CudaStagingLease& buffer = buffers_[at / staging_bytes % 2];
    work_.check(work_.driver().copy_to_host_async(buffer.data(), device_address(from_) + at,
                                                  bytes_at(at), work_.stream().handle),
                "cuMemcpyDtoHAsync");
    buffer.used_by(work_.stream());
  }

  const Storage &to_, &from_;
  CudaSubmission work_;
  CudaStagingLease buffers_[2];
};

SINTER_INLINE void copy_to_host(const Storage& to, const Storage& from, Where where) {
  if (from.bytes() > max_unstaged_bytes) return CopyToHost(to, from, where).run();
  CudaSubmission work(from.device(), where);
  work.reads(from);
  await_others(work.context(), work.stream().handle, where);
  work.check(work.driver().copy_to_host_async(to.data(), device_address(from), from.bytes(),
                                              work.stream().handle),
             "cuMemcpyDtoHAsync");
  work.wait();
}

SINTER_INLINE void copy_between_devices(const Storage& to, const Storage& from, Where where) {
  CudaContext& source = CudaContext::of(from.device(), where);
  CudaSubmission work(to.device(), where);
  work.reads(from);
  work.writes(to);
  const CudaDriver::Handle stream = work.stream().handle;
  if (to.device() == from.device()) {
    work.check(work.driver().copy_on_device_async(device_address(to), device_address(from),
                                                  from.bytes(), stream),
               "cuMemcpyDtoDAsync");
  } else {  // the driver goes through the host if there is no peer access
    work.check(work.driver().copy_to_peer_async(device_address(to), work.context().handle(),
                                                device_address(from), source.handle(), from.bytes(),
                                                stream),
               "cuMemcpyPeerAsync");
  }
}

// The only kind of Attachment of GPU memory.
struct HostCopy final : Attachment {
  explicit HostCopy(Storage copy) : memory(std::move(copy)) {}
  const Storage memory;
};

SINTER_INLINE void cuda_copy_bytes(const Storage& to, const Storage& from, Where where) {
  if (to.device().is_cuda() && from.device().is_cuda()) {
    copy_between_devices(to, from, where);
  } else if (to.device().is_cuda()) {
    copy_to_device(to, from, where);
  } else {
    copy_to_host(to, from, where);
  }
}

SINTER_INLINE const void* cuda_host_bytes(const Storage& memory, Where where) {
  Atomic<Attachment*>& attached = CudaMemory::block_of(memory).attached;
  Attachment* known = attached.load(MemoryOrder::acquire);
  if (known == nullptr) {
    auto fresh = make_unique_ptr<HostCopy>(copied_to(memory, cpu(), where));
    // If another thread was faster, use its copy.
    if (attached.compare_exchange(known, fresh.get())) known = fresh.release();
  }
  return static_cast<const HostCopy*>(known)->memory.data();
}

}  // namespace sinter::inline SINTER_ABI::detail
