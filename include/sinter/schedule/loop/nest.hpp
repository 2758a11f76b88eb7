#pragma once
// Reorders and fuses the loops of a kernel, and renumbers its variables in order of use.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>
#include <sinter/symbol/solve/variables.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Calls visit(extent) with each extent of `kernel`, in an order that does not depend on names.
void for_each_extent(Kernel& kernel, FunctionRef<void(Extent&)> visit);

/// The same for one instruction.
void for_each_extent(Instruction& instruction, FunctionRef<void(Extent&)> visit);

/// Replaces variables in all instructions of `kernel`.
void substitute_all(Kernel& kernel, const Substitutions& values);

/// The smallest id above those of all ranges of `kernel`.
std::uint32_t next_range(const Kernel& kernel);

/// Moves the grid loop along which most stores are contiguous to the last position.
void order_grid(Kernel& kernel);

/// Fuses two adjacent loops if in every access the stride of the outer one is the stride of the
/// inner one times its extent.
void fuse_loops(Kernel& kernel);

/// Renumbers ranges and symbols in the order of their use, so that kernels that compute the same
/// are equal. Returns the original symbols.
std::vector<Extent> rename_variables(Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/nest.ipp>
#endif
