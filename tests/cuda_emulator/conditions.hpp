#pragma once
// Conditions of graphs: kernels set them, and conditional nodes read them.

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <sinter/device/cuda/nvjitlink.hpp>

#include "graphs.hpp"

namespace emulator {

/// The state of one condition.
struct Condition {
  unsigned initial = 0;
  bool assigns = false;  ///< Each launch of its graph resets it to that value.
  void* graph = nullptr;
  bool has_node = false, destroyed = false;
  std::optional<unsigned> value{};
};

struct Conditions {
  std::map<std::uint64_t, Condition> all{};
  std::set<std::uint64_t> settable{};  ///< Conditions of the graph that is running.
  int driver_version = 13000;          ///< Before 12080 conditional nodes have no `else`.
  std::size_t links = 0;               ///< Linked programs that may set conditions.
};

Conditions& conditions();

/// Runs the nodes of a launched graph.
int run_graph(const Executable::Nodes& nodes, int device);
int run_condition(const Node& node, int device);
/// The handles of all conditional nodes, including those in bodies.
std::vector<std::uint64_t> conditions_of(const Executable::Nodes& nodes);
void destroy_conditions(const std::vector<std::uint64_t>& handles);
bool has_conditions(const Graph& graph);
/// True if every condition of a graph has a node.
bool uses_conditions(const void* graph);
/// Why a body cannot hold this kind of node; "" if it can.
std::string why_not_in_body(const Node& node);
/// Adds a conditional node: the status of the driver; `result` is the handle of the node.
int add_to_graph(void** result, void* graph, void* const* after, std::size_t count, Node node);
void fill_conditions(sinter::detail::CudaDriver& table);
const sinter::detail::NvJitLink& nvjitlink_table();

}  // namespace emulator
