#pragma once
// Operands that a call may leave out, as a bias.

#include <concepts>  // std::convertible_to
#include <optional>  // std::optional

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI::detail {

/// Written as {}: there is no such operand.
struct NoOperand {};

/// What may hold an operand: a std::optional<Tensor>, or std::nullopt.
template <class T>
concept OptionalTensor =
    std::convertible_to<const T&, std::optional<Tensor>> && !std::convertible_to<const T&, Operand>;

}  // namespace sinter::inline SINTER_ABI::detail
