#pragma once

#include <algorithm>  // std::min

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/runtime/host/memory_report.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::size_t max_named_buffers = 5;

// " of softmax_f32_2d at model.cpp:12": the first launch that uses the buffer, which writes it.
SINTER_INLINE std::string producer_of(const schedule::Plan& plan, std::size_t buffer) {
  for (const schedule::Launch& launch : plan.launches) {
    const auto used = find(launch.buffers, static_cast<std::int32_t>(buffer));
    if (used == launch.buffers.end()) continue;
    std::string result;
    if (launch.control < 0) {
      result = text(" of ", plan.kernels[static_cast<std::size_t>(launch.kernel)].name);
    }
    if (!launch.lines.empty()) result += text(" at ", sinter::to_string(launch.lines.back()));
    return result;
  }
  return {};
}

SINTER_INLINE std::string name_of(const schedule::Plan& plan, std::size_t buffer) {
  const schedule::Buffer& one = plan.buffers[buffer];
  switch (one.home) {
    case schedule::Home::input:
      return text("input ", one.position);
    case schedule::Home::output:
      return text("result ", one.position, producer_of(plan, buffer));
    case schedule::Home::arena:
      break;
  }
  return text("intermediate value", producer_of(plan, buffer));
}

}  // namespace detail

SINTER_INLINE std::vector<std::pair<std::string, std::string>> memory_facts(
    const schedule::Plan& plan, Span<const schedule::Update> updates,
    Span<const std::int64_t> symbols) {
  std::vector<std::int64_t> bytes;
  Vector<std::size_t> largest;
  for (const schedule::Buffer& one : plan.buffers) {
    const auto size = static_cast<std::int64_t>(info(one.dtype).size);
    largest.push_back(bytes.size());
    bytes.push_back(evaluate(one.elements, symbols) * size);
  }
  const auto total = [&](const Vector<std::int32_t>& buffers) {
    std::int64_t result = 0;
    for (const std::int32_t one : buffers) result += bytes[static_cast<std::size_t>(one)];
    return result;
  };
  std::int64_t state = 0;
  for (const schedule::Update& update : updates) {
    const std::int32_t buffer = plan.outputs[static_cast<std::size_t>(update.output)];
    state += bytes[static_cast<std::size_t>(buffer)];
  }
  stable_sort(largest, [&](std::size_t a, std::size_t b) { return bytes[a] > bytes[b]; });
  std::string list;
  for (std::size_t i = 0; i < std::min(largest.size(), detail::max_named_buffers); ++i) {
    list +=
        text(i == 0 ? "" : "; ", bytes[largest[i]], " bytes, ", detail::name_of(plan, largest[i]));
  }
  return {{"plan", text(evaluate(plan.arena_bytes, symbols), " bytes of intermediates, ",
                        total(plan.inputs), " of inputs, ", total(plan.outputs), " of results (",
                        state, " updated in place)")},
          {"largest", list}};
}

SINTER_INLINE std::string memory_text(const schedule::Plan& plan) {
  bool varies = !plan.arena_bytes.is_number();
  for (const schedule::Buffer& one : plan.buffers) varies = varies || !one.elements.is_number();
  const auto total = [&](const Vector<std::int32_t>& buffers) {
    Extent result = 0;
    for (const std::int32_t buffer : buffers) {
      const schedule::Buffer& one = plan.buffers[static_cast<std::size_t>(buffer)];
      result = result + one.elements * info(one.dtype).size;
    }
    return result;
  };
  const std::string all = text(plan.arena_bytes, " bytes of intermediates, ", total(plan.inputs),
                               " of inputs, ", total(plan.outputs), " of results");
  if (varies || plan.buffers.empty()) return all;
  return text(all, "; the largest: ", memory_facts(plan, {}, {}).back().second);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
