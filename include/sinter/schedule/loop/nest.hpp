#pragma once
// Loops made fewer, and kernels put in their own terms: ranges and symbols by order of use.

#include <cstdint>  // std::uint32_t
#include <vector>   // std::vector

#include <sinter/base/function_ref.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// Calls visit(extent) with each extent of `kernel`, in an order that does not depend on names.
void for_each_extent(Kernel& kernel, FunctionRef<void(Extent&)> visit);

/// The same of one instruction.
void for_each_extent(Instruction& instruction, FunctionRef<void(Extent&)> visit);

/// The least number that no range of `kernel` has.
std::uint32_t next_range(const Kernel& kernel);

/// Puts that loop of the grid last along which most stores go on by one element.
void order_grid(Kernel& kernel);

/// Makes one loop of two neighbours wherever every access goes on from the end of the inner one to
/// the next step of the outer one.
void merge_loops(Kernel& kernel);

/// Numbers ranges and symbols in the order of their use, so that kernels that compute the same are
/// the same. Returns the extents that the symbols stood for.
std::vector<Extent> rename_variables(Kernel& kernel);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/loop/nest.ipp>
#endif
