#pragma once
// Graphs of the driver's table.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sinter/device/cuda/query.hpp>

#include "launch.hpp"

namespace emulator {

struct Graph;

/// One of launch, copy, set, child, condition and library, which runs a product; or nothing, an
/// empty node.
struct Node {
  std::shared_ptr<Launch> launch{};
  std::optional<sinter::detail::CudaCopyNode> copy{};
  std::optional<sinter::detail::CudaSetNode> set{};
  std::shared_ptr<Graph> child{};
  std::optional<sinter::detail::CudaConditionalNode> condition{};
  std::vector<std::shared_ptr<Graph>> bodies{};
  std::shared_ptr<std::vector<void*>> body_handles{};
  std::vector<void*> after{};
  std::function<int()> library{};
};

struct Stream;

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes{};
  bool is_body = false;  ///< Of a conditional node, which holds not every kind of node.
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
int begin_capture(Stream& stream, int mode);
int end_capture(Stream& stream, std::shared_ptr<Graph>& graph);
/// Adds a node to what the stream captures.
int capture(Stream& stream, Node node);
/// What a stream may not meet while it captures: said, and its capture fails.
void break_capture(Stream& stream, const std::string& what);
/// What may not happen while a stream captures, unless its mode is relaxed: 0 if there is none
/// such.
int unsafe_call(const std::string& what);
/// Whether a stream other than this one captures what this thread does.
bool captures_elsewhere(const Stream& stream);
/// How many captures nobody has ended; forgets them.
std::size_t forget_captures();

}  // namespace emulator
