#include "graphs.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <sinter/base/text.hpp>

#include "conditions.hpp"
#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using Nodes = Executable::Nodes;

constexpr int invalid_value = 1;

int run_copy(const sinter::detail::CudaCopyNode& copy) {
  for (std::size_t row = 0; row < copy.height * copy.depth; ++row) {
    const auto at = [&](const sinter::detail::CudaCopyNode::Side& side) {
      return side.x + row * (side.pitch == 0 ? copy.width : side.pitch);
    };
    const Address from = copy.from.device_address + at(copy.from);
    const Address to = copy.to.device_address + at(copy.to);
    auto* const host_to = static_cast<char*>(copy.to.host_address) + at(copy.to);
    const auto* const host_from = static_cast<char*>(copy.from.host_address) + at(copy.from);
    const bool to_host = copy.to.kind == sinter::detail::CudaCopyNode::host;
    const bool from_host = copy.from.kind == sinter::detail::CudaCopyNode::host;
    const int error = from_host && to_host ? invalid_value
                      : from_host          ? write_device(to, host_from, copy.width)
                      : to_host            ? read_device(host_to, from, copy.width)
                                           : move_device(to, from, copy.width);
    if (error != 0) return error;
  }
  return 0;
}

int run_set(const sinter::detail::CudaSetNode& set) {
  for (std::size_t row = 0; row < set.height; ++row) {
    const int error = set_device(set.to + row * set.pitch, set.value, set.element_bytes, set.width);
    if (error != 0) return error;
  }
  return 0;
}

int run_node(const Node& node, std::size_t number, int device) {
  if (node.launch != nullptr) {
    Launch one = *node.launch;
    one.within = sinter::detail::text(" (node ", number, " of a graph)");
    return run_launch(one, device);
  }
  if (node.copy) return run_copy(*node.copy);
  if (node.set) return run_set(*node.set);
  if (node.library) return node.library();
  if (node.child != nullptr) return run_nodes(copy_of(*node.child), device);
  return node.condition ? run_condition(node, device) : 0;
}

}  // namespace

// Runs the last ready node first, so that a missing dependency reads unwritten memory.
int run_nodes(const Nodes& nodes, int device) {
  std::map<void*, std::size_t> numbers;
  for (std::size_t i = 0; i < nodes.size(); ++i) numbers[nodes[i].first] = i;
  std::vector<std::size_t> open(nodes.size()), ready;
  std::vector<std::vector<std::size_t>> followers(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    open[i] = nodes[i].second.after.size();
    for (void* const before : nodes[i].second.after) followers[numbers.at(before)].push_back(i);
    if (open[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    const std::size_t i = ready.back();
    ready.pop_back();
    if (const int error = run_node(nodes[i].second, i, device); error != 0) return error;
    for (const std::size_t next : followers[i]) {
      if (--open[next] == 0) ready.push_back(next);
    }
  }
  return 0;
}

Executable::Nodes copy_of(const Graph& graph) {
  Nodes result;
  for (const auto& node : graph.nodes) {
    result.emplace_back(node.get(), *node);
    for (auto& body : result.back().second.bodies) body = clone(*body);
  }
  return result;
}

std::shared_ptr<Graph> clone(const Graph& graph) {
  auto result = std::make_shared<Graph>();
  std::map<void*, void*> now;
  for (const auto& node : graph.nodes) {
    result->nodes.push_back(std::make_unique<Node>(*node));
    now[node.get()] = result->nodes.back().get();
    for (void*& before : result->nodes.back()->after) before = now.at(before);
    for (auto& body : result->nodes.back()->bodies) body = clone(*body);
  }
  return result;
}

namespace {

constexpr int thread_local_mode = 1;
constexpr int unsupported = 900, invalidated = 901, wrong_thread = 908;

struct Capture {
  int mode = 0;
  std::thread::id thread{};
  bool is_broken = false;
};

std::map<const Stream*, Capture>& captures() {
  static std::map<const Stream*, Capture> instance;
  return instance;
}

}  // namespace

int begin_capture(Stream& stream, int mode) {
  const Device& device = *machine().devices[static_cast<std::size_t>(stream.device)];
  if (&stream == &device.default_stream) return unsupported;
  stream.capture = std::make_shared<Graph>();
  stream.last_captured.clear();
  captures()[&stream] = {mode, std::this_thread::get_id()};
  return 0;
}

int end_capture(Stream& stream, std::shared_ptr<Graph>& graph) {
  const Capture one = captures()[&stream];
  if (one.mode != sinter::detail::CudaDriver::capture_relaxed &&
      one.thread != std::this_thread::get_id()) {
    return wrong_thread;
  }
  captures().erase(&stream);
  graph = std::exchange(stream.capture, nullptr);
  return one.is_broken ? invalidated : 0;
}

void break_capture(Stream& stream, const std::string& what) {
  add_report(what + " of a stream that captures");
  captures()[&stream].is_broken = true;
}

int unsafe_call(const std::string& what) {
  int result = 0;
  for (auto& [stream, one] : captures()) {
    const bool is_own = one.thread == std::this_thread::get_id();
    if (one.mode > thread_local_mode || (one.mode == thread_local_mode && !is_own)) continue;
    add_report(what + " while a stream captures, whose mode does not allow it");
    one.is_broken = true;
    result = unsupported;
  }
  return result;
}

bool captures_elsewhere(const Stream& stream) {
  return std::any_of(captures().begin(), captures().end(), [&](const auto& one) {
    return one.first != &stream && one.second.thread == std::this_thread::get_id();
  });
}

std::size_t forget_captures() { return std::exchange(captures(), {}).size(); }

int capture(Stream& stream, Node node) {
  node.after = stream.last_captured;
  stream.capture->nodes.push_back(std::make_unique<Node>(std::move(node)));
  stream.last_captured = {stream.capture->nodes.back().get()};
  return 0;
}

}  // namespace emulator
