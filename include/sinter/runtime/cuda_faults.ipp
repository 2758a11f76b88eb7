#pragma once

#include <sinter/base/fault.hpp>
#include <sinter/runtime/cuda_faults.hpp>
#include <sinter/runtime/data_error.hpp>

namespace sinter::inline SINTER_ABI::runtime {

namespace detail {

inline constexpr std::size_t fault_bytes = 64;  // a Fault, aligned
static_assert(sizeof(Fault) <= fault_bytes);

}  // namespace detail

SINTER_INLINE CudaFaults::CudaFaults(const schedule::Plan& plan) {
  std::int32_t count = 0;
  for (const schedule::Launch& launch : plan.launches) {
    slots_.push_back(launch.checks.empty() ? -1 : count++);
  }
  bytes_ = detail::fault_bytes * static_cast<std::size_t>(count);
}

SINTER_INLINE std::size_t CudaFaults::offset(std::size_t launch) const {
  return detail::fault_bytes * static_cast<std::size_t>(slots_[launch]);
}

SINTER_INLINE void CudaFaults::throw_first(const schedule::Plan& plan, const void* words) const {
  for (std::size_t launch = 0; launch < slots_.size(); ++launch) {
    if (!has(launch)) continue;
    const auto* const word = static_cast<const std::byte*>(words) + offset(launch);
    const auto& fault = *reinterpret_cast<const Fault*>(word);
    if (fault.number != 0) throw_fault(plan.launches[launch], fault);
  }
}

}  // namespace sinter::inline SINTER_ABI::runtime
