#pragma once
// Launches of several kernels: which could have one text, and how they are put together.
//
// On the host the threads of a launch share the work of its kernels. On a GPU a launch has blocks
// for each of them, which find in a table of words what they compute: of each part the number of
// its first block, the addresses of its buffers and its sizes; behind the last part, and for parts
// that there are not, the number of all blocks. The table is the one argument of the function.

#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/horizontal.hpp>
#include <sinter/schedule/loop/generalize.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

struct Buffer;
struct Launch;

/// A kernel with a launch of its own, which does not name it yet.
struct Single {
  const Kernel* kernel = nullptr;
  const Launch* launch = nullptr;
  Extent steps = 0;  ///< What it takes, in the symbols of the graph: see steps_of().
  bool is_product = false;

  Extent arena_bytes = 0;  ///< Of its buffers.
  Extent held = 0;         ///< Of those that no later one has.

  Hash hash{};                           ///< Of the kernel.
  std::optional<Generalized> general{};  ///< The kernel in terms of sizes.
};

/// Finds `arena_bytes` and `held` of each; they are in an order that is right.
void measure_arena(std::span<Single> singles, std::span<const Buffer> buffers);

/// Finds `hash` and `general` of each, and what batches() asks for. Kernels without loops are taken
/// for those over one element where others compute the same over more. For a GPU, nothing runs
/// before or after others in a launch, and what threads share rows of keeps its numbers, which
/// decide how they do.
std::vector<Candidate> candidates(std::span<Single> singles, bool gpu = false);

/// The launch of all kernels of `batch`: those together as one text where they have one.
Launch joint_launch(std::span<const Single> singles, const Batch& batch,
                    FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel);

/// The same as launches of a GPU, as many as tables of at most `table_bytes` need: kernels with
/// parts, if several run.
std::vector<Launch> joint_launches(std::span<const Single> singles, const Batch& batch,
                                   std::size_t table_bytes,
                                   FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel);

/// How many words of the table of `kernel` say of one of its parts; of the whole table.
std::size_t words_of_part(const Kernel& kernel);
std::size_t words_of_table(const Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/launch/batched.ipp>
#endif
