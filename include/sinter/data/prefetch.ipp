#pragma once

#include <condition_variable>  // std::condition_variable
#include <exception>           // std::exception_ptr
#include <mutex>               // std::mutex
#include <system_error>        // std::system_error
#include <thread>              // std::thread
#include <vector>              // std::vector

#include <sinter/data/prefetch.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

struct Prefetch::State {
  State(BatchMaker& m, std::size_t b, std::size_t capacity)
      : maker(m), batches(b), is_made(capacity), failures(capacity) {}

  BatchMaker& maker;
  const std::size_t batches;
  std::vector<std::thread> threads{};
  std::mutex mutex{};
  std::condition_variable has_place{}, has_batch{};
  // By slot: batch b uses slot b % capacity. The mutex guards everything below.
  std::vector<char> is_made;
  std::vector<std::exception_ptr> failures;
  std::size_t begun = 0;  ///< Batches that a thread has begun.
  std::size_t taken = 0;  ///< Batches that next() returned.
  bool stops = false;

  bool can_begin() const {
    // The caller still reads the last batch it took, so its slot is not free.
    const std::size_t used = taken == 0 ? 0 : taken - 1;
    return begun < batches && begun < used + is_made.size();
  }

  void work() {
    std::unique_lock lock(mutex);
    while (true) {
      has_place.wait(lock, [&] { return stops || begun == batches || can_begin(); });
      if (stops || begun == batches) return;
      const std::size_t batch = begun++, place = batch % is_made.size();
      lock.unlock();
      std::exception_ptr failure;
      try {
        maker.make(batch, place);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      is_made[place] = 1;
      failures[place] = failure;
      has_batch.notify_one();
    }
  }

  void stop() {
    {
      const std::lock_guard lock(mutex);
      stops = true;
    }
    has_place.notify_all();
    for (std::thread& thread : threads) thread.join();
    threads.clear();
  }
};

SINTER_INLINE Prefetch::Prefetch(BatchMaker& maker, std::size_t batches, std::size_t threads,
                                 std::size_t capacity)
    : state_(new State(maker, batches, capacity)) {
  try {
    for (std::size_t i = 0; i < threads && i < batches; ++i) {
      state_->threads.emplace_back([state = state_.get()] { state->work(); });
    }
  } catch (const std::system_error&) {  // fewer threads are slower, and else the same
  }
}

SINTER_INLINE Prefetch::~Prefetch() { state_->stop(); }

SINTER_INLINE std::size_t Prefetch::next() {
  State& state = *state_;
  const std::size_t place = state.taken % state.is_made.size();
  if (state.threads.empty()) {
    state.maker.make(state.taken++, place);
    return place;
  }
  std::exception_ptr failure;
  {
    std::unique_lock lock(state.mutex);
    ++state.taken;  // frees the place of the batch before
    state.has_place.notify_all();
    state.has_batch.wait(lock, [&] { return state.is_made[place] != 0; });
    state.is_made[place] = 0;
    failure = std::exchange(state.failures[place], nullptr);
  }
  if (failure == nullptr) return place;
  state.stop();
  std::rethrow_exception(failure);
}

}  // namespace sinter::inline SINTER_ABI::data::detail
