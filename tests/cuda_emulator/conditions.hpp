#pragma once
// The conditions of graphs: what kernels set, and what conditional nodes read.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sinter/device/cuda/nvjitlink.hpp>

#include "graphs.hpp"

namespace emulator {

/// What a kernel sets and a conditional node reads.
struct Condition {
  unsigned initial = 0;
  bool assigns = false;  ///< Whether each launch of its graph begins with that.
  void* graph = nullptr;
  bool has_node = false, destroyed = false;
  std::optional<unsigned> value{};
};

struct Conditions {
  std::map<std::uint64_t, Condition> all{};
  std::set<std::uint64_t> settable{};  ///< Of the graph that runs.
  int driver_version = 13000;          ///< Before 12080 there is no `else`.
  std::size_t links = 0;               ///< Programs that may set them.
};

Conditions& conditions();

/// Runs the nodes of a graph that was launched.
int run_graph(const Executable::Nodes& nodes, int device);
int run_condition(const Node& node, int device);
/// The handles that conditional nodes have, inside of bodies too.
std::vector<std::uint64_t> conditions_of(const Executable::Nodes& nodes);
void destroy_conditions(const std::vector<std::uint64_t>& handles);
bool has_conditions(const Graph& graph);
/// Whether all conditions of a graph have a node.
bool uses_conditions(const void* graph);
/// Why a body cannot hold such a node; empty if it can.
std::string why_not_in_body(const Node& node);
/// What the driver gives for a node that is added; `result` is its handle.
int add_to_graph(void** result, void* graph, void* const* after, std::size_t count, Node node);
void fill_conditions(sinter::detail::CudaDriver& table);
const sinter::detail::NvJitLink& nvjitlink_table();

}  // namespace emulator
