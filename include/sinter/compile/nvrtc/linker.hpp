#pragma once
// Links kernels that call functions of CUDA itself with the toolkit's libcudadevrt.a.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Whether `text` needs link_cuda(): it sets the conditions of graphs.
bool needs_device_runtime(std::string_view text);

/// Why link_cuda() cannot work on this machine, and what would help; empty if it can.
std::string device_runtime_missing();

/// The cubin that a GPU of `architecture` loads, of `relocatable`, a cubin whose functions are
/// linked later. DeviceError if the toolkit's libraries are missing or do not fit together.
std::string link_cuda(const std::string& architecture, const std::string& relocatable);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/nvrtc/linker.ipp>
#endif
