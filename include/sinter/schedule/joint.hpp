#pragma once
// Launches of several kernels: which could have one text, and how they are put together.

#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/base/hash.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/generalize.hpp>
#include <sinter/schedule/siblings.hpp>
#include <sinter/symbol/function_ref.hpp>

namespace sinter::inline SINTER_ABI::schedule {

struct Launch;

/// A kernel with a launch of its own, which does not name it yet.
struct Single {
  const Kernel* kernel = nullptr;
  const Launch* launch = nullptr;
  Extent arena_bytes = 0;  ///< Of its buffers.
  Extent steps = 0;        ///< What it takes, in the symbols of the graph: see steps_of().

  Hash hash{};                           ///< Of the kernel.
  std::optional<Generalized> general{};  ///< The kernel in terms of sizes.
};

/// Finds `hash` and `general` of each, and what batches() asks for. Kernels without loops are taken
/// for those over one element where others compute the same over more.
std::vector<Candidate> candidates(std::span<Single> singles);

/// The launch of all kernels of `batch`: those together as one text where they have one.
Launch joint_launch(std::span<const Single> singles, const Batch& batch,
                    FunctionRef<std::int32_t(const Kernel& kernel)> add_kernel);

}  // namespace sinter::inline SINTER_ABI::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/joint.ipp>
#endif
