#pragma once

#include <sinter/device/cuda/backend/backend.hpp>
#include <sinter/device/cuda/copy.hpp>
#include <sinter/device/cuda/external_memory.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/device/cuda/query.hpp>
#include <sinter/device/cuda/stream_order.hpp>

namespace sinter::inline SINTER_ABI::detail {

class CudaBackend final : public GpuBackend {
 public:
  int count() const override { return cuda_count(); }
  std::string why_not_runnable(Device device) const override { return why_cuda_cannot_run(device); }
  std::string way_to_run(Device device) const override { return way_to_run_cuda(device); }
  void synchronize(Device device, Where where) const override { synchronize_cuda(device, where); }
  std::string architecture(Device device, Where where) const override {
    return cuda_architecture(device, where);
  }
  std::size_t most_argument_bytes() const override { return detail::most_argument_bytes(); }
  GpuFacts facts() const override { return cuda_facts(); }

  Storage allocate(std::size_t bytes, Device device, Where where,
                   std::string_view purpose) const override {
    return CudaMemory::allocate(bytes, device, where, purpose);
  }
  Storage borrow(Device device, const void* memory, std::size_t bytes, void (*release)(void*),
                 void* owner, Where where) const override {
    return borrow_on(device, memory, bytes, release, owner, where);
  }
  Storage memory_at(Device device, const void* address) const override {
    return CudaMemory::at(device, address);
  }
  void recycle(StorageBlock* block) const noexcept override { CudaMemory::recycle(block); }
  void copy(const Storage& to, const Storage& from, Where where) const override {
    cuda_copy_bytes(to, from, where);
  }
  const void* host_bytes(const Storage& memory, Where where) const override {
    return cuda_host_bytes(memory, where);
  }
  void await_work_with(const Storage& memory, Where where) const override {
    detail::await_work_with(memory, where);
  }

  MemoryStats stats(Device device, Where where) const override {
    return CudaMemory::stats(device, where);
  }
  void reset_stats(Device device, Where where) const override {
    CudaMemory::reset_stats(device, where);
  }
  std::int64_t release_idle(Device device, Where where) const override {
    return CudaMemory::release_idle(device, where);
  }
};

SINTER_INLINE const GpuBackend& cuda_backend() {
  static const auto& backend = *new CudaBackend;
  return backend;
}

}  // namespace sinter::inline SINTER_ABI::detail
