#pragma once
// Specs as arguments of Compiled::prepare.

#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::forward

#include <sinter/config.hpp>
#include <sinter/trace/context/tensor_spec.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

namespace jit {

/// The tensor that `spec` describes; reading it throws GraphBreakError.
///
/// Throws ShapeError if an extent is negative; IndexError and ValueError as mark_dynamic does.
Tensor tensor_of(const TensorSpec& spec);

namespace detail {

// A spec stands for an lvalue, which later calls usually pass.
template <class Arg>
decltype(auto) prepared(Arg&& argument) {
  if constexpr (std::is_same_v<std::remove_cvref_t<Arg>, TensorSpec>) {
    return tensor_of(argument);
  } else {
    return std::forward<Arg>(argument);
  }
}
template <class Arg>
using Prepared =
    std::conditional_t<std::is_same_v<std::remove_cvref_t<Arg>, TensorSpec>, Tensor, Arg&&>;
template <class Arg>
using PreparedAsLvalue =
    std::conditional_t<std::is_same_v<std::remove_cvref_t<Arg>, TensorSpec>, Tensor&, Arg&&>;

}  // namespace detail

}  // namespace jit

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/tensor_spec.ipp>
#endif
