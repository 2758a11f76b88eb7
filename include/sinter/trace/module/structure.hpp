#pragma once
// Flattens tuples, containers and structs into lists of tensors, and replaces the tensors in them,
// for tracing.

#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <tuple>        // std::tuple
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/walk.hpp>

namespace sinter::inline SINTER_ABI::detail {

template <class T>
inline constexpr bool is_pair = false;
template <class A, class B>
inline constexpr bool is_pair<std::pair<A, B>> = true;

/// `value` with each number, Scalar, typed tensor and expression converted to a Tensor, except in
/// containers and structs.
template <class T>
auto as_tensors(const T& value, Where where) {
  if constexpr (std::convertible_to<const T&, Operand>) {
    return Operand(value, where).tensor();
  } else if constexpr (is_pair<T>) {
    return std::pair{as_tensors(value.first, where), as_tensors(value.second, where)};
  } else if constexpr (TupleLike<T> && !Range<T>) {
    return std::apply([&](const auto&... part) { return std::tuple{as_tensors(part, where)...}; },
                      value);
  } else {
    return value;
  }
}

/// The same, but numbers stay numbers.
template <class T>
auto as_argument(const T& value, Where where) {
  if constexpr (Number<T>) {
    return value;
  } else {
    return as_tensors(value, where);
  }
}

struct TensorCollector : LeafVisitor {
  std::vector<Tensor> tensors{};
  Where where{};

  /// Throws if `tensor` is undefined.
  void add(const Tensor& tensor);
  void tensor(const Tensor& value, const LeafName&) { add(value); }
  void typed(const auto& value, const LeafName&) { add(value.tensor()); }
  void scalar(const Scalar& value, const LeafName&) { add(value.tensor()); }
  void buffer(const nn::Buffer& value, const LeafName&) { add(value.value); }
};

struct TensorReplacer : LeafVisitor {
  const std::vector<Tensor>& tensors;
  Where where{};
  std::size_t next = 0;

  TensorReplacer(const std::vector<Tensor>& list, Where at) : tensors(list), where(at) {}

  void tensor(Tensor& value, const LeafName&) { value = tensors[next++]; }
  template <class T>
  void typed(T& value, const LeafName&) {
    value = T(tensors[next++], where);
  }
  void scalar(Scalar& value, const LeafName&) { value = Scalar(tensors[next++], where); }
  void buffer(nn::Buffer& value, const LeafName&) { value.value = tensors[next++]; }
};

/// The tensors in `value`, in the order of its members.
template <class T>
std::vector<Tensor> tensors_in(T& value, Where where) {
  TensorCollector collector;
  collector.where = where;
  walk(value, collector, {});
  return std::move(collector.tensors);
}

/// Replaces the tensors in `value` by `tensors`.
template <class T>
void replace_tensors(T& value, const std::vector<Tensor>& tensors, Where where) {
  TensorReplacer replacer(tensors, where);
  walk(value, replacer, {});
}

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/structure.ipp>
#endif
