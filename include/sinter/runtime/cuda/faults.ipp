#pragma once

#include <sinter/base/fault.hpp>
#include <sinter/base/loop_table.hpp>
#include <sinter/runtime/cuda/faults.hpp>
#include <sinter/runtime/host/launch_fault.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

inline constexpr std::size_t fault_bytes = LoopTable::fault_bytes;  // a Fault, aligned
static_assert(sizeof(Fault) <= fault_bytes);

}  // namespace detail

SINTER_INLINE CudaFaults::CudaFaults(const schedule::Plan& plan, Bodies bodies) {
  std::int32_t count = 0;
  for (const schedule::Launch& launch : plan.launches) {
    const std::int32_t first = count;
    const bool counts = launch.control < 0 || bodies == Bodies::included;
    if (counts) for_each_checked(plan, launch, [&](const auto&) { ++count; });
    slots_.push_back(count == first ? -1 : first);
  }
  bytes_ = detail::fault_bytes * static_cast<std::size_t>(count);
}

SINTER_INLINE std::size_t CudaFaults::offset(std::size_t launch) const {
  return detail::fault_bytes * static_cast<std::size_t>(slots_[launch]);
}

SINTER_INLINE void CudaFaults::throw_first(const schedule::Plan& plan, const void* words) const {
  for (std::size_t launch = 0; launch < slots_.size(); ++launch) {
    if (!has(launch)) continue;
    const auto* word = static_cast<const std::byte*>(words) + offset(launch);
    for_each_checked(plan, plan.launches[launch], [&](const schedule::Launch& one) {
      const auto& fault = *reinterpret_cast<const Fault*>(word);
      if (fault.number != 0) throw_fault(one, fault);
      word += detail::fault_bytes;
    });
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
