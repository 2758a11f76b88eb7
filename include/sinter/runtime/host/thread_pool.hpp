#pragma once
// The threads that run kernels together, kept between calls.

#include <atomic>   // std::atomic
#include <cstdint>  // std::int64_t

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// Makes threads meet: nobody leaves wait() before all have come. Spins for a moment, then sleeps.
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  /// What a thread wrote before is seen by all of them afterwards.
  void wait();

  /// The same as a plain function, for generated code: `barrier` is a Barrier.
  static void wait_for(void* barrier) { static_cast<Barrier*>(barrier)->wait(); }

 private:
  const int threads_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<int> round_{0};
};

/// What each thread of a team calls: `thread` is 0 to threads - 1. It must not throw.
using TeamBody = void (*)(void* context, int thread, int threads);

namespace detail {

// A TeamBody for a Body that is callable as body(thread, threads).
template <class Body>
void call_body(void* body, int thread, int threads) {
  (*static_cast<Body*>(body))(thread, threads);
}

}  // namespace detail

/// Calls `body` on up to `threads` threads at once, the caller being thread 0, and returns when all
/// have returned. The body gets the number of threads that take part: 1 where another call has the
/// team, so that a busy team is never waited for.
void run_team(int threads, TeamBody body, void* context);

/// The same for anything that is callable as body(thread, threads).
template <class Body>
void run_team(int threads, Body& body) {
  run_team(threads, detail::call_body<Body>, static_cast<void*>(&body));
}

/// The same for what is short, and whose calls need not overlap: what no other thread has begun
/// when the caller has done its part, the caller does as well. Threads that sleep are not woken,
/// but where such calls follow each other closely; the body then gets 1 for the number of threads.
void run_short(int threads, TeamBody body, void* context);

/// The same for anything that is callable as body(thread, threads).
template <class Body>
void run_short(int threads, Body& body) {
  run_short(threads, detail::call_body<Body>, static_cast<void*>(&body));
}

/// How many threads a team has: what was set, else SINTER_NUM_THREADS, else the number of cores
/// that this process may use.
int num_threads();

/// Sets the number of threads of the calls that follow, 1 to 1024; 0 is the default again.
void set_num_threads(int threads);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/host/thread_pool.ipp>
#endif
