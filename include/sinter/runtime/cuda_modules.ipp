#pragma once

#include <mutex>  // std::lock_guard

#include <sinter/runtime/cuda_modules.hpp>

namespace sinter::inline SINTER_ABI::runtime {

SINTER_INLINE void CudaModules::close(const CudaDriver& driver) noexcept {
  for (const auto& [binary, known] : loaded) driver.unload_module(known.module);
  loaded.clear();
}

SINTER_INLINE CudaDriver::Handle load_function(
    CudaContext& context, const std::shared_ptr<const compiler::Binary>& binary,
    const std::string& name, Where where) {
  CudaModules& modules = context.part<CudaModules>();
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

}  // namespace sinter::inline SINTER_ABI::runtime
