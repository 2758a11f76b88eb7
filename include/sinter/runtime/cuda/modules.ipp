#pragma once

#include <mutex>    // std::lock_guard
#include <utility>  // std::pair

#include <sinter/base/container/vector.hpp>
#include <sinter/device/cuda/stream_order.hpp>
#include <sinter/runtime/cuda/modules.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

SINTER_INLINE void CudaModules::close(const CudaDriver& driver) noexcept {
  for (const auto& [binary, known] : loaded) driver.unload_module(known.module);
  loaded.clear();
}

namespace detail {

// Unloads the modules of expired binaries, after waiting for launches in flight.
SINTER_INLINE void unload_unused(CudaContext& context, Where where) {
  auto& loaded = context.state<CudaModules>().loaded;
  Vector<std::pair<const compiler::Binary*, WeakPtr<const compiler::Binary>>> unused;
  {
    const std::lock_guard lock(cuda_mutex());
    for (const auto& [address, known] : loaded) {
      if (known.binary.expired()) unused.emplace_back(address, known.binary);
    }
  }
  if (unused.empty()) return;
  synchronize(context.device(), where);
  const std::lock_guard lock(cuda_mutex());
  for (const auto& [address, binary] : unused) {
    // Another thread may have unloaded it, and another binary may have the same address.
    const auto known = loaded.find(address);
    if (known == loaded.end() || !known->second.binary.is_same(binary)) continue;
    context.driver().unload_module(known->second.module);
    loaded.erase(known);
  }
}

}  // namespace detail

SINTER_INLINE CudaDriver::Handle load_function(CudaContext& context,
                                               const SharedPtr<const compiler::Binary>& binary,
                                               const std::string& name, Where where) {
  CudaModules& modules = context.state<CudaModules>();
  detail::unload_unused(context, where);
  const std::lock_guard lock(cuda_mutex());
  auto known = modules.loaded.find(binary.get());
  if (known == modules.loaded.end()) {
    CudaDriver::Handle module = nullptr;
    context.check(context.driver().load_module(&module, binary->bytes().data()), "cuModuleLoadData",
                  where);
    known = modules.loaded.emplace(binary.get(), CudaModules::Loaded{binary, module}).first;
  }
  CudaDriver::Handle function = nullptr;
  context.check(context.driver().function(&function, known->second.module, name.c_str()),
                "cuModuleGetFunction", where);
  return function;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
