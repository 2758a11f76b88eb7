#pragma once
// A variant: one recording of a function and its compiled program, which serves every call that
// fits its guard. And the frame that such a call works in.

#include <cstdint>  // std::uint32_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/snapshot.hpp>
#include <sinter/jit/interface/signature.hpp>
#include <sinter/jit/lower/program.hpp>
#include <sinter/jit/record/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// Why a variant was made, and the calls that it served. The state guards it.
struct VariantUse {
  std::string reason{};                 ///< Empty for the first recording.
  std::int64_t calls = 0;               ///< That it served.
  std::vector<std::int64_t> symbols{};  ///< The sizes of a call that it served.
  compiler::CompileStats work{};
};

struct Variant {
  Recording recording{};
  Runnable runnable{};
  SharedPtr<const Callee> callee{};  ///< For gradients of calls, if the recording supports them.
  SharedPtr<const void> result{};    ///< The result of the recorded call; calls copy it.
  SharedPtr<const void>
      arguments{};          ///< The arguments after that call, if it changed their structure.
  bool is_cached = true;    ///< False if it is for one call, past recompile_limit.
  bool is_interim = false;  ///< The background compilation will replace it.
  bool is_interpreted = false;
  double compile_seconds = 0;           ///< What compiling it took.
  mutable std::uint64_t last_used = 0;  ///< Guarded by the mutex of its State.
  SharedPtr<VariantUse> use = make_shared_ptr<VariantUse>();
};

/// Working memory of a call, reused by later calls. If the arguments are those of the previous
/// call, most of it is still valid. Never used by two calls at once.
struct CallFrame {
  CallSignature signature{};
  SharedPtr<const Variant> variant{};
  std::vector<std::int64_t> symbols{};     ///< The sizes of the variant's symbols.
  guard::Snapshot snapshot{};              ///< Arguments that fit the variant with these sizes.
  Vector<std::uint32_t> unwatched{};       ///< The leaves that the snapshot does not cover.
  CallMemory memory{};
  std::uint64_t forgotten = 0;  ///< That of the state when the call began.

  Span<const guard::Leaf> leaves() const { return signature.leaves.list; }
};

/// Binds the inputs of `variant`: the elements of leaves, which are evaluated if necessary, the
/// random state and captured elements.
void bind_inputs(const Variant& variant, Span<const guard::Leaf> leaves, CallMemory& memory,
                 Where where);

/// Binds the storages of the inputs that the program keeps packed copies of between calls.
void bind_packed_inputs(const Variant& variant, Span<const guard::Leaf> leaves, CallMemory& memory);

/// Runs `variant` on the bound inputs. Returns the new tensors of the call: results, then new
/// values of leaves. Changed leaves that nobody else holds are updated in place; their tensors are
/// undefined. Leaves are unchanged if it throws. The caller keeps `memory.draw` or takes it back.
Span<Tensor> run(const Variant& variant, Span<const guard::Leaf> leaves,
                 Span<const std::int64_t> symbols, CallMemory& memory);

/// True if the unwatched leaves fit the variant for the current sizes of its symbols.
bool unwatched_leaves_fit(const CallFrame& call);

/// Binds the inputs that are unwatched leaves; the others have not moved.
void bind_unwatched_leaves(CallFrame& call, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/state/variant.ipp>
#endif
