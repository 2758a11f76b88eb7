#pragma once
// Tensors as text, as NumPy prints them.

#include <concepts>     // std::convertible_to
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::apply

#include <sinter/config.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/text.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The elements of `x` in NumPy's format: up to 8 decimals, aligned columns, only the corners if
/// there are more than 1000 elements. A read on the host.
std::string format(const Tensor& x, Where where = Where::current());

/// Writes a line, or several, to the standard output.
void print_text(std::string_view text);

}  // namespace detail

/// Prints the elements of `x`. In a recording this is an effect of the graph: every replay prints
/// the current elements, in order with other prints and host functions.
///
/// Throws GraphBreakError in branches, loops and batches that are recorded as a whole.
void print(const Tensor& x, Where where = Where::current());
/// Prints sizes. In a recording it prints those of this call, and adds no assumption.
inline void print(const Shape& shape) { detail::print_text(detail::text(detail::concrete(shape))); }
inline void print(Extent size) { detail::print_text(detail::text(detail::concrete({size})[0])); }
inline void print(const Scalar& x, Where where = Where::current()) { print(x.tensor(), where); }

/// Prints a string, number, graph, explanation, or list of these; the elements of a tuple; the
/// member tree of a module. In a recording, arguments other than tensors are printed once, during
/// recording.
template <class T>
void print(const T& value, Where where = Where::current()) {
  if constexpr (std::convertible_to<const T&, Tensor>) {
    print(Tensor(value), where);
  } else if constexpr (
      requires { std::tuple_size<T>::value; } && !requires { value.begin(); }) {
    std::apply([where](const auto&... each) { (print(each, where), ...); }, value);
  } else if constexpr (detail::HasModule<T>) {
    detail::print_text(to_string(value));
  } else {
    detail::print_text(detail::text(value));
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/interop/print.ipp>
#endif
