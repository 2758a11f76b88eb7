#pragma once
// A GPU that is in use: its context, and the streams of the threads that use it.

#include <array>    // std::array
#include <atomic>   // std::atomic
#include <cstdint>  // std::uint64_t
#include <memory>   // std::unique_ptr
#include <vector>   // std::vector

#include <sinter/base/process_mutex.hpp>
#include <sinter/base/where.hpp>
#include <sinter/device/cuda/query.hpp>

namespace sinter::inline SINTER_ABI::detail {

class CudaContext;

/// Work for a GPU that runs in the order in which it was given. A stream belongs to one thread at a
/// time, which numbers its pieces of work from 1 on.
struct CudaStream {
  // Of all the work of `stream` up to this number.
  struct Awaited {
    const CudaStream* stream = nullptr;
    std::uint64_t work = 0;
  };

  CudaStream(CudaContext& owner, CudaDriver::Handle stream) : context(owner), handle(stream) {}

  CudaContext& context;
  const CudaDriver::Handle handle;
  std::uint64_t begun = 0;                  // for its thread: the last number given out,
  int depth = 0;                            // and how many of these are being submitted
  std::atomic<std::uint64_t> submitted{0};  // up to here the driver has the work
  std::uint64_t done = 0;                   // up to here it has ended, so far as is known
  std::vector<Awaited> awaited{};           // what all work from now on waits for
};

/// Guards what is known of streams and of the memory of GPUs.
ProcessMutex& cuda_mutex();

/// What a file of this folder, or above, keeps of each GPU: made at first use, closed with it.
struct CudaContextState {
  virtual ~CudaContextState() = default;
  /// Gives all back to the driver, which has no work in flight; under cuda_mutex().
  virtual void close(const CudaDriver& driver) noexcept = 0;
};

/// A GPU that is open. There is one of each, from its first use to the end of the process.
class CudaContext {
 public:
  /// The GPU `device`, current on this thread. DeviceError, with the reason, if it is not there or
  /// does not open, or was opened before this process was forked.
  static CudaContext& of(Device device, Where where = Where::current());

  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;

  /// Makes this GPU current on this thread.
  void enter(Where where) const;
  /// The stream of this thread. Threads that ended leave theirs to new ones.
  CudaStream& stream(Where where);
  /// The streams of all threads.
  std::vector<CudaStream*> streams() const;
  /// The only `State` of this GPU.
  template <class State>
  State& state() {
    static const int index = next_state_.fetch_add(1);
    return static_cast<State&>(state(index, [] { return std::unique_ptr<CudaContextState>(new State); }));
  }

  const CudaDriver& driver() const { return driver_; }
  Device device() const { return device_; }
  CudaDriver::Handle handle() const { return handle_; }
  /// DeviceError unless `result`, what the driver's function `call` gave, is 0.
  void check(int result, const char* call, Where where) const {
    cuda_check(result, call, device_, where);
  }

  // The rest is for device/ itself, under cuda_mutex().

  /// An event that nobody uses, without time.
  CudaDriver::Handle take_event(Where where);
  void return_event(CudaDriver::Handle event) { idle_events_.push_back(event); }
  void return_stream(CudaStream& stream) { idle_streams_.push_back(&stream); }
  bool closed() const { return closed_; }
  /// Gives all back to the driver, which is about to be replaced.
  void close() noexcept;

 private:
  friend struct CudaRegistry;
  CudaContext(const CudaDriver& driver, Device device, Where where);
  CudaContextState& state(int index, std::unique_ptr<CudaContextState> (*make)());

  const CudaDriver& driver_;
  const Device device_;
  const int forks_;
  int number_ = 0;  // as the driver calls it
  CudaDriver::Handle handle_ = nullptr;
  bool closed_ = false;
  std::vector<std::unique_ptr<CudaStream>> streams_{};
  std::vector<CudaStream*> idle_streams_{};
  std::vector<CudaDriver::Handle> idle_events_{};
  std::array<std::atomic<CudaContextState*>, 8> states_{};

  inline static std::atomic<int> next_state_{0};
};

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/device/cuda/context.ipp>
#endif
