#pragma once
// The context of an open GPU, and the streams of the threads that use it.

#include <array>    // std::array
#include <atomic>   // std::atomic
#include <cstdint>  // std::uint64_t

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/query.hpp>

namespace sinter::inline SINTER_ABI::detail {

class CudaContext;

/// A stream: its work runs in the order of submission. It belongs to one thread at a time, which
/// numbers its submissions from 1 on.
struct CudaStream {
  // All work of `stream` up to this number.
  struct Awaited {
    const CudaStream* stream = nullptr;
    std::uint64_t work = 0;
  };

  CudaStream(CudaContext& owner, CudaDriver::Handle stream) : context(owner), handle(stream) {}

  CudaContext& context;
  const CudaDriver::Handle handle;
  std::uint64_t begun = 0;                  // the last number assigned; used by its thread
  int depth = 0;                            // nested CudaSubmissions; used by its thread
  std::atomic<std::uint64_t> submitted{0};  // the driver has all work up to this number
  std::uint64_t done = 0;                   // all work up to this number is known to have ended
  Vector<Awaited> awaited{};                // work of other streams that later work runs after
};

/// Guards the state of streams and of GPU memory.
ProcessMutex& cuda_mutex();

/// State that other files of this folder, or later stages, attach to each GPU. Created at first
/// use, closed with the context.
struct CudaContextState {
  virtual ~CudaContextState() = default;
  /// Releases all driver objects. No work is in flight. The caller holds cuda_mutex().
  virtual void close(const CudaDriver& driver) noexcept = 0;
};

/// An open GPU: one context per device, from its first use to the end of the process.
class CudaContext {
 public:
  /// The context of `device`, made current on this thread. DeviceError, with the reason, if the
  /// device does not exist or cannot be opened, or was opened before this process was forked.
  static CudaContext& of(Device device, Where where = Where::current());

  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  /// Makes this context current on this thread.
  void enter(Where where) const;
  /// The stream of this thread. New threads reuse the streams of ended ones.
  CudaStream& stream(Where where);
  /// The streams of all threads.
  Vector<CudaStream*> streams() const;
  /// The `State` of this GPU, a singleton per context.
  template <class State>
  State& state() {
    static const int index = next_state_.fetch_add(1);
    return static_cast<State&>(state(index, [] { return UniquePtr<CudaContextState>(new State); }));
  }

  const CudaDriver& driver() const { return driver_; }
  Device device() const { return device_; }
  CudaDriver::Handle handle() const { return handle_; }
  /// Throws DeviceError unless `result`, returned by the driver function `call`, is 0.
  void check(int result, const char* call, Where where) const {
    cuda_check(result, call, device_, where);
  }

  // The rest is for device/ itself. The caller holds cuda_mutex().

  /// An unused event without timing.
  CudaDriver::Handle take_event(Where where);
  void return_event(CudaDriver::Handle event) { idle_events_.push_back(event); }
  void return_stream(CudaStream& stream) { idle_streams_.push_back(&stream); }
  bool closed() const { return closed_; }
  /// Releases all driver objects, before the driver is replaced.
  void close() noexcept;

 private:
  friend struct CudaRegistry;
  CudaContext(const CudaDriver& driver, Device device, Where where);
  CudaContextState& state(int index, UniquePtr<CudaContextState> (*make)());

  const CudaDriver& driver_;
  const Device device_;
  const int forks_;
  int number_ = 0;  // the driver's device number
  CudaDriver::Handle handle_ = nullptr;
  bool closed_ = false;
  Vector<UniquePtr<CudaStream>> streams_{};
  Vector<CudaStream*> idle_streams_{};
  Vector<CudaDriver::Handle> idle_events_{};
  std::array<std::atomic<CudaContextState*>, 8> states_{};

  inline static std::atomic<int> next_state_{0};
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/context.ipp>
#endif
