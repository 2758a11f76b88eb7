#pragma once

#include <algorithm>  // std::max, std::rotate
#include <utility>    // std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/sorted_map.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/schedule/control/planner.hpp>
#include <sinter/schedule/control/section.hpp>
#include <sinter/schedule/ir/custom_stages.hpp>
#include <sinter/schedule/ir/kernel_list.hpp>
#include <sinter/schedule/ir/plan.hpp>
#include <sinter/schedule/launch/assemble.hpp>
#include <sinter/schedule/lower/kernels.hpp>
#include <sinter/schedule/memory/arena.hpp>
#include <sinter/schedule/memory/joined_memory.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

// What a plan and its bodies share.
struct SharedKernels {
  KernelList kernels{};
  std::int32_t lowered = 0;  // the kernels of all sections so far
};

class ControlPlanner {
 public:
  // The plan of a body writes each output to a buffer of its own.
  ControlPlanner(const Graph& graph, const Options& options, const SectionPlanner& plan_section,
                 SharedKernels& shared, bool is_body)
      : graph_(graph),
        options_(options),
        plan_section_(plan_section),
        kernels_(shared.kernels),
        shared_(shared),
        is_body_(is_body) {}

  Plan run() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      plan_.inputs.push_back(add_buffer(graph_.inputs[i], Home::input, i));
    }
    plan_.outputs.assign(graph_.outputs.size(), -1);
    copy_overwritten();
    Vector<Section> list = sections(graph_);
    find_last_readers(list);
    for (const Section& section : list) {
      std::size_t place = plan_.launches.size();  // of the next control flow, at the earliest
      add_section(section);
      for (const NodeId id : section.controls) {
        add_control(id);
        place = is_start(graph_[id]) ? start_early(place) : plan_.launches.size();
      }
    }
    add_outputs();
    if (!is_body_) join_memory(plan_);
    return std::move(plan_);
  }

 private:
  std::int32_t add_buffer(Value value, Home home, std::size_t position) {
    const std::int32_t id = new_buffer(graph_.type(value), home, position);
    buffers_[key_of(value)] = id;
    return id;
  }

  std::int32_t new_buffer(const TensorType& type, Home home, std::size_t position) {
    plan_.buffers.push_back(
        {type.dtype, numel(type.shape), home, static_cast<std::int32_t>(position)});
    return static_cast<std::int32_t>(plan_.buffers.size()) - 1;
  }

  Buffer& buffer(std::int32_t id) { return plan_.buffers[id]; }
  std::int32_t buffer_of(Value value) const { return buffers_.at(key_of(value)); }

  // The position of the input that output `output` may overwrite; -1 for none.
  std::int32_t updated_input(std::size_t output) const {
    for (const Update& update : options_.updates) {
      if (update.output == static_cast<std::int32_t>(output)) return update.input;
    }
    return -1;
  }

  // The value without its reshapes, which do not move elements.
  Value stored(Value value) const {
    while (graph_[value.node].op == Op::reshape) value = graph_[value.node].inputs[0];
    return value;
  }

  // Whether an output that is another value may overwrite `input`.
  bool is_overwritten(NodeId input) const {
    return any_of(options_.updates, [&](const Update& update) {
      return graph_.inputs[update.input] == input &&
             stored(graph_.outputs[update.output]).node != input;
    });
  }

  // Copies outputs that are old values of inputs before other outputs overwrite these.
  void copy_overwritten() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Value value = stored(graph_.outputs[i]);
      if (graph_[value.node].op != Op::input || !is_overwritten(value.node)) continue;
      plan_.outputs[i] = copy_to_output(buffer_of(value), graph_.type(graph_.outputs[i]), i);
    }
  }

  std::int32_t copy_to_output(std::int32_t from, const TensorType& type, std::size_t position) {
    const std::int32_t to = new_buffer(type, Home::output, position);
    LoweredKernel copy = lower_copy(0, 1, type);
    Launch launch = finish(copy, options_.target);
    launch.buffers = {from, to};
    launch.kernel = kernels_.add(copy.kernel);
    plan_.launches.push_back(std::move(launch));
    return to;
  }

  // The first output of the graph that is `value`.
  std::size_t first_output(Value value) const {
    std::size_t i = 0;
    while (i < graph_.outputs.size() && !(graph_.outputs[i] == value)) ++i;
    return i;
  }

  // Finds the last section that reads each input; controls read behind their section. Inputs are
  // overwritten when nothing can fail any more: behind a commit, or else by the last section.
  void find_last_readers(const Vector<Section>& list) {
    std::size_t first = list.size() - 1;
    for (std::size_t i = 0; i + 1 < list.size(); ++i) {
      const bool commits = any_of(list[i].controls, [&](const NodeId id) {
        return has_attribute(graph_[id], commit_attribute);
      });
      if (commits) first = i + 1;
    }
    last_reader_.assign(graph_.nodes.size(), first);
    for (std::size_t i = first; i < list.size(); ++i) {
      for (const Value input : list[i].inputs) last_reader_[input.node] = i;
      for (const NodeId id : list[i].controls) {
        for (const Value input : graph_[id].inputs) last_reader_[input.node] = i + 1;
      }
    }
  }

  // The updates of inputs that a section may write in place.
  Vector<Update> updates_of(const Section& section) const {
    Vector<Update> result;
    for (std::size_t i = 0; i < section.outputs.size(); ++i) {
      const std::size_t output = first_output(section.outputs[i]);
      const std::int32_t input = output < graph_.outputs.size() ? updated_input(output) : -1;
      if (input < 0 || !is_last_reader(section_starts_.size() - 1, input)) continue;
      const Value value = graph_.inputs[input];
      const auto read = find(section.inputs, value);
      if (read == section.inputs.end()) continue;
      result.push_back(
          {static_cast<std::int32_t>(read - section.inputs.begin()), static_cast<std::int32_t>(i)});
    }
    return result;
  }

  // The outputs of the section that each start behind it reads.
  Vector<Vector<std::int32_t>> starts_of(const Section& section) const {
    Vector<Vector<std::int32_t>> result;
    for (const NodeId id : section.controls) {
      if (!is_start(graph_[id])) continue;
      Vector<std::int32_t>& read = result.emplace_back();
      for (std::size_t i = 0; i < section.outputs.size(); ++i) {
        if (contains(graph_[id].inputs, section.outputs[i])) {
          read.push_back(static_cast<std::int32_t>(i));
        }
      }
    }
    return result;
  }

  // Whether no section behind `section` reads the input at a position.
  bool is_last_reader(std::size_t section, std::int32_t input) const {
    return last_reader_[graph_.inputs[input]] <= section;
  }

  void add_section(const Section& section) {
    section_starts_.push_back(static_cast<std::int32_t>(plan_.buffers.size()));
    if (section.outputs.empty()) return;
    Options options = options_;
    options.is_section = true;
    options.updates = updates_of(section);
    options.starts = starts_of(section);
    Plan section_plan = plan_section_(section.graph, options);
    Vector<std::int32_t> buffer_map(section_plan.buffers.size());
    for (std::size_t i = 0; i < section_plan.buffers.size(); ++i) {
      const Buffer& from = section_plan.buffers[i];
      if (from.home == Home::input) {
        buffer_map[i] = buffer_of(section.inputs[from.position]);
      } else {
        plan_.buffers.push_back({from.dtype, from.elements, Home::arena});
        buffer_map[i] = static_cast<std::int32_t>(plan_.buffers.size()) - 1;
      }
    }
    for (std::size_t i = 0; i < section.outputs.size(); ++i) {
      buffers_[key_of(section.outputs[i])] = buffer_map[section_plan.outputs[i]];
    }
    const std::int32_t first_lowered = shared_.lowered;
    for (Launch& launch : section_plan.launches) {
      for (std::int32_t& number : launch.lowered) {
        number += first_lowered;
        shared_.lowered = std::max(shared_.lowered, number + 1);
      }
      launch.kernel = kernels_.add(section_plan.kernels[launch.kernel]);
      for (Entry& entry : launch.entries) {
        entry.kernel = kernels_.add(section_plan.kernels[entry.kernel]);
      }
      for (std::int32_t& used : launch.buffers) used = buffer_map[used];
      plan_.launches.push_back(std::move(launch));
    }
  }

  static Extent bytes(const TensorType& type) {
    return numel(type.shape) * Extent(info(type.dtype).size);
  }

  Control control_of(const Node& node) {
    Control control{.op = node.op};
    control.inputs = static_cast<std::int32_t>(node.inputs.size());
    control.results = static_cast<std::int32_t>(node.results.size());
    std::size_t states = node.op == Op::while_loop ? state_count(node) : 0, xs = 0;
    if (node.op == Op::scan) {
      const ScanLayout layout = scan_layout(node);
      states = layout.carries, xs = layout.xs;
      control.reverse = layout.reverse;
      control.length = graph_.type(node.inputs[layout.carries]).shape[0];
    }
    for (std::size_t i = 0; i < states + xs; ++i) {
      const TensorType& type = graph_.type(node.inputs[i]);
      control.bytes.push_back(bytes(i < states ? type : step_type(type)));
    }
    for (std::size_t i = states; node.op == Op::scan && i < node.results.size(); ++i) {
      control.bytes.push_back(bytes(step_type(node.results[i])));
    }
    control.states = static_cast<std::int32_t>(states);
    control.xs = static_cast<std::int32_t>(xs);
    if (node.op != Op::custom) return control;
    control.code = shared_custom_code(node);
    control.overlaps = has_attribute(node, overlap_attribute);
    for (const Value input : node.inputs) control.types.push_back(graph_.type(input));
    for (const TensorType& type : node.results) control.types.push_back(type);
    control.joins = has_attribute(node, "joins");
    control.splits = has_attribute(node, "splits");
    return control;
  }

  // A custom node whose text is a kernel.
  void add_custom_kernel(NodeId id) {
    const Node& node = graph_[id];
    Vector<TensorType> types;
    for (const Value input : node.inputs) types.push_back(graph_.type(input));
    Kernel kernel;
    Launch launch;
    custom_stages().lower(node, types, kernel, launch);
    for (const Value input : node.inputs) launch.buffers.push_back(buffer_of(input));
    for (std::uint32_t i = 0; i < node.results.size(); ++i) {
      launch.buffers.push_back(add_buffer({id, i}, Home::arena, 0));
    }
    launch.kernel = kernels_.add(kernel);
    launch.lowered = {shared_.lowered++};
    plan_.launches.push_back(std::move(launch));
  }

  void add_control(NodeId id) {
    const Node& node = graph_[id];
    const bool is_custom = node.op == Op::custom && has_attribute(node, "kernel");
    if (is_custom && attribute<std::string>(node, "kernel") != "call") return add_custom_kernel(id);
    Control control = control_of(node);
    Launch launch{.kernel = -1, .lines = {node.where}};
    launch.control = static_cast<std::int32_t>(plan_.controls.size());
    for (const Value input : node.inputs) launch.buffers.push_back(buffer_of(input));
    for (std::uint32_t i = 0; i < node.results.size(); ++i) {
      launch.buffers.push_back(add_buffer({id, i}, Home::arena, 0));
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(control.states); ++i) {
      launch.buffers.push_back(new_buffer(graph_.type(node.inputs[i]), Home::arena, 0));
    }
    for (const Graph& body : node.bodies) {
      control.bodies.push_back(static_cast<std::int32_t>(plan_.bodies.size()));
      Options options = options_;
      options.updates.clear();
      Plan inner = ControlPlanner(body, options, plan_section_, shared_, true).run();
      place_in_arena(inner, options.target.writes_over_operands
                                ? Span<const Kernel>(kernels_.kernels)
                                : Span<const Kernel>());
      plan_.bodies.push_back(std::move(inner));
    }
    plan_.controls.push_back(std::move(control));
    plan_.launches.push_back(std::move(launch));
  }

  // Moves the last launch behind those that write its operands, not before `place`. Returns the
  // place behind it.
  std::size_t start_early(std::size_t place) {
    const std::size_t last = plan_.launches.size() - 1;
    for (std::size_t i = place; i < last; ++i) {
      if (writes_one_of(plan_.launches[i], plan_.launches[last].buffers)) place = i + 1;
    }
    const auto begin = plan_.launches.begin();
    std::rotate(begin + static_cast<std::ptrdiff_t>(place),
                begin + static_cast<std::ptrdiff_t>(last), plan_.launches.end());
    return place + 1;
  }

  bool writes_one_of(const Launch& launch, Span<const std::int32_t> buffers) const {
    if (launch.control >= 0) return false;
    bool result = false;
    std::size_t next = 0;
    const auto visit = [&](const Kernel& kernel) {
      for (const Argument& argument : kernel.arguments) {
        if (argument.access == Access::local) continue;
        const std::int32_t id = launch.buffers[next++];
        result = result || (argument.access != Access::read && contains(buffers, id));
      }
    };
    for_each_entry(launch, [&](const Entry& entry, std::size_t, std::size_t) {
      const Kernel& kernel = kernels_.kernels[entry.kernel];
      visit(kernel);
      for (const Kernel& finalizer : kernel.finalizers) visit(finalizer);
    });
    return result;
  }

  // Whether the kernel that writes `buffer` may write to the memory of output `output`: an input
  // that no later section reads. A section knows the other readers in it.
  bool is_direct(std::int32_t buffer, std::size_t output) const {
    const std::int32_t input = updated_input(output);
    std::size_t section = section_starts_.size();
    while (section > 0 && buffer < section_starts_[section - 1]) --section;
    return input < 0 || (section > 0 && is_last_reader(section - 1, input));
  }

  void add_outputs() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (plan_.outputs[i] >= 0) continue;
      const Value value = graph_.outputs[i];
      const std::int32_t id = buffer_of(value);
      if (buffer(id).home == Home::arena && is_direct(id, i)) {
        buffer(id).home = Home::output;
        buffer(id).position = static_cast<std::int32_t>(i);
        plan_.outputs[i] = id;
      } else if (is_body_ || buffer(id).home == Home::arena) {
        plan_.outputs[i] = copy_to_output(id, graph_.type(value), i);
      } else {
        plan_.outputs[i] = id;
      }
    }
  }

  const Graph& graph_;
  const Options& options_;
  const SectionPlanner& plan_section_;
  KernelList& kernels_;
  SharedKernels& shared_;
  bool is_body_;
  Plan plan_{};
  Vector<std::int32_t> section_starts_{};  // the first buffer of each section
  Vector<std::size_t> last_reader_{};      // by node: the last section that reads an input
  SortedMap<ValueKey, std::int32_t> buffers_{};
};

}  // namespace detail

SINTER_INLINE Plan plan_control(const Graph& graph, const Options& options,
                                const SectionPlanner& plan_section) {
  detail::SharedKernels shared;
  Plan result = detail::ControlPlanner(graph, options, plan_section, shared, false).run();
  result.kernels = std::move(shared.kernels.kernels);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
