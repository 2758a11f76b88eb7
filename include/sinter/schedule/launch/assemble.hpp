#pragma once
// Assembles a plan from kernels: their launch order, batched launches, and the buffers of their
// nodes.

#include <utility>  // std::move
#include <vector>   // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/analysis/statistics.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/batched.hpp>
#include <sinter/schedule/launch/order.hpp>
#include <sinter/schedule/launch/sparse_updates.hpp>
#include <sinter/schedule/loop/factor.hpp>
#include <sinter/schedule/loop/nest.hpp>
#include <sinter/schedule/loop/split_grid.hpp>
#include <sinter/schedule/loop/vectorize.hpp>
#include <sinter/schedule/lower/dependences.hpp>
#include <sinter/schedule/lower/kernel_name.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/symbol/extent/interval.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Finishes `lowered` for codegen: its loops, its vectors, its name. Returns its launch without
/// buffers, which does not name the kernel yet.
inline Launch finish(LoweredKernel& lowered, const Target& target) {
  Kernel& kernel = lowered.kernel;
  Launch launch;
  launch.is_checked = lowered.is_checked;
  measure(kernel, launch);
  order_grid(kernel);
  if (!lowered.is_product) factor_loops(kernel, target.loops);
  // Lanes of a GPU are threads, which store each element once, side by side.
  if (!target.threads_share_rows) split_phases(kernel, target.loops);
  fuse_loops(kernel);
  split_grid(kernel, lowered.chunks, target.fuses_unknown_loops);
  if (!target.threads_share_rows) {
    narrow_positions(kernel);
    interleave_columns(kernel, target.loops);
  }
  vectorize(kernel, lowered.is_product, target.loops);
  kernel.name = name_of(kernel, lowered.is_product);
  launch.sizes = rename_variables(kernel);
  return launch;
}

namespace detail {

struct Assembler {
  const Graph& graph;
  const Options& options;
  Plan plan{};
  Vector<LoweredKernel> kernels{};
  HashMap<NodeId, std::int32_t> buffers{};  // of nodes, and of copies of nodes
  KernelList distinct{};
  HashMap<NodeId, NodeId> copies{};     // the node that stands for the copy of each
  Vector<NodeId> originals{};           // of the copies, which are numbered after all nodes
  Vector<NodeUpdate> sparse_updates{};  // outputs that are written only where they change

  std::int32_t add_buffer(NodeId node, const TensorType& type, Home home, std::int32_t position) {
    plan.buffers.push_back({type.dtype, numel(type.shape), home, position});
    const auto id = static_cast<std::int32_t>(plan.buffers.size()) - 1;
    buffers.emplace(node, id);
    return id;
  }

  const TensorType& type(NodeId node) const {
    const std::size_t count = graph.nodes.size();
    return graph[node < count ? node : originals[node - count]].results[0];
  }

  LoweredKernel copy(NodeId node) {
    const auto made = static_cast<NodeId>(graph.nodes.size() + originals.size());
    originals.push_back(node < graph.nodes.size() ? node : originals[node - graph.nodes.size()]);
    copies.emplace(node, made);
    return lower_copy(node, made, type(node));
  }

  // The node that has the elements of output `i` after all kernels have run.
  NodeId output_node(std::size_t i) const {
    NodeId node = stored_node(graph, graph.outputs[i]);
    for (auto copy = copies.find(node); copy != copies.end(); copy = copies.find(node)) {
      node = copy->second;
    }
    return node;
  }

  Vector<NodeId> output_nodes() const {
    Vector<NodeId> result;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) result.push_back(output_node(i));
    return result;
  }

  // Whether an output is the old value of `input`, which another output updates.
  bool is_overwritten(NodeId input) const {
    return any_of(options.updates, [&](const Update& update) {
      return graph.inputs[update.input] == input &&
             stored_node(graph, graph.outputs[update.output]) != input;
    });
  }

  void copy_overwritten() {
    for (Value output : graph.outputs) {
      const NodeId node = stored_node(graph, output);
      const bool copied = graph[node].op == Op::input && copies.count(node) == 0;
      if (copied && is_overwritten(node)) kernels.push_back(copy(node));
    }
  }

  Vector<NodeUpdate> node_updates() const {
    Vector<NodeUpdate> result;
    for (const Update& update : options.updates) {
      const NodeId input = graph.inputs[update.input];
      result.push_back({input, output_node(static_cast<std::size_t>(update.output))});
    }
    return result;
  }

