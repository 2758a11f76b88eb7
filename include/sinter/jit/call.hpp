#pragma once
// What a call of a compiled function works with. It is kept for the next call, which most often
// finds the arguments as they were, and then looks only at what is new.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/guard/snapshot.hpp>
#include <sinter/jit/variant.hpp>

namespace sinter::inline SINTER_ABI::jit {

/// The leaves of one call, with the hash of everything else about it.
struct CallSignature {
  guard::Leaves leaves{};
  Hash structure{};
};

/// Serves one call after the other, never two at once.
struct Call {
  CallSignature signature{};
  std::shared_ptr<const Variant> variant{};
  std::vector<std::int64_t> symbols{};  ///< Their sizes.
  guard::Snapshot snapshot{};           ///< Of arguments that fit the variant with these sizes.
  std::vector<std::uint32_t> loose{};   ///< The leaves that a snapshot says nothing of.
  Memory memory{};

  std::span<const guard::Leaf> leaves() const { return signature.leaves.list; }
};

/// True if the loose leaves fit the variant, with the sizes that symbols have.
bool loose_leaves_fit(const Call& call);

/// Finds the inputs that are loose leaves; the others are where they were.
void bind_loose_leaves(Call& call, Where where);

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call.ipp>
#endif
