#pragma once
// One recording of a function with what it was compiled to: serves every call that fits its guard.

#include <cstdint>  // std::int64_t
#include <memory>   // std::shared_ptr
#include <span>     // std::span
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/jit/call.hpp>
#include <sinter/jit/recording.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

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

/// A graph that can be run.
struct Runnable {
  std::shared_ptr<const Program> program{};
  std::vector<OutputInfo> outputs{};
  std::vector<std::uint32_t> symbols{};  ///< Of the graph, in the order of those of the program.
};

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

/// `program`, which computes `graph`, whose symbols in its order are `symbols`; `updates` are the
/// outputs that may take the memory of leaves, by the number of the leaf.
Runnable runnable_of(const Graph& graph, std::span<const schedule::Update> updates,
                     std::shared_ptr<const Program> program, std::vector<std::uint32_t> symbols);

/// The sizes of the symbols of the program, from those of the symbols of the graph.
std::vector<std::int64_t> program_symbols(const Runnable& runnable,
                                          std::span<const std::int64_t> symbols);

/// Finds the inputs of `variant`: the elements of leaves, which are evaluated, and what else it
/// reads.
void bind_inputs(const Variant& variant, std::span<const guard::Leaf> leaves, Memory& memory,
                 Where where);

/// Finds the storages of the inputs of which the program keeps something from call to call.
void bind_kept(const Variant& variant, std::span<const guard::Leaf> leaves, Memory& memory);

/// Runs `runnable` on the inputs that `memory` has, in memory of its own or in that of leaves that
/// nobody else holds: `memory.owned` has nothing in the place of those outputs. Leaves are as they
/// were if it throws.
void run(const Runnable& runnable, std::span<const guard::Leaf> leaves,
         std::span<const std::int64_t> symbols, Memory& memory);

/// Runs `variant` on the inputs. The new tensors of the call: results, then the new values of
/// leaves. Leaves that it changes and nobody else holds are updated in place, and then nothing is
/// in their place. Leaves are as they were if it throws. `memory.draw` is to be kept, or taken
/// back.
std::span<Tensor> run(const Variant& variant, std::span<const guard::Leaf> leaves,
                      std::span<const std::int64_t> symbols, Memory& memory);

namespace detail {

/// The bytes of a tensor of `type`.
std::int64_t bytes_of(const TensorType& type, std::span<const std::int64_t> symbols);
/// To memory of `device`, from there or from the host.
void copy_memory(Device device, void* to, const void* from, std::size_t bytes);
/// Runs `runnable` from and to the memory that `memory` has.
void execute(const Runnable& runnable, std::span<const guard::Leaf> leaves,
             std::span<const std::int64_t> symbols, Memory& memory);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/variant.ipp>
#endif
