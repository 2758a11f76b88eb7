#pragma once
// Writes the register tile of a product of windows: the sums of some points of a line, in all
// channels of a panel, over a block of the depth.

#include <cstdint>  // std::int64_t
#include <string>   // std::string

#include <sinter/codegen/cpp/window/window_product.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The function "name_tile6", for 6 points. It computes `steps` iterations of the first loop of the
/// depth, and adds them to the sums if `more`:
///
///     static void name_tile6(float* sums, const float* window, const float* panel, long steps,
///                            bool more)
std::string window_tile(const WindowProduct& product, const ProductDecision& how, int points,
                        const std::string& name);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cpp/window/window_tile.ipp>
#endif