  // Updates that may be sparse: the output is returned only once.
  Vector<NodeUpdate> sparse_update_candidates() const {
    Vector<NodeUpdate> result;
    if (!options.target.sparse_updates || options.is_section) return result;
    HashMap<NodeId, int> counts;
    for (const NodeId output : output_nodes()) ++counts[output];
    for (const NodeUpdate& update : node_updates()) {
      if (counts[update.output] == 1) result.push_back(update);
    }
    return result;
  }

  // Writes updates in place where a launch order exists in which the old value is not read
  // afterwards.
  LaunchOrder find_order() {
    Vector<SparseUpdate> changes = find_sparse_updates(kernels, sparse_update_candidates());
    while (true) {
      Vector<LoweredKernel> changed;
      if (!changes.empty()) changed = with_sparse_updates(kernels, changes);
      const Vector<LoweredKernel>& list = changes.empty() ? kernels : changed;
      LaunchLimits limits = options.target.launches;
      if (options.saves_memory) limits.fewest_freed_bytes = 1;
      LaunchOrder result =
          schedule::find_launch_order(list, node_updates(), output_nodes(), limits);
      const auto fails = [&](const SparseUpdate& change) {
        const auto& copied = result.copied;
        return contains(copied, change.update.output);
      };
      if (erase_if(changes, fails) > 0) continue;
      if (!changes.empty()) kernels = std::move(changed);
      for (const SparseUpdate& change : changes) sparse_updates.push_back(change.update);
      return result;
    }
  }

  void add_sparse_updates() {
    for (const NodeUpdate& update : sparse_updates) {
      const auto input = find(graph.inputs, update.input);
      plan.sparse_updates.push_back({static_cast<std::int32_t>(input - graph.inputs.begin()),
                                     plan.buffers[buffers.at(update.output)].position});
    }
  }

  // Appends the copies of updates, which run last.
  void copy_updates(LaunchOrder& order) {
    for (const NodeId node : order.copied) {
      order.kernels.push_back(kernels.size());
      kernels.push_back(copy(node));
    }
  }

