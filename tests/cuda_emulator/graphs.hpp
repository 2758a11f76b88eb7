#pragma once
// Graphs: nodes, dependencies and stream capture.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sinter/device/cuda/query.hpp>

#include "launch.hpp"

namespace emulator {

struct Graph;

/// A node: one of launch, copy, set, child, condition and library (a product), or none of them (an
/// empty node).
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
  std::string library_name{};  ///< "NCCL"; empty for a product.
};

struct Stream;

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes{};
  bool is_body = false;  ///< The body of a conditional node, which may not hold every kind of node.
};

/// An instantiated graph: copies of the nodes, by handle.
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
/// Adds a node to the capture of the stream.
int capture(Stream& stream, Node node);
/// Reports an operation that is illegal during capture, and invalidates the capture.
void break_capture(Stream& stream, const std::string& what);
/// Reports a call that is unsafe while a stream captures, unless its mode is relaxed; 0 if none
/// captures.
int unsafe_call(const std::string& what);
/// True if a stream other than this one captures the work of this thread.
bool captures_elsewhere(const Stream& stream);
/// The number of captures that were not ended; forgets them.
std::size_t forget_captures();

}  // namespace emulator
