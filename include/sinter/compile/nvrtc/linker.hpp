#pragma once
// Links kernels that call the CUDA device runtime with the toolkit's libcudadevrt.a.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::compiler {

/// Whether `text` needs link_cuda(): true if it sets conditions of graph nodes.
bool needs_device_runtime(std::string_view text);

/// Why link_cuda() cannot work on this machine; empty if it can.
std::string device_runtime_missing();

/// Links `relocatable`, a cubin with relocatable device code, to a loadable cubin for
/// `architecture`. DeviceError if the toolkit's libraries are missing or of different versions.
std::string link_cuda(const std::string& architecture, const std::string& relocatable);

}  // namespace sinter::inline SINTER_ABI::detail::compiler

#ifdef SINTER_DEFINITIONS
#include <sinter/compile/nvrtc/linker.ipp>
#endif
