#pragma once
// One recording of a function with what it was compiled to: serves every call that fits its guard.

#include <memory>  // std::shared_ptr
#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/lower.hpp>
#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::jit {

struct Variant {
  Recording recording{};
  std::shared_ptr<const Program> program{};
  std::shared_ptr<const void> result{};     ///< The result of the recorded call, to be copied.
  std::shared_ptr<const void> arguments{};  ///< The arguments after it, if it changed structure.
};

/// The new tensors of a call: results, then the new values of leaves.
using NewTensors = std::vector<Tensor>;

/// Runs `variant` on the leaves of a call. Leaves that it changes and nobody else holds are updated
/// in place; the others get new tensors. Leaves are as they were if it throws.
NewTensors run(const Variant& variant, std::span<const guard::Leaf> leaves,
               std::span<const std::int64_t> symbols, Where where);

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/variant.ipp>
#endif
