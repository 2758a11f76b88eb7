#pragma once

#include <cstddef>  // std::size_t
#include <mutex>    // std::lock_guard

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/per_thread.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail {

// The contexts by device index. Closed ones stay allocated, since threads and storages refer to
// them.
struct CudaRegistry {
  static constexpr int most = 64;

  static CudaRegistry& instance() {
    static auto& registry = *new CudaRegistry;
    return registry;
  }

  CudaContext& add(Device device, Where where) {
    require_present(device, where);
    detail::cuda_driver_change() = close_all;
    const std::lock_guard lock(mutex);
    auto& place = open.at(static_cast<std::size_t>(device.index()));
    if (CudaContext* const context = place.load()) return *context;
    all.push_back(UniquePtr<CudaContext>(new CudaContext(*cuda_driver(), device, where)));
    place.store(all.back().get(), std::memory_order_release);
    return *all.back();
  }

  static void close_all() {
    CudaRegistry& registry = instance();
    const std::lock_guard lock(registry.mutex);
    for (auto& place : registry.open) {
      if (CudaContext* const context = place.exchange(nullptr)) context->close();
    }
  }

  ProcessMutex mutex{};
  std::array<std::atomic<CudaContext*>, most> open{};
  Vector<UniquePtr<CudaContext>> all{};
};

SINTER_INLINE ProcessMutex& cuda_mutex() {
  static auto& instance = *new ProcessMutex;
  return instance;
}

// The streams of a thread, one for each GPU that it uses.
struct ThreadStreams {
  ThreadStreams() = default;
  ThreadStreams(const ThreadStreams&) = delete;
  ThreadStreams& operator=(const ThreadStreams&) = delete;
  ~ThreadStreams() {
    const std::lock_guard lock(cuda_mutex());
    for (CudaStream* const stream : streams) stream->context.return_stream(*stream);
  }
  Vector<CudaStream*> streams{};
};

SINTER_INLINE CudaContext::CudaContext(const CudaDriver& driver, Device device, Where where)
    : driver_(driver), device_(device), forks_(forks()) {
  check(driver_.device(&number_, device.index()), "cuDeviceGet", where);
  check(driver_.retain_context(&handle_, number_), "cuDevicePrimaryCtxRetain", where);
}

SINTER_INLINE CudaContext& CudaContext::of(Device device, Where where) {
  CudaRegistry& registry = CudaRegistry::instance();
  const auto index = static_cast<std::size_t>(device.index());
  CudaContext* context = index < CudaRegistry::most ? registry.open[index].load() : nullptr;
  if (context == nullptr) context = &registry.add(device, where);
  if (context->forks_ != forks()) {
    detail::throw_no_device(device, "the process was forked after this GPU was opened",
                            "the CUDA driver does not work in the child of such a process", where);
  }
  context->enter(where);
  return *context;
}

SINTER_INLINE void CudaContext::enter(Where where) const {
  check(driver_.set_context(handle_), "cuCtxSetCurrent", where);
}

SINTER_INLINE CudaStream& CudaContext::stream(Where where) {
  auto& mine = per_thread<detail::ThreadStreams>().streams;
  for (CudaStream* const stream : mine) {
    if (&stream->context == this) return *stream;
  }
  const std::lock_guard lock(cuda_mutex());
  if (idle_streams_.empty()) {
    CudaDriver::Handle handle = nullptr;
    check(driver_.create_stream(&handle, CudaDriver::stream_non_blocking), "cuStreamCreate", where);
    streams_.push_back(make_unique_ptr<CudaStream>(*this, handle));
    idle_streams_.push_back(streams_.back().get());
  }
  mine.push_back(idle_streams_.back());
  idle_streams_.pop_back();
  return *mine.back();
}

SINTER_INLINE Vector<CudaStream*> CudaContext::streams() const {
  const std::lock_guard lock(cuda_mutex());
  Vector<CudaStream*> result;
  for (const auto& stream : streams_) result.push_back(stream.get());
  return result;
}

SINTER_INLINE CudaContextState& CudaContext::state(int index,
                                                   UniquePtr<CudaContextState> (*make)()) {
  std::atomic<CudaContextState*>& place = states_.at(static_cast<std::size_t>(index));
  CudaContextState* state = place.load(std::memory_order_acquire);
  if (state != nullptr) return *state;
  auto fresh = make();
  // If another thread was faster, use its state.
  if (place.compare_exchange_strong(state, fresh.get())) return *fresh.release();
  return *state;
}

SINTER_INLINE CudaDriver::Handle CudaContext::take_event(Where where) {
  if (idle_events_.empty()) {
    CudaDriver::Handle event = nullptr;
    check(driver_.create_event(&event, CudaDriver::event_without_time), "cuEventCreate", where);
    return event;
  }
  const CudaDriver::Handle event = idle_events_.back();
  idle_events_.pop_back();
  return event;
}

SINTER_INLINE void CudaContext::close() noexcept {
  const std::lock_guard lock(cuda_mutex());
  closed_ = true;
  driver_.set_context(handle_);
  for (const auto& stream : streams_) driver_.synchronize_stream(stream->handle);
  for (const auto& state : states_) {
    if (state != nullptr) state.load()->close(driver_);
  }
  for (const CudaDriver::Handle event : idle_events_) driver_.destroy_event(event);
  for (const auto& stream : streams_) driver_.destroy_stream(stream->handle);
  if (driver_.release_context != nullptr) driver_.release_context(number_);
}

}  // namespace sinter::inline SINTER_ABI::detail
