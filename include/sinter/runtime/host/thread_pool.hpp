#pragma once
// The thread pool that runs host kernels; its threads live as long as the process.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// A barrier for a fixed number of threads. Waiting threads spin for 10 ms, or for 50 us if there
/// are fewer processors than threads, then sleep.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// Waits for all threads. What each wrote before wait() is visible to all of them after it.
  void wait();

  /// wait() as a plain function, for generated code. `barrier` is a Barrier.
  static void wait_for(void* barrier) { static_cast<Barrier*>(barrier)->wait(); }

 private:
  const int threads_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<int> round_{0};
};

/// The body of a parallel region: `thread` is 0 to threads - 1. It must not throw.
using ThreadBody = void (*)(void* context, int thread, int threads);

namespace detail {

// The ThreadBody of a callable body(thread, threads).
template <class Body>
void call_body(void* body, int thread, int threads) {
  (*static_cast<Body*>(body))(thread, threads);
}

}  // namespace detail

/// Calls `body` on up to `threads` threads at once and returns when all have returned. The caller
/// is thread 0. The body gets the number of threads that take part: 1 if another call is using the
/// pool, so that no call waits for a busy pool.
void run_on_threads(int threads, ThreadBody body, void* context);

/// The same for a callable body(thread, threads).
template <class Body>
void run_on_threads(int threads, Body& body) {
  run_on_threads(threads, detail::call_body<Body>, static_cast<void*>(&body));
}

/// The same for short work whose threads need not overlap: the caller also runs the shares that no
/// other thread has started when its own is done. Sleeping threads are woken only if such calls
/// follow each other within 25 us; otherwise `threads` is 1.
void run_short_on_threads(int threads, ThreadBody body, void* context);

/// The same for a callable body(thread, threads).
template <class Body>
void run_short_on_threads(int threads, Body& body) {
  run_short_on_threads(threads, detail::call_body<Body>, static_cast<void*>(&body));
}

/// The number of threads of the pool: the last set_num_threads(), else SINTER_NUM_THREADS, else the
/// number of cores that this process may use.
int num_threads();

/// Sets the number of threads for later calls, 1 to 1024; 0 restores the default.
void set_num_threads(int threads);

/// During its lifetime, what this thread runs uses at most `threads` threads; 0 limits nothing.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;
  ~ThreadLimit();

 private:
  int outer_;
};

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/thread_pool.ipp>
#endif
