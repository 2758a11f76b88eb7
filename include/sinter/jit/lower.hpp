#pragma once
// From a graph to something that runs: calls every stage in its order, and verifies in between.

#include <memory>  // std::shared_ptr
#include <span>    // std::span
#include <vector>  // std::vector

#include <sinter/base/source.hpp>
#include <sinter/compile/module.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/jit/options.hpp>
#include <sinter/runtime/executable.hpp>
#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::jit {

struct LowerOptions {
  Backend backend = Backend::fused;
  Numerics numerics = Numerics::fast;
  std::vector<schedule::Update> updates{};
};

/// What a recording became. Calls may overlap.
class Program {
 public:
  Program(Graph graph, std::unique_ptr<runtime::Executable> executable, std::vector<Source> sources)
      : graph_(std::move(graph)),
        executable_(std::move(executable)),
        sources_(std::move(sources)) {}

  /// Computes the outputs, in the order of the graph, into memory that may be that of the inputs
  /// that they update.
  ///
  /// Throws IndexError and ValueError for faults in the data, and ValueError, at `where`, if there
  /// is not enough memory; no output that updates an input is written then.
  void run(std::span<void* const> inputs, std::span<void* const> outputs,
           std::span<const std::int64_t> symbols, Where where = {}) const;

  const Graph& graph() const { return graph_; }
  /// Null on the eager backends.
  const runtime::Executable* executable() const { return executable_.get(); }
  /// The text of each kernel of the plan.
  const std::vector<Source>& sources() const { return sources_; }

 private:
  void interpret(std::span<void* const> inputs, std::span<void* const> outputs,
                 std::span<const std::int64_t> symbols) const;

  Graph graph_;
  std::unique_ptr<runtime::Executable> executable_;
  std::vector<Source> sources_;
};

struct Lowered {
  std::shared_ptr<const Program> program{};
  compiler::Work work{};
};

/// Compiles `graph`; programs that are equal, lines of the user included, are shared. Without a
/// host compiler, which is said once, the program is interpreted.
Lowered lower(const Graph& graph, const LowerOptions& options);

/// What lower() would share; null if it would compile.
std::shared_ptr<const Program> known_program(const Graph& graph, const LowerOptions& options);

/// Forgets the programs that lower() shares.
void forget_programs();

/// The width of the vectors of this machine in bits: 512, 256 or 128.
int host_vector_bits();

}  // namespace sinter::inline SINTER_ABI::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower.ipp>
#endif
