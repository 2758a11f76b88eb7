#pragma once
// Graphs of the driver's table.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include <sinter/device/cuda.hpp>

#include "launch.hpp"

namespace emulator {

struct Graph;

/// One of launch, copy, set, child, condition and library, which runs a product; or nothing, an
/// empty node.
struct Node {
  std::shared_ptr<Launch> launch{};
  std::optional<sinter::CudaCopyNode> copy{};
  std::optional<sinter::CudaSetNode> set{};
  std::shared_ptr<Graph> child{};
  std::optional<sinter::CudaConditionalNode> condition{};
  std::vector<std::shared_ptr<Graph>> bodies{};
  std::shared_ptr<std::vector<void*>> body_handles{};
  std::vector<void*> after{};
  std::function<int()> library{};
};

struct Stream;

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes{};
};

/// A graph that can be launched: the nodes as they were, by their handles.
struct Executable {
  using Nodes = std::vector<std::pair<void*, Node>>;
  std::shared_ptr<const Nodes> nodes{};
};

Executable::Nodes copy_of(const Graph& graph);
/// Runs the nodes in an order that their dependencies allow.
int run_nodes(const Executable::Nodes& nodes, int device);
std::shared_ptr<Graph> clone(const Graph& graph);
/// Adds a node to what the stream captures.
int capture(Stream& stream, Node node);

}  // namespace emulator
