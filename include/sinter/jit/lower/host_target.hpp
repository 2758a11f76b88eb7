#pragma once
// The target for this machine: instruction set from cpuid, cache sizes from the C library or sysfs.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/host_target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The vector width in bits: that of this machine (512, 256 or 128), or the value of
/// SINTER_VECTOR_BITS, which may also be 0. Throws ValueError for other values.
int host_vector_bits();

/// True if the machine has the bf16 dot product (AVX512_BF16).
bool host_has_bf16_dot();

/// True if the machine has AMX tiles for bf16 and the kernel permits this process to use them. The
/// first call requests the permission.
bool host_has_amx();

/// The caches of this machine; those that the kernel does not describe are those of the default.
schedule::Caches host_caches();

/// host_target() with all of these.
schedule::Target machine_target();

namespace detail {

/// The caches that a folder of sysfs describes: it has a folder "index0", ... for each.
schedule::Caches caches_in(const std::string& directory);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/host_target.ipp>
#endif
