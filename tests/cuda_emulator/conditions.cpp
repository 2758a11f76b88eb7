// Conditional nodes: kernels set their conditions, which select the bodies that run.

#include <sinter/base/text.hpp>

#include "conditions.hpp"
#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using Handle = void*;

constexpr int invalid_value = 1, invalid_context = 201, failed_launch = 719;
constexpr int most_steps = 20'000;  // of a loop; a longer one is reported as endless

Condition* find(std::uint64_t handle) {
  const auto found = conditions().all.find(handle);
  return found == conditions().all.end() ? nullptr : &found->second;
}

// Creates a condition in the graph that will hold its node, and returns its handle.
int create_condition(std::uint64_t* handle, Handle graph, Handle context, unsigned initial,
                     unsigned flags) {
  const std::scoped_lock lock(machine().mutex);
  if (context == nullptr) return invalid_context;
  if (machine().graphs.count(graph) == 0 || flags > 1) return invalid_value;
  *handle = 1000 + conditions().all.size();
  conditions().all[*handle] = {.initial = initial, .assigns = flags == 1, .graph = graph};
  return 0;
}

bool is_well_formed(const sinter::detail::CudaConditionalNode& node) {
  const bool is_if = node.kind == sinter::detail::CudaConditionalNode::if_node;
  const bool is_while = node.kind == sinter::detail::CudaConditionalNode::while_node;
  const unsigned most = is_if && conditions().driver_version >= 12080 ? 2 : 1;
  return (is_if || is_while) && node.size >= 1 && node.size <= most;
}

int add_node(Handle* node, Handle graph, const Handle* after, std::size_t count,
             sinter::detail::CudaConditionalNode* parameters) {
  const std::scoped_lock lock(machine().mutex);
  constexpr int conditional = 13;
  Condition* const condition = find(parameters->handle);
  if (parameters->type != conditional || !is_well_formed(*parameters)) return invalid_value;
  if (parameters->context == nullptr) return invalid_context;
  if (condition == nullptr || condition->destroyed || condition->has_node) return invalid_value;
  if (condition->graph != graph) return invalid_value;
  Node one;
  one.condition = *parameters;
  const auto bodies = std::make_shared<std::vector<void*>>();
  for (unsigned i = 0; i < parameters->size; ++i) {
    one.bodies.push_back(std::make_shared<Graph>());
    one.bodies.back()->is_body = true;
    machine().graphs[one.bodies.back().get()] = one.bodies.back();
    bodies->push_back(one.bodies.back().get());
  }
  one.body_handles = bodies;
  if (const int error = add_to_graph(node, graph, after, count, std::move(one)); error != 0) {
    return error;
  }
  condition->has_node = true;
  parameters->bodies = bodies->data();
  return 0;
}

void collect(const Node& node, std::vector<std::uint64_t>& result) {
  if (node.condition) result.push_back(node.condition->handle);
  for (const auto& body : node.bodies) {
    for (const auto& inside : body->nodes) collect(*inside, result);
  }
}

int run_body(const Node& node, std::size_t number, int device) {
  return run_nodes(copy_of(*node.bodies[number]), device);
}

}  // namespace

Conditions& conditions() {
  static auto& instance = *new Conditions;
  return instance;
}

std::vector<std::uint64_t> conditions_of(const Executable::Nodes& nodes) {
  std::vector<std::uint64_t> result;
  for (const auto& [handle, node] : nodes) collect(node, result);
  return result;
}

void destroy_conditions(const std::vector<std::uint64_t>& handles) {
  for (const std::uint64_t handle : handles) {
    if (Condition* const one = find(handle)) one->destroyed = true;
  }
}

bool has_conditions(const Graph& graph) { return !conditions_of(copy_of(graph)).empty(); }

bool uses_conditions(const void* graph) {
  for (const auto& [handle, one] : conditions().all) {
    if (one.graph == graph && !one.has_node && !one.destroyed) return false;
  }
  return true;
}

std::string why_not_in_body(const Node& node) {
  if (node.library) return "a body holds no call of the host";
  if (!node.copy) return "";
  const auto is_pageable = [](const sinter::detail::CudaCopyNode::Side& side) {
    const auto address = reinterpret_cast<std::uintptr_t>(side.host_address);
    return side.kind == sinter::detail::CudaCopyNode::host && !machine().host.holds(address, 1);
  };
  const bool pageable = is_pageable(node.copy->from) || is_pageable(node.copy->to);
  return pageable ? "a body copies no memory of the host that may be paged" : "";
}

void set_condition(unsigned long long handle, unsigned value, const void* frame) {
  Condition* const one = find(handle);
  const char* const wrong = one == nullptr   ? "which does not exist"
                            : one->destroyed ? "whose graph was destroyed"
                            : conditions().settable.count(handle) == 0
                                ? "which is of another graph than runs"
                                : nullptr;
  if (wrong != nullptr) {
    return running()->report("condition",
                             sinter::detail::text("sets condition ", handle, ", ", wrong), frame);
  }
  one->value = value;
}

int run_condition(const Node& node, int device) {
  const std::uint64_t handle = node.condition->handle;
  const Condition& condition = conditions().all[handle];
  if (!condition.value) {
    add_report(sinter::detail::text("condition ", handle, " is read, which nobody has set"));
    return failed_launch;
  }
  if (node.condition->kind == sinter::detail::CudaConditionalNode::while_node) {
    for (int step = 0; *condition.value != 0; ++step) {
      if (const int error = run_body(node, 0, device); error != 0) return error;
      if (step < most_steps) continue;
      add_report(sinter::detail::text("the loop of condition ", handle, " does not end"));
      return failed_launch;
    }
    return 0;
  }
  if (*condition.value != 0) return run_body(node, 0, device);
  return node.bodies.size() > 1 ? run_body(node, 1, device) : 0;
}

int run_graph(const Executable::Nodes& nodes, int device) {
  for (const std::uint64_t handle : conditions_of(nodes)) {
    Condition& one = conditions().all[handle];
    if (one.assigns) one.value = one.initial;
    conditions().settable.insert(handle);
  }
  const int error = run_nodes(nodes, device);
  conditions().settable.clear();
  return error;
}

void fill_conditions(sinter::detail::CudaDriver& table) {
  table.create_condition = create_condition;
  table.add_node = add_node;
}

}  // namespace emulator
