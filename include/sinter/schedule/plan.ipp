#pragma once

#include <algorithm>  // std::any_of, std::find
#include <optional>   // std::optional
#include <utility>    // std::move
#include <vector>     // std::vector

#include <sinter/base/log.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/add_in_order.hpp>
#include <sinter/schedule/assemble.hpp>
#include <sinter/schedule/choose.hpp>
#include <sinter/schedule/control.hpp>
#include <sinter/schedule/draft.hpp>
#include <sinter/schedule/explain.hpp>
#include <sinter/schedule/finish.hpp>
#include <sinter/schedule/memory.hpp>
#include <sinter/schedule/output_memory.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/schedule/split.hpp>
#include <sinter/schedule/split_products.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct PlanCheck {
  const Plan& plan;
  const Kernels& kernels;
  std::vector<bool> written{};
  std::vector<std::size_t> writing{};  // by the kernels that run together

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text("plan ", what, "\n", to_string(plan, kernels)));
  }

  void check_launch(const Launch& launch) {
    if (launch.control >= 0) return check_control(launch);
    std::size_t buffers = 0, sizes = 0;
    for_each_entry(launch, [&](const Entry& entry, std::size_t buffer, std::size_t size) {
      if (entry.turn == Turn::after) publish();
      check_entry(launch, entry, buffer);
      buffers = buffer + static_cast<std::size_t>(entry.buffers);
      sizes = size + static_cast<std::size_t>(entry.sizes);
    });
    publish();
    require(buffers == launch.buffers.size(), "gives a kernel too many buffers");
    require(sizes == launch.sizes.size(), "has sizes that no kernel asks for");
  }

  void check_entry(const Launch& launch, const Entry& entry, std::size_t next) {
    const auto& kernel = kernels.at(static_cast<std::size_t>(entry.kernel));
    const std::size_t end = next + static_cast<std::size_t>(entry.buffers);
    std::size_t sizes = kernel.symbols.size();
    check_arguments(launch, kernel, next);
    check_parts(launch, kernel, entry);
    const bool shared = !launch.entries.empty() && entry.turn == Turn::together;
    if (!shared || !kernel.finish.empty()) publish();
    require(kernel.finish.empty() || !shared || is_alone(launch), "finishes one kernel of several");
    for (const Kernel& last : kernel.finish) {
      check_arguments(launch, last, next);
      publish();
      sizes += last.symbols.size();
    }
    require(static_cast<std::size_t>(entry.sizes) == sizes, "lacks sizes of a kernel");
    require(next == end, "gives a kernel other buffers than it asks for");
  }

  void check_parts(const Launch& launch, const Kernel& kernel, const Entry& entry) const {
    if (kernel.parts == 0) return;
    const std::size_t count = launch.entries.size();
    require(count > 0 && count <= static_cast<std::size_t>(kernel.parts),
            "gives a kernel more parts than it has room for");
    require(entry.kernel == launch.kernel, "runs another kernel as a part of one");
  }

  // Whether no other kernel runs together with the last one of `launch`.
  static bool is_alone(const Launch& launch) {
    const std::size_t count = launch.entries.size();
    return count < 2 || launch.entries[count - 2].turn == Turn::before;
  }

  // What kernels that run together write is not for each other.
  void publish() {
    for (const std::size_t id : writing) written[id] = true;
    writing.clear();
  }

  void check_arguments(const Launch& launch, const Kernel& kernel, std::size_t& next) {
    for (const Argument& argument : kernel.arguments) {
      if (argument.access == Access::local) continue;
      require(next < launch.buffers.size(), "lacks buffers of a kernel");
      const auto id = static_cast<std::size_t>(launch.buffers[next++]);
      require(id < plan.buffers.size(), "names a buffer that is not there");
      const Buffer& buffer = plan.buffers[id];
      require(buffer.dtype == argument.dtype, "gives a kernel a buffer of another dtype");
      const auto position = static_cast<std::int32_t>(&argument - kernel.arguments.data());
      require(written[id] || stores_first(kernel, position), "reads what was not written");
      require(argument.access == Access::read || buffer.home != Home::input, "writes an input");
      if (argument.access != Access::read) writing.push_back(id);
    }
  }

  void check_control(const Launch& launch) {
    const Control& control = plan.controls.at(static_cast<std::size_t>(launch.control));
    const auto inputs = static_cast<std::size_t>(control.inputs);
    const auto results = static_cast<std::size_t>(control.results);
    require(inputs + results <= launch.buffers.size(), "lacks buffers of control flow");
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const auto id = static_cast<std::size_t>(launch.buffers[i]);
      require(id < plan.buffers.size(), "names a buffer that is not there");
      require(i >= inputs || written[id], "gives control flow what was not written");
      require(i < inputs || plan.buffers[id].home != Home::input, "writes an input");
      if (i >= inputs) written[id] = true;
    }
    for (const std::int32_t body : control.bodies) {
      require(static_cast<std::size_t>(body) < plan.bodies.size(), "lacks a body");
    }
  }

  // Of a body: each output is memory that nothing else is.
  void check_outputs(bool owns_outputs) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const auto id = static_cast<std::size_t>(plan.outputs[i]);
      require(written.at(id), "does not write an output");
      const Buffer& buffer = plan.buffers[id];
      const bool own =
          buffer.home == Home::output && buffer.position == static_cast<std::int32_t>(i);
      require(own || !owns_outputs, "of a body shares the memory of an output");
    }
  }
};

