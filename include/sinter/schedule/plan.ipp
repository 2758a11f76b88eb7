#pragma once

#include <optional>  // std::optional
#include <utility>   // std::move
#include <vector>    // std::vector

#include <sinter/base/log.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/assemble.hpp>
#include <sinter/schedule/cluster.hpp>
#include <sinter/schedule/demand.hpp>
#include <sinter/schedule/explain.hpp>
#include <sinter/schedule/lower.hpp>
#include <sinter/schedule/memory.hpp>
#include <sinter/schedule/merge.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/split.hpp>
#include <sinter/schedule/survey.hpp>
#include <sinter/symbol/variables.hpp>

namespace sinter::inline SINTER_ABI::schedule {

namespace detail {

SINTER_INLINE std::string to_string(const Buffer& buffer, std::size_t id) {
  std::string result = text("b", id, ": ", buffer.dtype, "[", buffer.elements, "] ");
  if (buffer.home == Home::input) return result + text("input ", buffer.position);
  if (buffer.home == Home::output) return result + text("output ", buffer.position);
  return result + text("arena + ", buffer.offset);
}

SINTER_INLINE std::string to_string(const Plan& plan, const Launch& launch) {
  std::string result = plan.kernels[static_cast<std::size_t>(launch.kernel)].name + "(";
  for (const std::int32_t buffer : launch.buffers) {
    result += text(result.back() == '(' ? "" : ", ", "b", buffer);
  }
  if (!launch.sizes.empty()) result += text("; ", launch.sizes);
  return result + text(") reads ", launch.bytes_read, ", writes ", launch.bytes_written);
}

struct PlanCheck {
  const Plan& plan;
  std::vector<bool> written{};

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text("plan ", what, "\n", plan));
  }

  void check_launch(const Launch& launch) {
    const auto& kernel = plan.kernels.at(static_cast<std::size_t>(launch.kernel));
    require(launch.sizes.size() == kernel.symbols.size(), "lacks sizes of a kernel");
    std::size_t next = 0;
    for (const Argument& argument : kernel.arguments) {
      if (argument.access == Access::local) continue;
      require(next < launch.buffers.size(), "lacks buffers of a kernel");
      const auto id = static_cast<std::size_t>(launch.buffers[next++]);
      require(id < plan.buffers.size(), "names a buffer that is not there");
      const Buffer& buffer = plan.buffers[id];
      require(buffer.dtype == argument.dtype, "gives a kernel a buffer of another dtype");
      require(argument.access == Access::write || written[id], "reads what was not written");
      require(argument.access == Access::read || buffer.home != Home::input, "writes an input");
      if (argument.access != Access::read) written[id] = true;
    }
    require(next == launch.buffers.size(), "gives a kernel too many buffers");
  }
};

}  // namespace detail

SINTER_INLINE Plan plan(const Graph& recorded, const Options& options) {
  const std::optional<Graph> split =
      options.strict ? std::nullopt : split_reductions(recorded);  // which reassociates
  const Graph& graph = split ? *split : recorded;
  const Survey facts = survey(graph);
  Clusters clusters = cluster(graph, facts);
  Demand needs = demand(graph, facts, clusters);
  if (merge_clusters(graph, clusters, needs)) needs = demand(graph, facts, clusters);
  if (log_enabled(Log::fusion)) {
    for (const std::string& line : explain(graph, clusters, needs)) log(Log::fusion, line);
  }
  Plan result = assemble(graph, lower_all({graph, facts, clusters, needs}), options);
  place_in_arena(result);
  if (verifies()) verify(result);
  return result;
}

SINTER_INLINE std::string to_string(const Plan& plan) {
  std::string result;
  for (const Kernel& kernel : plan.kernels) result += to_string(kernel);
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    result += detail::to_string(plan.buffers[i], i) + "\n";
  }
  for (const Launch& launch : plan.launches) result += detail::to_string(plan, launch) + "\n";
  return result + text("inputs ", plan.inputs, ", outputs ", plan.outputs, ", arena ",
                       plan.arena_bytes, "\n");
}

SINTER_INLINE void verify(const Plan& plan) {
  for (const Kernel& kernel : plan.kernels) verify(kernel);
  detail::PlanCheck check{plan};
  check.written.assign(plan.buffers.size(), false);
  for (const std::int32_t input : plan.inputs) {
    check.written.at(static_cast<std::size_t>(input)) = true;
  }
  for (const Launch& launch : plan.launches) check.check_launch(launch);
  for (const std::int32_t output : plan.outputs) {
    check.require(check.written.at(static_cast<std::size_t>(output)), "does not write an output");
  }
}

}  // namespace sinter::inline SINTER_ABI::schedule
