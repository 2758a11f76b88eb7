#pragma once

#include <algorithm>    // std::min
#include <string_view>  // std::string_view

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/codegen/cuda/kernel_head.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

SINTER_INLINE Vector<CudaParameter> parameters_in(std::string_view list) {
  Vector<CudaParameter> result;
  while (!list.empty()) {
    list.remove_prefix(std::min(list.find_first_not_of(" \n"), list.size()));
    const std::string_view one = list.substr(0, list.find(','));
    const std::size_t space = one.rfind(' ');
    result.push_back({std::string(one.substr(0, space)), std::string(one.substr(space + 1))});
    list.remove_prefix(std::min(one.size() + 1, list.size()));
  }
  return result;
}

SINTER_INLINE CudaHead head_of(const std::string& function) {
  constexpr std::string_view head = "extern \"C\" __global__ void __launch_bounds__(";
  const std::size_t start = function.find(head);
  if (start == std::string::npos)
    throw InternalError("codegen: the text of a kernel has no __global__ function");
  const std::size_t bounds = function.find(')', start + head.size());
  const std::size_t open = function.find('(', bounds), close = function.find(") {\n", open);
  return {start, open, close,
          parameters_in(std::string_view(function).substr(open + 1, close - open - 1))};
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