SINTER_INLINE void check(const Plan& plan, const Kernels& kernels, bool is_body) {
  PlanCheck check{plan, kernels};
  check.written.assign(plan.buffers.size(), false);
  for (const std::int32_t input : plan.inputs) {
    check.written.at(static_cast<std::size_t>(input)) = true;
  }
  for (const Update& update : plan.begun) {
    const auto output =
        static_cast<std::size_t>(plan.outputs.at(static_cast<std::size_t>(update.output)));
    check.written.at(output) = true;
  }
  for (const Launch& launch : plan.launches) check.check_launch(launch);
  check.check_outputs(is_body);
  for (const Plan& body : plan.bodies) detail::check(body, kernels, true);
}

// `recorded` with scatters as elementwise operations and reductions in parts, where that is known
// to be the same; nothing where nothing changes. `alone`: see reduce_beside_rows().
SINTER_INLINE std::optional<Graph> divided(const Graph& recorded, const Options& options,
                                           const std::vector<bool>& alone = {}) {
  std::optional<Graph> split = add_in_order(recorded);
  if (auto again = choose_additions(split ? *split : recorded)) split = std::move(again);
  if (!options.strict && options.host) {
    if (auto again = reduce_in_chunks(split ? *split : recorded)) split = std::move(again);
  }
  if (!options.strict && options.gpu) {
    if (auto again = reduce_beside_rows(split ? *split : recorded, alone)) split = std::move(again);
  }
  if (!options.strict) {  // both reassociate
    const bool blocks = options.host && options.blocks;
    const Graph& whole = split ? *split : recorded;
    if (auto again = split_reductions(whole, blocks, options.gpu)) split = std::move(again);
    if (options.gpu) {
      if (auto again = split_products(split ? *split : recorded)) split = std::move(again);
    }
  }
  return split;
}

}  // namespace detail

SINTER_INLINE Plan plan_kernels(const Graph& recorded, const Options& options) {
  std::optional<Graph> split = detail::divided(recorded, options);
  auto draft = draft_of(split ? *split : recorded, options);
  const std::vector<bool> alone = alone_beside_rows(*draft);
  if (std::find(alone.begin(), alone.end(), true) != alone.end()) {
    draft.reset();
    split = detail::divided(recorded, options, alone);
    draft = draft_of(split ? *split : recorded, options);
  }
  const bool logs = log_enabled(Log::fusion);
  if (logs) {
    const std::vector<Lowered>* lowered = options.blocks ? &draft->apart : nullptr;
    for (const std::string& line : explain(draft->fusion, draft->kernels, lowered)) {
      log(Log::fusion, line);
    }
  }
  const std::size_t count = draft->kernels.size();
  Plan result = assemble(draft->graph, std::move(draft->kernels), options);
  if (options.host) attach_finishes(result, options);
  const std::size_t launches = kernel_launches(result).size();
  if (logs && launches != count) {
    log(Log::fusion, text(count, " kernels in ", launches, " launches: what stats() counts"));
  }
  return result;
}

SINTER_INLINE Plan plan(const Graph& graph, const Options& options) {
  Options whole = options;
  whole.begins = options.host || options.gpu;
  Plan result = has_control(graph) ? plan_control(graph, options) : plan_kernels(graph, whole);
  if (options.host) use_output_memory(result, options.updates);
  place_in_arena(
      result, options.host ? std::span<const Kernel>(result.kernels) : std::span<const Kernel>());
  if (verifies()) verify(result);
  return result;
}

SINTER_INLINE std::vector<const Launch*> kernel_launches(const Plan& plan) {
  std::vector<const Launch*> result;
  for (const Launch& launch : plan.launches) {
    if (launch.control < 0) result.push_back(&launch);
  }
  for (const Plan& body : plan.bodies) {
    const auto inner = kernel_launches(body);
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

SINTER_INLINE std::vector<std::int32_t> kernels_of(const Launch& launch) {
  std::vector<std::int32_t> result;
  for_each_entry(launch, [&](const Entry& entry, std::size_t, std::size_t) {
    const bool known = std::find(result.begin(), result.end(), entry.kernel) != result.end();
    if (!known) result.push_back(entry.kernel);
  });
  return result;
}

SINTER_INLINE void verify(const Plan& plan) {
  for (const Kernel& kernel : plan.kernels) verify(kernel);
  detail::check(plan, plan.kernels, false);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
