#pragma once

// Plans as text.

#include <sinter/schedule/plan.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

SINTER_INLINE std::string to_string(const Buffer& buffer, std::size_t id) {
  std::string result = text("b", id, ": ", buffer.dtype, "[", buffer.elements, "] ");
  if (buffer.home == Home::input) return result + text("input ", buffer.position);
  if (buffer.home == Home::output) return result + text("output ", buffer.position);
  return result + text("arena + ", buffer.offset);
}

using Kernels = std::vector<Kernel>;

SINTER_INLINE std::string buffer_list(std::span<const std::int32_t> buffers) {
  std::string result;
  for (const std::int32_t buffer : buffers) result += text(result.empty() ? "" : ", ", "b", buffer);
  return result;
}

// "scan(b0, b1 -> b2; b3) bodies [0] steps 8"
SINTER_INLINE std::string to_string(const Control& control, const Launch& launch) {
  const std::span<const std::int32_t> buffers = launch.buffers;
  const auto inputs = static_cast<std::size_t>(control.inputs);
  const auto results = static_cast<std::size_t>(control.results);
  std::string result = text(control.op, "(", buffer_list(buffers.subspan(0, inputs)), " -> ",
                            buffer_list(buffers.subspan(inputs, results)));
  const auto other = buffers.subspan(inputs + results);
  if (!other.empty()) result += text("; ", buffer_list(other));
  result += text(") bodies ", control.bodies);
  if (control.op == Op::scan) result += text(" steps ", control.length);
  return control.reverse ? result + " reverse" : result;
}

SINTER_INLINE std::string to_string(const Plan& plan, const Launch& launch,
                                    const Kernels& kernels) {
  if (launch.control >= 0) {
    return to_string(plan.controls[static_cast<std::size_t>(launch.control)], launch);
  }
  std::string result;
  const std::span<const std::int32_t> buffers = launch.buffers;
  const std::span<const Extent> sizes = launch.sizes;
  for_each_entry(launch, [&](const Entry& entry, std::size_t buffer, std::size_t size) {
    const auto count = static_cast<std::size_t>(entry.sizes);
    result +=
        text(result.empty() ? "" : " | ", kernels[static_cast<std::size_t>(entry.kernel)].name, "(",
             buffer_list(buffers.subspan(buffer, static_cast<std::size_t>(entry.buffers))),
             count == 0 ? "" : text("; ", sizes.subspan(size, count)), ")");
  });
  return result + text(" reads ", launch.bytes_read, ", writes ", launch.bytes_written);
}

// All but the kernels.
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

}  // namespace sinter::inline SINTER_ABI::detail::schedule
