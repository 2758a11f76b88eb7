// The graph functions of the driver.

#include <algorithm>
#include <map>

#include "conditions.hpp"
#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using Handle = void*;

constexpr int invalid_value = 1, invalid_context = 201, invalid_handle = 400;
constexpr int update_failure = 910;

template <class Map>
auto find(const Map& map, Handle handle) -> typename Map::mapped_type {
  const auto found = map.find(handle);
  return found == map.end() ? nullptr : found->second;
}

// Bodies are destroyed with the graph that holds them.
void forget_bodies(const Graph& graph) {
  for (const auto& node : graph.nodes) {
    for (const auto& body : node->bodies) {
      forget_bodies(*body);
      machine().graphs.erase(body.get());
    }
  }
}

int create_graph(Handle* graph, unsigned) {
  const std::scoped_lock lock(machine().mutex);
  auto one = std::make_shared<Graph>();
  *graph = one.get();
  machine().graphs[one.get()] = std::move(one);
  return 0;
}

int destroy_graph(Handle graph) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Graph> one = find(machine().graphs, graph);
  if (one == nullptr || one->is_body) return invalid_handle;
  forget_bodies(*one);
  return machine().graphs.erase(graph) == 1 ? 0 : invalid_handle;
}

int add_kernel_node(Handle* node, Handle graph, const Handle* after, std::size_t count,
                    const sinter::detail::CudaKernelNode* parameters) {
  const std::scoped_lock lock(machine().mutex);
  Node one;
  one.launch = std::make_shared<Launch>();
  if (const int error = make_launch(*parameters, *one.launch); error != 0) return error;
  return add_to_graph(node, graph, after, count, std::move(one));
}

int add_copy_node(Handle* node, Handle graph, const Handle* after, std::size_t count,
                  const sinter::detail::CudaCopyNode* parameters, Handle context) {
  const std::scoped_lock lock(machine().mutex);
  Node one;
  one.copy = *parameters;
  return context == nullptr ? invalid_context
                            : add_to_graph(node, graph, after, count, std::move(one));
}

int add_set_node(Handle* node, Handle graph, const Handle* after, std::size_t count,
                 const sinter::detail::CudaSetNode* parameters, Handle context) {
  const std::scoped_lock lock(machine().mutex);
  Node one;
  one.set = *parameters;
  return context == nullptr ? invalid_context
                            : add_to_graph(node, graph, after, count, std::move(one));
}

int add_child_node(Handle* node, Handle graph, const Handle* after, std::size_t count,
                   Handle child) {
  const std::scoped_lock lock(machine().mutex);
  Node one;
  const std::shared_ptr<Graph> original = find(machine().graphs, child);
  if (original == nullptr) return invalid_handle;
  if (has_conditions(*original)) return invalid_value;
  one.child = clone(*original);
  return add_to_graph(node, graph, after, count, std::move(one));
}

std::string kind_of(const Node& node) {
  if (node.launch != nullptr) return "kernel";
  if (node.set) return "set";
  if (node.library) return node.library_name.empty() ? "product" : node.library_name;
  const bool is_child = node.child != nullptr && !node.child->nodes.empty();
  return is_child ? kind_of(*node.child->nodes.back()) : "other";
}

std::vector<GraphNode> described(const Graph& graph) {
  std::map<const void*, std::size_t> numbers;
  std::vector<GraphNode> result;
  for (const auto& node : graph.nodes) {
    numbers[node.get()] = result.size();
    result.push_back({kind_of(*node)});
    for (const void* const before : node->after) result.back().after.push_back(numbers.at(before));
  }
  return result;
}

int instantiate_graph(Handle* executable, Handle graph, unsigned long long) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Graph> original = find(machine().graphs, graph);
  if (original == nullptr || original->is_body) return invalid_handle;
  if (!uses_conditions(graph)) return invalid_value;
  auto one = std::make_shared<Executable>();
  one->nodes = std::make_shared<const Executable::Nodes>(copy_of(*original));
  machine().last_graph = described(*original);
  *executable = one.get();
  machine().executables[one.get()] = std::move(one);
  return 0;
}

int destroy_executable(Handle executable) {
  const std::scoped_lock lock(machine().mutex);
  if (const auto one = find(machine().executables, executable)) {
    destroy_conditions(conditions_of(*one->nodes));
  }
  return machine().executables.erase(executable) == 1 ? 0 : invalid_handle;
}

int launch_graph(Handle executable, Handle stream_handle) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(stream_handle);
  const std::shared_ptr<Executable> one = find(machine().executables, executable);
  if (stream == nullptr || one == nullptr) return invalid_handle;
  Device& device = *machine().devices[static_cast<std::size_t>(stream->device)];
  if (device.error != 0) return device.error;
  ++machine().graph_launches;
  enqueue(*stream, [nodes = one->nodes, at = stream->device] { return run_graph(*nodes, at); });
  return device.error;
}

