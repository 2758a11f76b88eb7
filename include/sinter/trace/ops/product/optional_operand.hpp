#pragma once
// Optional operands, such as a bias.

#include <concepts>  // std::convertible_to
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Written as {}: no operand.
struct NoOperand {};

/// A type that may hold an operand: std::optional<Tensor> or std::nullopt_t.
template <class T>
concept OptionalTensor =
    std::convertible_to<const T&, std::optional<Tensor>> && !std::convertible_to<const T&, Operand>;

}  // namespace sinter::inline SINTER_ABI::detail
