#pragma once
// One recording of a function with what it was compiled to: serves every call that fits its guard.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::jit {

class Program;

/// An output of a variant, as far as it is known before the call.
struct OutputInfo {
  TensorType type{};
  std::int64_t bytes = -1;         ///< -1 if the sizes of the call decide.
  bool is_passed_through = false;  ///< No kernel writes it: it is what `source` is.
  bool source_is_input = false;    ///< Else it is another output.
  std::int32_t source = -1;
  std::int32_t updates = -1;  ///< The leaf whose memory it may take.
};

struct Variant {
  Recording recording{};
  std::shared_ptr<const Program> program{};
  std::vector<OutputInfo> outputs{};
  std::shared_ptr<const void> result{};     ///< The result of the recorded call, to be copied.
  std::shared_ptr<const void> arguments{};  ///< The arguments after it, if it changed structure.
  bool is_kept = true;                      ///< False if it is for one call, past the limit.
};

std::vector<OutputInfo> outputs_of(const Recording& recording, const Program& program);

/// The memory of a call: what the program gets, and who owns it. Kept from call to call.
struct Memory {
  std::vector<void*> inputs{}, outputs{};
  std::vector<Storage> owned{};           ///< Of each output; none if it is updated in place.
  std::vector<Tensor> tensors{};          ///< What run() gives.
  std::int64_t random_state[2] = {0, 0};  ///< Seed and offset.
};

/// Finds the inputs of `variant`: the elements of leaves, which are evaluated, and what else it
/// reads.
void bind_inputs(const Variant& variant, std::span<const guard::Leaf> leaves, Memory& memory,
                 Where where);

/// Runs `variant` on the inputs. The new tensors of the call: results, then the new values of
/// leaves. Leaves that it changes and nobody else holds are updated in place, and then nothing is
/// in their place. Leaves are as they were if it throws.
std::span<Tensor> run(const Variant& variant, std::span<const guard::Leaf> leaves,
                      std::span<const std::int64_t> symbols, Memory& memory);

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/variant.ipp>
#endif
