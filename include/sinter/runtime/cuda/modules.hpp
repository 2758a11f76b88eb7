#pragma once
// The CUDA modules that each GPU has loaded.

#include <string>         // std::string

#include <sinter/base/container/hash_map.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/compile/unit/binary.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The binaries that one GPU has loaded, each once. Loading another binary unloads those without an
/// owner.
struct CudaModules final : CudaContextState {
  struct Loaded {
    WeakPtr<const compiler::Binary> binary{};
    CudaDriver::Handle module = nullptr;
  };

  void close(const CudaDriver& driver) noexcept override;

  HashMap<const compiler::Binary*, Loaded> loaded{};  // guarded by cuda_mutex()
};

/// The function `name` of `binary`, which is loaded at first use. The caller has to keep `binary`
/// alive while it uses the function.
CudaDriver::Handle load_function(CudaContext& context,
                                 const SharedPtr<const compiler::Binary>& binary,
                                 const std::string& name, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/modules.ipp>
#endif
