#pragma once
// What the processor of this machine can do that texts are written for.

#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The width of vectors in bits: 512, 256 or 128, as this machine has them, or what
/// SINTER_VECTOR_BITS says, which may be 0. ValueError if that is no width.
int host_vector_bits();

/// Whether it multiplies pairs of bf16 in one instruction.
bool host_multiplies_pairs();

/// Whether it multiplies squares of bf16 in one instruction, and the system lets this process do
/// so, which is asked for at the first call.
bool host_multiplies_squares();

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/lower/host_target.ipp>
#endif
