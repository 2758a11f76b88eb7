#pragma once
// What a call of a compiled function works with. It is kept for the next call, which most often
// finds the arguments as they were, and then looks only at what is new.

#include <cstdint>   // std::int64_t
#include <memory>    // std::shared_ptr
#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/snapshot.hpp>
#include <sinter/jit/signature.hpp>
#include <sinter/trace/random_state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct Variant;

/// The memory of a call: what the program gets, and who owns it. Kept from call to call.
struct Memory {
  std::vector<void*> inputs{}, outputs{};
  std::vector<const Storage*> kept_from{};  ///< For Program::run().
  std::vector<Storage> owned{};             ///< Of each output; none if it is updated in place.
  std::vector<Tensor> tensors{};            ///< What run() gives.
  std::vector<std::int64_t> symbols{};      ///< The sizes of those of the program.
  std::int64_t random_state[2] = {0, 0};    ///< Seed and offset.
  std::optional<random::Draw> draw{};       ///< Of a call that is not over.
  std::int64_t allocations = 0;             ///< Of the run: outputs with memory of their own.
  std::int32_t moved = -1;     ///< A leaf whose new value has other memory, because it is held.
  Where where{};               ///< The line that errors of the call name.
  bool is_expression = false;  ///< Outside of compiled functions.
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

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/call.ipp>
#endif
