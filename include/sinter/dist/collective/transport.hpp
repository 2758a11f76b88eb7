#pragma once
// The interface of a group of processes: what moves bytes between its ranks.

#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/dist/collective/rank_error.hpp>

namespace sinter::inline SINTER_ABI::detail::collective {

/// A collective that is about to run.
struct Call {
  std::uint64_t hash = 0;  ///< Of what has to be equal on all ranks; the same in every process.
  std::string text{};      ///< "all_reduce(sum) of f32[3] at model.cpp:14"
  std::string op{};        ///< "dist::all_reduce"
  Where where{};
};

/// The calls of a collective's body, once all ranks agree that it runs.
class Bytes {
 public:
  virtual ~Bytes() = default;
  /// `out` gets `bytes` from each rank, in their order.
  virtual void all_gather(const void* in, void* out, std::size_t bytes) = 0;
  /// The same where rank i gives bytes[i].
  virtual void all_gather(const void* in, void* out, Span<const std::size_t> bytes) = 0;
  /// Sends sent[i] bytes to rank i, and receives received[i] from it; both lie in order.
  virtual void exchange(const void* in, Span<const std::size_t> sent, void* out,
                        Span<const std::size_t> received) = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
};

/// What a started collective does on another thread.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run(Bytes& bytes) = 0;
};

/// A group of ranks. Every rank of it makes the same calls in the same order; those of one rank
/// may come from any thread.
class Transport {
 public:
  virtual ~Transport() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Runs `body` once all ranks have come to this call. Throws RankError if they disagree, or if
  /// one has failed.
  virtual void run(const Call& call, FunctionRef<void(Bytes&)> body) = 0;
  /// Runs `job` in the background, after all calls before it. What it throws, wait() throws.
  virtual std::uint64_t start(const Call& call, SharedPtr<Job> job) = 0;
  /// Returns when the job that start() gave this number has ended.
  virtual void wait(std::uint64_t number) = 0;

  /// Messages between two ranks, in order. The receiver throws RankError unless `hash` and `bytes`
  /// are those of the sender.
  virtual void send(const Call& call, const void* data, std::size_t bytes, int to) = 0;
  virtual void receive(const Call& call, void* data, std::size_t bytes, int from) = 0;

  /// Called again and again while this rank waits, for `waited` seconds so far, for what all ranks
  /// do elsewhere: on their GPUs. Throws RankError if one has failed, or if that takes too long.
  virtual void attend(const Call& call, double waited) = 0;

  /// Ends the World for all ranks: this one cannot go on, for the reason `why`.
  virtual void fail(std::string_view why) = 0;

  /// The group of the ranks that give the same color, in their order; all ranks call it.
  virtual SharedPtr<Transport> split(const Call& call, int color) = 0;

 protected:
  Transport(int rank, int size) : rank_(rank), size_(size) {}

 private:
  int rank_, size_;
};

/// The groups of this process: number 0 has all ranks. Empty before a World and after it.
Vector<SharedPtr<Transport>>& groups();
/// The number of the group of the ranks that give the same color; all ranks of the World call it.
int split_group(int color, std::string_view op, Where where);
/// Group `number`. Throws ValueError in the name of `op` if there is no World.
Transport& group(int number, std::string_view op, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/transport.ipp>
#endif
