#pragma once
// The helpers that generated CUDA calls.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::codegen::detail {

inline constexpr std::string_view cuda_opening = R"(#define INLINE static __device__ __forceinline__
)";

inline constexpr std::array<Helper, 1> cuda_helpers{{
    {"share", "", Lanes::any, ""},
}};

}  // namespace sinter::inline SINTER_ABI::codegen::detail
