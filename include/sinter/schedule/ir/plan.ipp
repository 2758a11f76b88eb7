#pragma once

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/schedule/ir/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE std::string to_string(const Buffer& buffer, std::size_t id) {
  std::string result = text("b", id, ": ", buffer.dtype, "[", buffer.elements, "] ");
  if (buffer.home == Home::input) return result + text("input ", buffer.position);
  if (buffer.home == Home::output) return result + text("output ", buffer.position);
  return result + text("arena + ", buffer.offset);
}

using Kernels = Vector<Kernel>;

SINTER_INLINE std::string buffer_list(Span<const std::int32_t> buffers) {
  std::string result;
  for (const std::int32_t buffer : buffers) result += text(result.empty() ? "" : ", ", "b", buffer);
  return result;
}

// For example "scan(b0, b1 -> b2; b3) bodies [0] steps 8".
SINTER_INLINE std::string to_string(const Control& control, const Launch& launch) {
  const Span<const std::int32_t> buffers = launch.buffers;
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto results = static_cast<std::size_t>(control.results);
  const std::string name = control.code == nullptr ? to_string(control.op) : control.code->name;
  std::string result = text(name, "(", buffer_list(buffers.subspan(0, inputs)), " -> ",
                            buffer_list(buffers.subspan(inputs, results)));
  const auto other = buffers.subspan(inputs + results);
  if (!other.empty()) result += text("; ", buffer_list(other));
  if (control.code != nullptr) return result + ")";
  result += text(") bodies ", control.bodies);
  if (control.op == Op::scan) result += text(" steps ", control.length);
  return control.reverse ? result + " reverse" : result;
}

SINTER_INLINE std::string to_string(const Plan& plan, const Launch& launch,
                                    const Kernels& kernels) {
  if (launch.control >= 0) {
    return to_string(plan.controls[launch.control], launch);
  }
  std::string result;
  const Span<const std::int32_t> buffers = launch.buffers;
  const Span<const Extent> sizes = launch.sizes;
  for_each_entry(launch, [&](const Entry& entry, std::size_t buffer, std::size_t size) {
    const auto count = static_cast<std::size_t>(entry.sizes);
    result += text(result.empty() ? "" : " | ", kernels[entry.kernel].name, "(",
                   buffer_list(buffers.subspan(buffer, static_cast<std::size_t>(entry.buffers))),
                   count == 0 ? "" : text("; ", sizes.subspan(size, count)), ")");
  });
  return result + text(" reads ", launch.bytes_read, ", writes ", launch.bytes_written);
}

// The plan without its kernels.
SINTER_INLINE std::string to_string(const Plan& plan, const Kernels& kernels) {
  std::string result;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    result += to_string(plan.buffers[i], i) + "\n";
  }
  for (const Launch& launch : plan.launches) result += to_string(plan, launch, kernels) + "\n";
  result +=
      text("inputs ", plan.inputs, ", outputs ", plan.outputs, ", arena ", plan.arena_bytes, "\n");
  for (std::size_t i = 0; i < plan.bodies.size(); ++i) {
    result += text("body ", i, "\n", to_string(plan.bodies[i], kernels));
  }
  return result;
}

}  // namespace detail

SINTER_INLINE std::string to_string(const Plan& plan) {
  std::string result;
  for (const Kernel& kernel : plan.kernels) result += to_string(kernel);
  return result + detail::to_string(plan, plan.kernels);
}

namespace detail {

struct PlanCheck {
  const Plan& plan;
  const Kernels& kernels;
  Vector<bool> written{};
  Vector<std::size_t> writing{};  // by the parallel kernels of the launch so far

  void require(bool condition, std::string_view what) const {
    if (!condition) throw InternalError(text("plan ", what, "\n", to_string(plan, kernels)));
  }

  void check_launch(const Launch& launch) {
    if (launch.control >= 0) return check_control(launch);
    std::size_t buffers = 0, sizes = 0;
    for_each_entry(launch, [&](const Entry& entry, std::size_t buffer, std::size_t size) {
      if (entry.phase == LaunchPhase::epilogue) publish();
      check_entry(launch, entry, buffer);
      buffers = buffer + static_cast<std::size_t>(entry.buffers);
      sizes = size + static_cast<std::size_t>(entry.sizes);
    });
    publish();
    require(buffers == launch.buffers.size(), "gives a kernel too many buffers");
    require(sizes == launch.sizes.size(), "has sizes that no kernel takes");
  }

