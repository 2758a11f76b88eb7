#pragma once
// Transport: the interface that moves bytes between the ranks of a group.

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
  std::uint64_t hash = 0;  ///< Of what must be equal on all ranks; does not depend on the process.
  std::string text{};      ///< "all_reduce(sum) of f32[3] at model.cpp:14"
  std::string op{};        ///< "dist::all_reduce"
  Where where{};
};

/// The byte transfers of a collective, after all ranks have agreed to run it.
class Bytes {
 public:
  virtual ~Bytes() = default;
  /// Gathers `bytes` bytes from each rank into `out`, in rank order.
  virtual void all_gather(const void* in, void* out, std::size_t bytes) = 0;
  /// The same, with bytes[i] bytes from rank i.
  virtual void all_gather(const void* in, void* out, Span<const std::size_t> bytes) = 0;
  /// Sends sent[i] bytes to rank i and receives received[i] bytes from it. The blocks of `in` and
  /// `out` are contiguous, in rank order.
  virtual void exchange(const void* in, Span<const std::size_t> sent, void* out,
                        Span<const std::size_t> received) = 0;
  virtual void broadcast(void* data, std::size_t bytes, int root) = 0;
};

/// The body of a collective that runs in the background.
class Job {
 public:
  virtual ~Job() = default;
  virtual void run(Bytes& bytes) = 0;
};

/// A group of ranks, all of which make the same calls in the same order. A rank may call from any
/// thread, but from one at a time.
class Transport {
 public:
  virtual ~Transport() = default;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Runs `body` after all ranks have made this call. Throws RankError if their calls differ or one
  /// has failed, ValueError if another thread of this rank is in a call.
  virtual void run(const Call& call, FunctionRef<void(Bytes&)> body) = 0;
  /// Runs `job` in the background, after all earlier calls. Returns its number.
  virtual std::uint64_t start(const Call& call, SharedPtr<Job> job) = 0;
  /// Waits for the job with this number. Rethrows the exception of the job.
  virtual void wait(std::uint64_t number) = 0;

  /// Messages between two ranks, which arrive in order. receive() throws RankError unless the hash
  /// of its call and `bytes` are equal to those of the sender.
  virtual void send(const Call& call, const void* data, std::size_t bytes, int to) = 0;
  virtual void receive(const Call& call, void* data, std::size_t bytes, int from) = 0;

  /// Called repeatedly while this rank waits for its GPU, for `waited` seconds so far: answers the
  /// other ranks. Throws RankError if one has failed or the time limit is over.
  virtual void attend(const Call& call, double waited) = 0;

  /// Ends the collectives of all ranks, as this one cannot continue for the reason `why`.
  virtual void fail(std::string_view why) = 0;

  /// The group of the ranks that pass the same color, in rank order. All ranks call it.
  virtual SharedPtr<Transport> split(const Call& call, int color) = 0;

 protected:
  Transport(int rank, int size) : rank_(rank), size_(size) {}

 private:
  int rank_, size_;
};

/// The groups of this process by number; group 0 has all ranks. Empty without a World.
Vector<SharedPtr<Transport>>& groups();
/// Makes the group of the ranks that pass the same color and returns its number. All ranks of the
/// World call it. Throws ValueError for a negative color.
int split_group(int color, std::string_view op, Where where);
/// Group `number`. Throws ValueError, as `op`, if there is none; without a World there are none.
Transport& group(int number, std::string_view op, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::collective

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/collective/transport.ipp>
#endif
