#pragma once
// A program of a compiled function as JSON: its graphs, kernels, launches and memory.

#include <cstdint>  // std::int64_t
#include <string>   // std::string
#include <vector>   // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/debug/report/graph_facts.hpp>
#include <sinter/debug/report/json.hpp>
#include <sinter/jit/lower/program.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

/// The programs of a report, each once. Programs with partitions are followed by theirs.
class ProgramFacts {
 public:
  explicit ProgramFacts(StringTable& strings) : strings_(strings) {}

  /// The numbers of the program that `runnable` runs for `graph` with these sizes, and of its
  /// partitions.
  std::vector<std::int64_t> add(const Graph& graph, const jit::Runnable& runnable,
                                const std::vector<std::int64_t>& symbols, const GraphNames& names);
  std::string json() const { return json_values(list_); }

 private:
  struct Known {
    const jit::Program* program = nullptr;
    std::vector<std::int64_t> symbols{};
    std::vector<std::int64_t> numbers{};
  };
  void add_one(const Graph* recorded, const jit::Program& program,
               const std::vector<std::int64_t>& symbols, const GraphNames& names);

  StringTable& strings_;
  Vector<Known> known_{};
  std::vector<std::string> list_{};
};

}  // namespace sinter::inline SINTER_ABI::detail::debug

#ifdef SINTER_DEFINITIONS
#include <sinter/debug/report/program_facts.ipp>
#endif
