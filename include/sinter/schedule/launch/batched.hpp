#pragma once
// Batched launches: which kernels could share one text, and the launches that run several of them.
// On the host, the threads of a launch share the work of its kernels. On a GPU, a launch has blocks
// for each of its kernels, which look up their work in a table of words, the only argument of the
// function. For each kernel the table has the number of its first block, the addresses of its
// buffers, and its sizes. After the last kernel, and for unused entries, it has the total number of
// blocks.

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/horizontal_fusion.hpp>
#include <sinter/schedule/loop/generalize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Buffer;
struct Launch;

/// A kernel with its own launch, which does not name the kernel yet.
struct SingleLaunch {
  const Kernel* kernel = nullptr;
  const Launch* launch = nullptr;
  Extent steps = 0;  ///< Approximate cost, in the symbols of the graph: see steps_of().
  bool is_product = false;

  Extent arena_bytes = 0;     ///< Of its buffers.
  Extent retained_bytes = 0;  ///< Of its buffers that no later kernel uses.

  Hash hash{};                           ///< Of the kernel.
  Optional<Generalized> general{};       ///< The kernel with its sizes as symbols.
};

/// Computes `arena_bytes` and `retained_bytes` of each. `singles` are in a valid order.
void measure_arena(Span<SingleLaunch> singles, Span<const Buffer> buffers);

/// Computes `hash` and `general` of each, and the candidates for create_batches(). A kernel without
/// loops is treated as one over a single element if others compute the same over more. Batches of
/// LaunchBatching::equal have no prologue and no epilogue, and kernels with row loops keep their
/// constant sizes, which decide how threads share the rows.
Vector<BatchCandidate> candidates(Span<SingleLaunch> singles, const Target& target);

/// One launch for all kernels of `batch`. Its parallel kernels share one text if they have one.
Launch batched_launch(Span<const SingleLaunch> singles, const Batch& batch,
                      FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel);

/// The same for LaunchBatching::equal: as many launches as tables of at most `table_bytes` need.
/// Kernels of launches with several runs have a batch capacity.
Vector<Launch> batched_launches(Span<const SingleLaunch> singles, const Batch& batch,
                                std::size_t table_bytes,
                                FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel);

/// The words of the launch table of `kernel`: for one kernel of the batch, and in all.
std::size_t table_words_per_kernel(const Kernel& kernel);
std::size_t table_words(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/batched.ipp>
#endif