  void check_entry(const Launch& launch, const Entry& entry, std::size_t next) {
    const auto& kernel = kernels.at(static_cast<std::size_t>(entry.kernel));
    const std::size_t end = next + static_cast<std::size_t>(entry.buffers);
    std::size_t sizes = kernel.symbols.size();
    check_arguments(launch, kernel, next);
    check_batch(launch, kernel, entry);
    const bool shared = !launch.entries.empty() && entry.phase == LaunchPhase::parallel;
    if (!shared || !kernel.finalizers.empty()) publish();
    require(kernel.finalizers.empty() || !shared || is_alone(launch),
            "runs the finalizers of one of several parallel kernels");
    for (const Kernel& last : kernel.finalizers) {
      check_arguments(launch, last, next);
      publish();
      sizes += last.symbols.size();
    }
    require(static_cast<std::size_t>(entry.sizes) == sizes, "lacks sizes of a kernel");
    require(next == end, "gives a kernel a wrong number of buffers");
  }

  void check_batch(const Launch& launch, const Kernel& kernel, const Entry& entry) const {
    if (kernel.batch_capacity == 0) return;
    const std::size_t count = launch.entries.size();
    require(count > 0 && count <= static_cast<std::size_t>(kernel.batch_capacity),
            "batches more runs of a kernel than its batch capacity");
    require(entry.kernel == launch.kernel, "batches runs of different kernels");
  }

  // Whether the last kernel of `launch` is its only parallel kernel.
  static bool is_alone(const Launch& launch) {
    const std::size_t count = launch.entries.size();
    return count < 2 || launch.entries[count - 2].phase == LaunchPhase::prologue;
  }

  // Parallel kernels do not see what the others write: their results are visible from here on.
  void publish() {
    for (const std::size_t id : writing) written[id] = true;
    writing.clear();
  }

  void check_arguments(const Launch& launch, const Kernel& kernel, std::size_t& next) {
    for (const Argument& argument : kernel.arguments) {
      if (argument.access == Access::local) continue;
      require(next < launch.buffers.size(), "lacks buffers of a kernel");
      const auto id = static_cast<std::size_t>(launch.buffers[next++]);
      require(id < plan.buffers.size(), "names a buffer that does not exist");
      const Buffer& buffer = plan.buffers[id];
      require(buffer.dtype == argument.dtype, "gives a kernel a buffer of another dtype");
      const auto position = static_cast<std::int32_t>(&argument - kernel.arguments.data());
      require(written[id] || stores_first(kernel, position), "reads a buffer that was not written");
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
      require(id < plan.buffers.size(), "names a buffer that does not exist");
      require(i >= inputs || written[id], "gives control flow a buffer that was not written");
      require(i < inputs || plan.buffers[id].home != Home::input, "writes an input");
      if (i >= inputs) written[id] = true;
    }
    for (const std::int32_t body : control.bodies) {
      require(static_cast<std::size_t>(body) < plan.bodies.size(), "lacks a body");
    }
  }

  // A body must write each output to memory of its own.
  void check_outputs(bool owns_outputs) {
    for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
      const auto id = static_cast<std::size_t>(plan.outputs[i]);
      require(written.at(id), "does not write an output");
      const Buffer& buffer = plan.buffers[id];
      const bool own =
          buffer.home == Home::output && buffer.position == static_cast<std::int32_t>(i);
      require(own || !owns_outputs, "of a body writes an output to shared memory");
    }
  }
};

SINTER_INLINE void check(const Plan& plan, const Kernels& kernels, bool is_body) {
  PlanCheck check{plan, kernels};
  check.written.assign(plan.buffers.size(), false);
  for (const std::int32_t input : plan.inputs) {
    check.written.at(static_cast<std::size_t>(input)) = true;
  }
  for (const Update& update : plan.sparse_updates) {
    const auto output =
        static_cast<std::size_t>(plan.outputs.at(static_cast<std::size_t>(update.output)));
    check.written.at(output) = true;
  }
  for (const Launch& launch : plan.launches) check.check_launch(launch);
  check.check_outputs(is_body);
  for (const Plan& body : plan.bodies) detail::check(body, kernels, true);
}

}  // namespace detail

SINTER_INLINE Vector<const Launch*> kernel_launches(const Plan& plan) {
  Vector<const Launch*> result;
  for (const Launch& launch : plan.launches) {
    if (launch.control < 0) result.push_back(&launch);
  }
  for (const Plan& body : plan.bodies) {
    const auto inner = kernel_launches(body);
    result.insert(result.end(), inner.begin(), inner.end());
  }
  return result;
}

SINTER_INLINE Vector<std::int32_t> kernels_of(const Launch& launch) {
  Vector<std::int32_t> result;
  for_each_entry(launch, [&](const Entry& entry, std::size_t, std::size_t) {
    const bool known = contains(result, entry.kernel);
    if (!known) result.push_back(entry.kernel);
  });
  return result;
}

SINTER_INLINE void verify(const Plan& plan) {
  for (const Kernel& kernel : plan.kernels) verify(kernel);
  detail::check(plan, plan.kernels, false);
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
