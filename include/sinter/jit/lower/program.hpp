#pragma once
// Compiled programs, programs made of partitions with their own options, and how a program runs on
// the memory of a call.

#include <atomic>   // std::atomic
#include <cstddef>  // std::size_t
#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/unique_ptr.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/source.hpp>
#include <sinter/compile/unit/module.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/backend_names.hpp>
#include <sinter/jit/lower/options.hpp>
#include <sinter/jit/tune/tuner.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/host/gpu_executable.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/trace/context/random_state.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

struct PartitionedGraph;
struct Runnable;

/// A compiled graph with canonical symbols, so that graphs that number their symbols differently
/// share it. Thread-safe.
class Program : public SharedFromThis<Program> {
 public:
  /// With a `tuner`, the first run chooses the kernel texts of later runs.
  Program(Graph graph, UniquePtr<runtime::Executable> executable, Vector<Source> sources,
          SharedPtr<Tuner> tuner = nullptr)
      : graph_(std::move(graph)),
        first_{std::move(executable), nullptr, std::move(sources)},
        tuner_(std::move(tuner)) {}
  /// The same for a GPU; without an executable it is interpreted.
  Program(Graph graph, UniquePtr<runtime::GpuExecutable> executable, Vector<Source> sources,
          Device device, SharedPtr<Tuner> tuner = nullptr)
      : graph_(std::move(graph)),
        first_{nullptr, std::move(executable), std::move(sources)},
        tuner_(std::move(tuner)),
        device_(device) {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      all_inputs_.push_back(static_cast<std::int32_t>(i));
    }
  }
  /// A program of a backend of the user.
  Program(Graph graph, SharedPtr<const CustomProgram> custom, Device device);
  /// A program that runs the partitions of `graph` one after the other.
  Program(Graph graph, SharedPtr<const PartitionedGraph> partitions, Device device);

  /// Computes the outputs, in the order of the graph. The memory of an output may be that of the
  /// input that it updates.
  ///
  /// Throws IndexError and ValueError for invalid data, and ValueError, at `where`, if there is not
  /// enough memory. Outputs that update an input are not written then.
  void run(Span<void* const> inputs, Span<void* const> outputs, Span<const std::int64_t> symbols,
           Where where = {}, Span<const Storage* const> packed_from = {}) const;
  /// The inputs whose storages run() wants as `packed_from`: see Executable. On a GPU these are
  /// all, null for numbers of the host, and those of the outputs follow: see GpuExecutable.
  Span<const std::int32_t> packed_inputs() const;
  /// Moves out its CUDA Graphs; the next run makes new ones. Not during calls.
  runtime::GpuReplays take_graphs() const;
  /// The bytes that they keep on its GPU between calls. The program has a plan for a GPU.
  std::size_t kept_bytes() const { return current().on_gpu->kept_bytes(); }

  const Graph& graph() const { return graph_; }
  /// Null if interpreted or for a GPU.
  const runtime::Executable* executable() const { return current().executable.get(); }
  /// The programs of its partitions; empty if it has none.
  Vector<const Runnable*> partitions() const;
  /// True on the eager backends; with partitions, if a fused one is interpreted.
  bool is_interpreted() const;
  /// Null on the eager backends and with partitions.
  const schedule::Plan* plan() const {
    const Build& build = current();
    return build.executable == nullptr && build.on_gpu == nullptr ? nullptr : &build.plan();
  }
  /// Where it runs. Outputs are there, and inputs except 0-d tensors of the host.
  Device device() const { return device_; }
  /// The text of each kernel of the plan.
  const Vector<Source>& sources() const { return current().sources; }

 private:
  friend class BackgroundTuning;

  const Build& current() const { return *current_.load(std::memory_order_acquire); }
  void tune(const TuningInputs& call) const;
  void tune_now(const TuningInputs& call) const;
  void interpret_for_gpu(Span<void* const> inputs, Span<void* const> outputs,
                         Span<const std::int64_t> symbols, Where where) const;
  void interpret(Span<void* const> inputs, Span<void* const> outputs,
                 Span<const std::int64_t> symbols) const;

  Graph graph_;
  SharedPtr<const PartitionedGraph> partitioned_{};
  SharedPtr<const CustomProgram> custom_{};
  Build first_{};
  mutable Build tuned_;  // written once, before calls can see it
  mutable std::atomic<const Build*> current_{&first_};
  SharedPtr<Tuner> tuner_;
  Device device_ = cpu();
  Vector<std::int32_t> all_inputs_{};  // for a GPU or with partitions
};

/// The result of lower().
struct LoweredProgram {
  SharedPtr<const Program> program{};
  Vector<std::uint32_t> symbols{};  ///< Symbols of the graph, in the order of the program.
  compiler::CompileStats work{};
};

