#pragma once
// Compiled programs, the parts of a program whose members have options of their own, and how a
// program runs from and to the memory of a call.

#include <atomic>    // std::atomic
#include <cstddef>   // std::size_t
#include <cstdint>   // std::int64_t
#include <memory>    // std::shared_ptr
#include <optional>  // std::optional
#include <span>      // std::span
#include <vector>    // std::vector

#include <sinter/base/source.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/tune/tuner.hpp>
#include <sinter/runtime/cuda/execute/executable.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/trace/context/random_state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct Parts;
struct Runnable;

/// What a recording became, in canonical symbols: graphs that count their symbols in other orders
/// share it. Calls may overlap.
class Program : public std::enable_shared_from_this<Program> {
 public:
  /// With a `tuner`, the first run decides how the kernels of those that follow are written.
  Program(Graph graph, std::unique_ptr<runtime::Executable> executable, std::vector<Source> sources,
          std::shared_ptr<Tuner> tuner = nullptr)
      : graph_(std::move(graph)),
        first_{std::move(executable), nullptr, std::move(sources)},
        tuner_(std::move(tuner)) {}
  /// The same for a GPU; without an executable, the interpreter computes what it gives.
  Program(Graph graph, std::unique_ptr<runtime::CudaExecutable> executable,
          std::vector<Source> sources, Device device, std::shared_ptr<Tuner> tuner = nullptr)
      : graph_(std::move(graph)),
        first_{nullptr, std::move(executable), std::move(sources)},
        tuner_(std::move(tuner)),
        device_(device) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      all_inputs_.push_back(static_cast<std::int32_t>(i));
    }
  }
  /// Parts of `graph` with options of their own, which run one after the other.
  Program(Graph graph, std::shared_ptr<const Parts> parts, Device device);

  /// Computes the outputs, in the order of the graph, into memory that may be that of the inputs
  /// that they update.
  ///
  /// Throws IndexError and ValueError for faults in the data, and ValueError, at `where`, if there
  /// is not enough memory; no output that updates an input is written then.
  void run(std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, Where where = {},
           std::span<const Storage* const> kept_from = {}) const;
  /// The inputs whose storages run() wants as `kept_from`: see Executable. On a GPU these are all,
  /// null for numbers of the host, and those of the outputs follow: see CudaExecutable.
  std::span<const std::int32_t> kept_inputs() const;
  /// Hands over its graphs of a GPU: the next run makes new ones. Not during calls.
  runtime::StreamReplays take_graphs() const;

  const Graph& graph() const { return graph_; }
  /// Null on the eager backends, and for GPUs.
  const runtime::Executable* executable() const { return present().executable.get(); }
  /// What its parts run; nothing if it is one.
  std::vector<const Runnable*> parts() const;
  /// True on the eager backends; of parts, if one of them lacks a compiler.
  bool is_interpreted() const;
  /// What it runs; null on the eager backends, and of parts.
  const schedule::Plan* plan() const {
    const Build& build = present();
    return build.executable == nullptr && build.on_gpu == nullptr ? nullptr : &build.plan();
  }
  /// Where it runs: outputs are there, and inputs, but for numbers of the host.
  Device device() const { return device_; }
  /// The text of each kernel of the plan.
  const std::vector<Source>& sources() const { return present().sources; }

 private:
  friend class TuneLater;

  const Build& present() const { return *present_.load(std::memory_order_acquire); }
  void tune(const TuningCall& call) const;
  void tune_now(const TuningCall& call) const;
  void interpret_for_gpu(std::span<void* const> inputs, std::span<void* const> outputs,
                         std::span<const std::int64_t> symbols, Where where) const;
  void interpret(std::span<void* const> inputs, std::span<void* const> outputs,
                 std::span<const std::int64_t> symbols) const;

  Graph graph_;
  std::shared_ptr<const Parts> parts_{};
  Build first_{};
  mutable Build tuned_;  // written once, before calls see it
  mutable std::atomic<const Build*> present_{&first_};
  std::shared_ptr<Tuner> tuner_;
  Device device_ = cpu();
  std::vector<std::int32_t> all_inputs_{};  // if it runs on a GPU, or has parts
};

struct Lowered {
  std::shared_ptr<const Program> program{};
  std::vector<std::uint32_t> symbols{};  ///< Of the graph, in the order of those of the program.
  compiler::Work work{};
};

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

/// Nodes that are compiled with the same options. Values have numbers: first the inputs of the
/// whole graph, then what parts compute.
struct Part {
  Graph graph{};
  LowerOptions options{};
  std::vector<std::size_t> inputs{};   ///< The values that its inputs are.
  std::vector<std::size_t> outputs{};  ///< The values that its outputs are.
  Runnable runnable{};                 ///< Once it is lowered.
};

struct Parts {
  std::vector<Part> list{};            ///< Each after those whose values it reads.
  std::vector<TensorType> values{};    ///< By number.
  std::vector<std::size_t> outputs{};  ///< The values that the outputs of the whole graph are.
};

/// `program`, which computes `graph`, whose symbols in its order are `symbols`; `updates` are the
/// outputs that may take the memory of leaves, by the number of the leaf.
Runnable runnable_of(const Graph& graph, std::span<const schedule::Update> updates,
                     std::shared_ptr<const Program> program, std::vector<std::uint32_t> symbols);

/// The sizes of the symbols of the program, from those of the symbols of the graph.
std::vector<std::int64_t> program_symbols(const Runnable& runnable,
                                          std::span<const std::int64_t> symbols);

/// Runs `runnable` on the inputs that `memory` has, in memory of its own or in that of leaves that
/// nobody else holds: `memory.owned` has nothing in the place of those outputs. Leaves are as they
/// were if it throws.
void run(const Runnable& runnable, std::span<const guard::Leaf> leaves,
         std::span<const std::int64_t> symbols, Memory& memory);

namespace detail {

/// The program that interprets `graph` on `device`.
Lowered interpreted(Graph graph, Device device);
/// What finds out how the kernels of `plan` are written best; null unless `options` say so.
std::shared_ptr<Tuner> tuner_of(const schedule::Plan& plan, compiler::TranslationUnit& unit,
                                const LowerOptions& options,
                                std::shared_ptr<const TuningTarget> target);
/// The bytes of a tensor of `type`.
std::int64_t bytes_of(const TensorType& type, std::span<const std::int64_t> symbols);
/// Gives each output memory: of its own, or of the leaf that it may update.
void take_outputs(const Runnable& runnable, std::span<const guard::Leaf> leaves,
                  std::span<const std::int64_t> symbols, Memory& memory);
/// The new tensors of a call, in the memory that it is about to write.
void make_tensors(const Runnable& runnable, std::span<const std::int64_t> symbols, Memory& memory);
/// Runs `runnable` from and to the memory that `memory` has.
void execute(const Runnable& runnable, std::span<const guard::Leaf> leaves,
             std::span<const std::int64_t> symbols, Memory& memory);
/// Throws ValueError of `report`, with what the whole call takes of the memory of a GPU, and what
/// is kept.
[[noreturn]] void throw_with_plan(const Runnable& runnable, std::span<const std::int64_t> symbols,
                                  Report report);

// Unless the call succeeds, lets go of what it would have given.
struct Outcome {
  Memory& memory;
  bool is_good = false;
  ~Outcome() {
    if (!is_good) memory.owned.clear(), memory.tensors.clear();
  }
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/program.ipp>
#endif
