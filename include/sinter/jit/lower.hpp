#pragma once
// From a graph to something that runs: calls every stage in its order, and verifies in between.

#include <atomic>  // std::atomic
#include <memory>  // std::shared_ptr
#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/base/source.hpp>
#include <sinter/compile/module.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/canonical.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/jit/tuner.hpp>
#include <sinter/runtime/cuda_executable.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct LowerOptions {
  Backend backend = Backend::fused;
  Numerics numerics = Numerics::fast;
  std::vector<schedule::Update> updates{};
  bool tunes = false;         ///< Whether timing decides how kernels are written, ...
  double tuning_seconds = 0;  ///< ... and how long it may take,
  bool tunes_later = false;   ///< in the background.
  Device device = cpu();      ///< Where it runs.
  bool graphs = false;        ///< Whether a GPU replays it as CUDA Graphs.
  bool has_members = true;    ///< Compiled members keep options of their own.
};

/// From now on these are the options of an interpreted program, compiled members included.
inline void interpret(LowerOptions& options) {
  options.backend = Backend::eager;
  options.has_members = false;
}

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
  void run_parts(std::span<void* const> inputs, std::span<void* const> outputs,
                 std::span<const std::int64_t> symbols, Where where,
                 std::span<const Storage* const> kept_from) const;
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

/// Compiles `graph`; programs that are equal, lines of the user included, are shared, whatever the
/// symbols of their graphs are called. They are kept when nobody has them, without the graphs of
/// GPUs. Without a host compiler, which is said once, the program is interpreted.
Lowered lower(const Graph& graph, const LowerOptions& options);

namespace detail {
/// Under which lower() shares the program of `graph`: equal for graphs that differ in the numbers
/// of their symbols only.
CanonicalHash program_key(const Graph& graph, const LowerOptions& options);
}  // namespace detail

/// What lower() would share; null if it would compile.
std::shared_ptr<const Program> known_program(const Graph& graph, const LowerOptions& options);

/// Forgets the programs that lower() shares.
void forget_programs();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower.ipp>
#include <sinter/jit/lower_cuda.ipp>
#include <sinter/jit/lower_tuning.ipp>
#endif