  void add_inputs() {
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const NodeId node = graph.inputs[i];
      plan.inputs.push_back(
          add_buffer(node, type(node), Home::input, static_cast<std::int32_t>(i)));
    }
  }

  void add_outputs() {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const NodeId node = output_node(i);
      const auto found = buffers.find(node);
      plan.outputs.push_back(found != buffers.end() ? found->second
                                                    : add_buffer(node, type(node), Home::output,
                                                                 static_cast<std::int32_t>(i)));
    }
  }

  std::int32_t buffer_of(NodeId node) {
    const auto found = buffers.find(node);
    return found != buffers.end() ? found->second : add_buffer(node, type(node), Home::arena, -1);
  }

  void add_launch(Launch launch, const Kernel& kernel) {
    launch.kernel = distinct.add(kernel);
    plan.launches.push_back(std::move(launch));
  }

  // Outputs that no kernel reads. Updates of inputs are left out: they are written to memory that
  // was just read, so it is in the caches.
  SortedSet<NodeId> outputs_never_read() const {
    const Vector<NodeId> outputs = output_nodes();
    SortedSet<NodeId> result(outputs.begin(), outputs.end());
    for (const NodeUpdate& update : node_updates()) result.erase(update.output);
    for (const LoweredKernel& lowered : kernels) {
      for_each_buffer(lowered, [&](NodeId node, std::size_t argument) {
        if (lowered.kernel.arguments[argument].access != Access::write) result.erase(node);
      });
    }
    return result;
  }

  void mark_non_temporal() {
    const SortedSet<NodeId> unread = outputs_never_read();
    for (LoweredKernel& lowered : kernels) {
      for_each_buffer(lowered, [&](NodeId node, std::size_t argument) {
        const Argument& one = lowered.kernel.arguments[argument];
        const auto size = static_cast<std::int64_t>(info(one.dtype).size);
        const std::int64_t fewest = options.target.launches.non_temporal_bytes / size;
        if (unread.count(node) == 0 || bounds(one.elements).max < fewest) return;
        for (Instruction& store : lowered.kernel.instructions) {
          store.non_temporal |=
              store.code == Code::store && store.argument == static_cast<std::int32_t>(argument);
        }
      });
    }
  }

  void add_batches(Span<SingleLaunch> singles, const Dependences& found) {
    const auto add = [&](const Kernel& kernel) { return distinct.add(kernel); };
    const Target& target = options.target;
    const bool equal = target.batching == LaunchBatching::equal;
    for (const Batch& batch : create_batches(candidates(singles, target), found, target)) {
      if (equal) {
        for (Launch& one :
             batched_launches(singles, batch, target.multiprocessors.argument_bytes, add)) {
          plan.launches.push_back(std::move(one));
        }
        continue;
      }
      const std::size_t count =
          batch.prologue.size() + batch.parallel.size() + batch.epilogue.size();
      const SingleLaunch& first = singles[batch.parallel[0]];
      if (count == 1) {
        plan.launches.push_back(*first.launch);
        plan.launches.back().kernel = distinct.add(*first.kernel, first.hash);
      } else {
        plan.launches.push_back(batched_launch(singles, batch, add));
      }
    }
  }

  // With LaunchBatching::equal, the plans of control flow launch one kernel at a time.
  bool can_batch_launches() const {
    const LaunchBatching batching = options.target.batching;
    return batching == LaunchBatching::mixed ||
           (batching == LaunchBatching::equal && !options.is_section);
  }

  // The places in `order` behind what each start reads, and its end.
  Vector<std::size_t> places_of_starts(Span<const std::size_t> order) const {
    Vector<std::size_t> result;
    std::size_t place = 0;
    for (const Vector<std::int32_t>& outputs : options.starts) {
      SortedSet<NodeId> read;
      for (const std::int32_t i : outputs) read.insert(output_node(static_cast<std::size_t>(i)));
      for (std::size_t i = place; i < order.size(); ++i) {
        const LoweredKernel& lowered = kernels[order[i]];
        for_each_buffer(lowered, [&](NodeId node, std::size_t argument) {
          const bool writes = lowered.kernel.arguments[argument].access != Access::read;
          if (writes && read.count(node) != 0) place = i + 1;
        });
      }
      result.push_back(place);
    }
    result.push_back(order.size());
    return result;
  }

  // Adds the launches in this order, batched where possible.
  void add_launches(const LaunchOrder& order) {
    std::size_t begin = 0;
    for (const std::size_t end : places_of_starts(order.kernels)) {
      add_launches({order.kernels.data() + begin, end - begin});
      begin = end;
    }
  }

  void add_launches(Span<const std::size_t> order) {
    if (order.empty()) return;
    Dependences found;
    if (can_batch_launches()) found = dependences(kernels, order, node_updates());
    Vector<Launch> launches;
    std::vector<Extent> steps;
    for (const std::size_t at : order) {
      steps.push_back(steps_of(kernels[at].kernel));
      launches.push_back(schedule::finish(kernels[at], options.target));
      for (const NodeId node : kernels[at].nodes)
        launches.back().buffers.push_back(buffer_of(node));
      launches.back().lowered = {static_cast<std::int32_t>(at)};
    }
    if (!can_batch_launches()) {
      for (std::size_t i = 0; i < order.size(); ++i)
        add_launch(launches[i], kernels[order[i]].kernel);
      return;
    }
    Vector<SingleLaunch> singles;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const LoweredKernel& one = kernels[order[i]];
      singles.push_back({.kernel = &one.kernel,
                         .launch = &launches[i],
                         .steps = steps[i],
                         .is_product = one.is_product});
    }
    measure_arena(singles, plan.buffers);
    add_batches(singles, found);
  }
};

}  // namespace detail

/// The plan that runs `kernels` in a valid order, and then the copies for updates that cannot be
/// written in place. Equal kernels are stored once.
inline Plan assemble(const Graph& graph, Vector<LoweredKernel> kernels, const Options& options) {
  detail::Assembler assembler{graph, options};
  assembler.kernels = std::move(kernels);
  assembler.copy_overwritten();
  LaunchOrder order = assembler.find_order();
  assembler.copy_updates(order);
  assembler.add_inputs();
  assembler.add_outputs();
  assembler.add_sparse_updates();
  if (options.target.non_temporal_stores) assembler.mark_non_temporal();
  assembler.add_launches(order);
  assembler.plan.kernels = std::move(assembler.distinct.kernels);
  return std::move(assembler.plan);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
