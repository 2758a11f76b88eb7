#pragma once
// A variant, one recording of a function with what it was compiled to, which serves every call that
// fits its guard; and what such a call works with.

#include <cstdint>  // std::uint32_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/guard/snapshot.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct Variant {
  Recording recording{};
  Runnable runnable{};
  std::shared_ptr<const Callee> callee{};  ///< For gradients of calls, if the recording is for any.
  std::shared_ptr<const void> result{};    ///< The result of the recorded call, to be copied.
  std::shared_ptr<const void> arguments{};  ///< The arguments after it, if it changed structure.
  bool is_kept = true;                      ///< False if it is for one call, past the limit.
  bool is_interim = false;                  ///< Another takes its place when it is compiled.
  bool is_interpreted = false;
};

/// What a call of a compiled function works with. It is kept for the next call, which most often
/// finds the arguments as they were, and then looks only at what is new.
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

/// Finds the inputs of `variant`: the elements of leaves, which are evaluated, and what else it
/// reads.
void bind_inputs(const Variant& variant, std::span<const guard::Leaf> leaves, Memory& memory,
                 Where where);

/// Finds the storages of the inputs of which the program keeps something from call to call.
void bind_kept(const Variant& variant, std::span<const guard::Leaf> leaves, Memory& memory);

/// Runs `variant` on the inputs. The new tensors of the call: results, then the new values of
/// leaves. Leaves that it changes and nobody else holds are updated in place, and then nothing is
/// in their place. Leaves are as they were if it throws. `memory.draw` is to be kept, or taken
/// back.
std::span<Tensor> run(const Variant& variant, std::span<const guard::Leaf> leaves,
                      std::span<const std::int64_t> symbols, Memory& memory);

/// True if the loose leaves fit the variant, with the sizes that symbols have.
bool loose_leaves_fit(const Call& call);

/// Finds the inputs that are loose leaves; the others are where they were.
void bind_loose_leaves(Call& call, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/variant.ipp>
#endif
