#pragma once
// The compiled kernels that a GPU has loaded.

#include <memory>         // std::shared_ptr, std::weak_ptr
#include <string>         // std::string
#include <unordered_map>  // std::unordered_map

#include <sinter/compile/unit/binary.hpp>
#include <sinter/config.hpp>
#include <sinter/device/cuda/context.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

/// The binaries of one GPU, each loaded once. Those that nobody has any more are unloaded when
/// another one is loaded.
struct CudaModules final : CudaContextState {
  struct Loaded {
    std::weak_ptr<const compiler::Binary> binary{};
    CudaDriver::Handle module = nullptr;
  };

  void close(const CudaDriver& driver) noexcept override;

  std::unordered_map<const compiler::Binary*, Loaded> loaded{};  // under cuda_mutex()
};

/// The function called `name` of `binary`, which `context` loads at first use. Whoever calls it
/// holds `binary`.
CudaDriver::Handle load_function(CudaContext& context,
                                 const std::shared_ptr<const compiler::Binary>& binary,
                                 const std::string& name, Where where);

}  // namespace sinter::inline SINTER_ABI::detail::runtime

#ifdef SINTER_DEFINITIONS
#include <sinter/runtime/cuda/modules.ipp>
#endif
