#pragma once
// Names kernels after their operations.

#include <string>  // std::string

#include <sinter/config.hpp>
#include <sinter/schedule/ir/kernel.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

/// "sin_sin_f32", "max_sub_exp_sum_div_f32_rows": operations, the dtype of the result, and the
/// shape of the loops. At most 60 characters.
std::string name_of(const Kernel& kernel, bool is_product);

}  // namespace sinter::inline SINTER_ABI::detail::schedule

#ifdef SINTER_DEFINITIONS
#include <sinter/schedule/lower/kernel_name.ipp>
#endif