// Pending launches keep the nodes as they were at the launch.
template <class Change>
int change(Handle executable, Handle node, Change change_node) {
  const std::shared_ptr<Executable> one = find(machine().executables, executable);
  if (one == nullptr) return invalid_handle;
  auto nodes = std::make_shared<Executable::Nodes>(*one->nodes);
  for (auto& [handle, copy] : *nodes) {
    if (handle != node) continue;
    const int error = change_node(copy);
    if (error == 0) one->nodes = std::move(nodes);
    return error;
  }
  return invalid_value;
}

int set_kernel_node(Handle executable, Handle node,
                    const sinter::detail::CudaKernelNode* parameters) {
  const std::scoped_lock lock(machine().mutex);
  return change(executable, node, [&](Node& one) {
    if (one.launch == nullptr) return invalid_value;
    auto launch = std::make_shared<Launch>();
    const int error = make_launch(*parameters, *launch);
    one.launch = std::move(launch);
    return error;
  });
}

int set_copy_node(Handle executable, Handle node, const sinter::detail::CudaCopyNode* parameters,
                  Handle) {
  const std::scoped_lock lock(machine().mutex);
  return change(executable, node, [&](Node& one) {
    if (!one.copy) return invalid_value;
    one.copy = *parameters;
    return 0;
  });
}

int set_set_node(Handle executable, Handle node, const sinter::detail::CudaSetNode* parameters,
                 Handle) {
  const std::scoped_lock lock(machine().mutex);
  return change(executable, node, [&](Node& one) {
    if (!one.set) return invalid_value;
    one.set = *parameters;
    return 0;
  });
}

// Compares what the driver compares when a child graph is replaced: everything but kernels,
// addresses and values.
bool are_alike(const Graph& a, const Graph& b) {
  const auto kind_of = [](const Node& one) {
    return one.launch != nullptr || one.library ? 0
           : one.copy                           ? 1
           : one.set                            ? 2
           : one.child != nullptr               ? 3
           : one.condition                      ? 4
                                                : 5;
  };
  return std::equal(a.nodes.begin(), a.nodes.end(), b.nodes.begin(), b.nodes.end(),
                    [&](const auto& one, const auto& other) {
                      return kind_of(*one) == kind_of(*other) &&
                             one->after.size() == other->after.size();
                    });
}

int set_child_node(Handle executable, Handle node, Handle child) {
  const std::scoped_lock lock(machine().mutex);
  const std::shared_ptr<Graph> graph = find(machine().graphs, child);
  if (graph == nullptr) return invalid_handle;
  return change(executable, node, [&](Node& one) {
    if (one.child == nullptr || !are_alike(*one.child, *graph)) return update_failure;
    one.child = clone(*graph);
    return 0;
  });
}

int begin_stream_capture(Handle handle, int mode) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr || stream->capture != nullptr) return invalid_handle;
  return begin_capture(*stream, mode);
}

int end_stream_capture(Handle handle, Handle* graph) {
  const std::scoped_lock lock(machine().mutex);
  Stream* const stream = stream_of(handle);
  if (stream == nullptr || stream->capture == nullptr) return invalid_handle;
  std::shared_ptr<Graph> one;
  *graph = nullptr;
  if (const int error = end_capture(*stream, one); error != 0) return error;
  *graph = one.get();
  machine().graphs[one.get()] = std::move(one);
  return 0;
}

}  // namespace

int add_to_graph(void** result, void* graph_handle, void* const* after, std::size_t count,
                 Node node) {
  const std::shared_ptr<Graph> graph = find(machine().graphs, graph_handle);
  if (graph == nullptr) return invalid_handle;
  node.after.assign(after, after + count);
  for (void* const one : node.after) {
    const bool there = std::any_of(graph->nodes.begin(), graph->nodes.end(),
                                   [&](const auto& other) { return other.get() == one; });
    if (!there) return invalid_value;
  }
  if (graph->is_body) {
    if (const std::string reason = why_not_in_body(node); !reason.empty()) {
      add_report("refused node: " + reason);
      return invalid_value;
    }
  }
  graph->nodes.push_back(std::make_unique<Node>(std::move(node)));
  *result = graph->nodes.back().get();
  return 0;
}

void fill_graphs(sinter::detail::CudaDriver& table) {
  table.create_graph = create_graph;
  table.destroy_graph = destroy_graph;
  table.add_kernel_node = add_kernel_node;
  table.add_copy_node = add_copy_node;
  table.add_set_node = add_set_node;
  table.add_child_node = add_child_node;
  table.instantiate_graph = instantiate_graph;
  table.destroy_executable = destroy_executable;
  table.launch_graph = launch_graph;
  table.set_kernel_node = set_kernel_node;
  table.set_copy_node = set_copy_node;
  table.set_set_node = set_set_node;
  table.set_child_node = set_child_node;
  table.begin_capture = begin_stream_capture;
  table.end_capture = end_stream_capture;
  fill_conditions(table);
}

}  // namespace emulator
