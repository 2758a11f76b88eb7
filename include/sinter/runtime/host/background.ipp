#pragma once

#include <pthread.h>  // pthread_atfork

#include <algorithm>           // std::min
#include <condition_variable>  // std::condition_variable
#include <cstdlib>             // std::atexit
#include <mutex>               // std::mutex
#include <new>                 // placement new
#include <system_error>        // std::system_error
#include <thread>              // std::thread
#include <utility>             // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/runtime/host/background.hpp>
#include <sinter/runtime/host/blocked_signals.hpp>
#include <sinter/runtime/host/thread_pool.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

class BackgroundQueue {
 public:
  void add(SharedPtr<BackgroundJob> job) {
    const std::lock_guard lock(mutex_);
    if (stops_) return;
    jobs_.push_back(std::move(job));
    start_threads();
    changed_.notify_all();
  }

  void keep_running() {
    const std::lock_guard lock(mutex_);
    if (!jobs_.empty() && threads_.empty() && !stops_) start_threads();
  }

  void wait() {
    std::unique_lock lock(mutex_);
    if (!jobs_.empty() && threads_.empty() && !stops_) start_threads();
    changed_.wait(lock, [&] { return stops_ || threads_.empty() || jobs_.empty(); });
  }

  void stop() {
    Vector<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
      threads.swap(threads_);
    }
    changed_.notify_all();
    for (std::thread& thread : threads) thread.join();
  }

  void before_fork() { mutex_.lock(); }
  void in_parent() { mutex_.unlock(); }
  // The child has none of the threads: abandon their handles, and start the running jobs again.
  void in_child() {
    new (&threads_) Vector<std::thread>();
    new (&changed_) std::condition_variable();
    running_ = 0;
    mutex_.unlock();
  }

 private:
  static constexpr std::size_t max_threads = 4;

  // One thread per job: each job runs a compiler process, so this many cores are busy.
  void start_threads() {
    const std::size_t most =
        std::min<std::size_t>(max_threads, static_cast<std::size_t>(num_threads()));
    const ScopedBlockedSignals scoped;
    threads_.reserve(max_threads);  // a failed growth would destroy a running thread
    try {
      while (threads_.size() < std::min(most, jobs_.size())) {
        threads_.emplace_back([this] { serve(); });
      }
    } catch (const std::system_error&) {  // the existing threads run the jobs
    }
  }

  // Jobs stay in the queue until they are done; the first `running_` of them are running.
  void serve() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stops_ || running_ < jobs_.size(); });
      if (stops_) return;
      SharedPtr<BackgroundJob> job = jobs_[running_++];
      lock.unlock();
      job->run();
      lock.lock();
      jobs_.erase(find(jobs_, job));
      --running_;
      changed_.notify_all();
      lock.unlock();
      job = nullptr;  // destroyed outside the mutex: it may own large objects
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Vector<SharedPtr<BackgroundJob>> jobs_;
  std::size_t running_ = 0;
  Vector<std::thread> threads_;
  bool stops_ = false;
};

SINTER_INLINE BackgroundQueue& background_queue() {
  static auto& queue = *new BackgroundQueue;
  [[maybe_unused]] static const int at_fork = pthread_atfork(
      [] { queue.before_fork(); }, [] { queue.in_parent(); }, [] { queue.in_child(); });
  [[maybe_unused]] static const int at_exit = std::atexit([] { queue.stop(); });
  return queue;
}

}  // namespace detail

SINTER_INLINE void run_in_background(SharedPtr<BackgroundJob> job) {
  detail::background_queue().add(std::move(job));
}

SINTER_INLINE void keep_background_running() { detail::background_queue().keep_running(); }

SINTER_INLINE void wait_for_background() { detail::background_queue().wait(); }

}  // namespace sinter::inline SINTER_ABI::detail::runtime
