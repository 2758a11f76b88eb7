#pragma once
// Threads that make the batches of an epoch ahead of the loop that takes them.

#include <cstddef>  // std::size_t

#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::data::detail {

/// Makes numbered batches, on several threads at once.
struct BatchMaker {
  virtual ~BatchMaker() = default;
  /// Makes a batch and puts it into `place`. What it throws arrives at the taker of the batch.
  virtual void make(std::size_t batch, std::size_t place) = 0;
};

/// Has batches made by threads in order, at most `capacity` of them ahead. Without threads, those
/// that the system refuses included, a batch is made when it is waited for.
class Prefetch {
 public:
  /// `maker` must live longer. Thread-safe for one taker.
  Prefetch(BatchMaker& maker, std::size_t batches, std::size_t threads, std::size_t capacity);
  Prefetch(const Prefetch&) = delete;
  /// Stops the threads; waits for the batches that they are making.
  ~Prefetch();

  /// Waits for the next batch; returns its place, which stays as it is until the next call.
  ///
  /// Throws what making it threw; afterwards there are no more batches
  std::size_t next();

 private:
  struct State;
  sinter::detail::UniquePtr<State> state_;
};

}  // namespace sinter::inline SINTER_ABI::data::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/data/prefetch.ipp>
#endif