/// The buffers of a call and their owners. Reused by later calls.
struct CallMemory {
  Vector<void*> inputs{}, outputs{};
  Vector<const Storage*> packed_from{};       ///< For Program::run().
  Vector<Storage> owned{};                    ///< Of each output; null if it is updated in place.
  std::vector<Tensor> tensors{};              ///< The results of run().
  std::vector<std::int64_t> symbols{};        ///< Sizes of the symbols of the program.
  std::int64_t random_state[2] = {0, 0};      ///< Seed and offset.
  Optional<random::Draw> draw{};              ///< Of the call in progress.
  std::int64_t allocations = 0;               ///< Outputs that got new memory.
  std::int32_t moved = -1;  ///< A leaf that got new memory, because its tensor is held elsewhere.
  Where where{};            ///< The line that errors name.
  bool is_expression = false;  ///< Outside of compiled functions.
};

/// An output of a program, as far as it is known before the call.
struct OutputInfo {
  TensorType type{};
  std::int64_t bytes = -1;         ///< -1 if it depends on the sizes of the call.
  bool is_passed_through = false;  ///< No kernel writes it: it is a copy of `source`.
  bool source_is_input = false;    ///< Otherwise `source` is another output.
  std::int32_t source = -1;
  std::int32_t updates = -1;  ///< The leaf that it may update in place.
};

/// A program, and how a graph uses it.
struct Runnable {
  SharedPtr<const Program> program{};
  Vector<OutputInfo> outputs{};
  Vector<std::uint32_t> symbols{};  ///< Symbols of the graph, in the order of the program.
};

/// Nodes that are compiled with the same options. Values are numbered: first the inputs of the
/// whole graph, then the outputs of partitions.
struct Partition {
  Graph graph{};
  LowerOptions options{};
  Vector<std::size_t> inputs{};        ///< Values that it reads.
  Vector<std::size_t> outputs{};       ///< Values that it computes.
  Runnable runnable{};                 ///< After it is lowered.
};

struct PartitionedGraph {
  Vector<Partition> list{};            ///< In topological order.
  Vector<TensorType> values{};         ///< Types, by number of the value.
  Vector<std::size_t> outputs{};       ///< The outputs of the whole graph.
};

/// `program` compiled from `graph`; `symbols` are the symbols of the graph in the order of the
/// program. `updates` says which outputs may update which leaves in place.
Runnable runnable_of(const Graph& graph, Span<const schedule::Update> updates,
                     SharedPtr<const Program> program, Vector<std::uint32_t> symbols);

/// The sizes of the program's symbols, from the sizes of the graph's symbols.
std::vector<std::int64_t> program_symbols(const Runnable& runnable,
                                          Span<const std::int64_t> symbols);

/// Runs `runnable` on `memory.inputs`. Outputs get new memory, or that of a leaf that nobody else
/// holds; `memory.owned` is null for those. Leaves are unchanged if it throws.
void run(const Runnable& runnable, Span<const guard::Leaf> leaves, Span<const std::int64_t> symbols,
         CallMemory& memory);

namespace detail {

/// A program that interprets `graph` on `device`.
LoweredProgram interpreted_program(Graph graph, Device device);
/// The autotuner for the kernels of `plan`; null unless `options` ask for one.
SharedPtr<Tuner> tuner_of(const schedule::Plan& plan, compiler::TranslationUnit& unit,
                          const LowerOptions& options, SharedPtr<const TuningTarget> target);
/// Copies memory of `device`.
void copy_memory(Device device, void* to, const void* from, std::size_t bytes);
/// The size in bytes of a tensor of `type`.
std::int64_t bytes_of(const TensorType& type, Span<const std::int64_t> symbols);
/// Gives each output new memory, or that of the leaf that it updates in place.
void allocate_outputs(const Runnable& runnable, Span<const guard::Leaf> leaves,
                      Span<const std::int64_t> symbols, CallMemory& memory);
/// Makes the result tensors of a call from the memory that it is about to write.
void make_tensors(const Runnable& runnable, Span<const std::int64_t> symbols, CallMemory& memory);
/// Runs `runnable` on the inputs and outputs of `memory`.
void execute(const Runnable& runnable, Span<const guard::Leaf> leaves,
             Span<const std::int64_t> symbols, CallMemory& memory);
/// Throws ValueError with `report`, extended by the GPU memory of the whole call and of CUDA
/// Graphs.
[[noreturn]] void throw_with_plan(const Runnable& runnable, Span<const std::int64_t> symbols,
                                  Report report);

// Releases the results unless the call succeeded.
struct ReleaseOnFailure {
  CallMemory& memory;
  bool succeeded = false;
  ~ReleaseOnFailure() {
    if (!succeeded) memory.owned.clear(), memory.tensors.clear();
  }
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/program.ipp>
#endif
