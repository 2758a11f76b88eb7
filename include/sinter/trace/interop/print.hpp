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

/// The elements of `x` as NumPy writes them: up to 8 digits behind the point, columns aligned, the
/// corners of what has more than 1000 elements. A read on the host.
std::string format(const Tensor& x, Where where = Where::current());

/// Writes a line, or several, to the standard output.
void print_text(std::string_view text);

}  // namespace detail

/// Prints the elements of `x`. In a recording that is an effect of the graph: every replay prints
/// what `x` is then, at its place among prints and calls of host functions.
///
/// Throws GraphBreakError in branches, loops and batches that are recorded as a whole.
void print(const Tensor& x, Where where = Where::current());
/// Prints sizes. In a recording it prints those of this call, and adds no assumption.
inline void print(const Shape& shape) { detail::print_text(detail::text(detail::concrete(shape))); }
inline void print(Extent size) { detail::print_text(detail::text(detail::concrete({size})[0])); }
inline void print(const Scalar& x, Where where = Where::current()) { print(x.tensor(), where); }

/// Prints what has a text: a string, a number, a graph, an explanation, a list of these; of a
/// tuple, one after the other; of a module, the tree of its members. In a recording, what is no
/// tensor is printed while it is recorded.
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
