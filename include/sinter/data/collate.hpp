#pragma once
// Puts examples together to a batch: tensors get a first axis, numbers become tensors.

#include <array>        // std::array
#include <concepts>     // std::integral, std::floating_point
#include <cstddef>      // std::size_t
#include <string>       // std::string
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_arithmetic_v
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>
#include <sinter/trace/module/structure.hpp>

namespace sinter::inline SINTER_ABI::data {

/// How examples of unequal sizes become one batch.
struct CollateOptions {
  std::size_t pad_to_multiple = 0;  ///< 0 refuses examples of unequal sizes.
  double pad_value = 0;
  Device device{};  ///< Where the batch is.
  Where where{};
};

namespace detail {

template <class T>
inline constexpr bool is_never = false;

template <class T>
struct BatchOf {
  static_assert(Module<T>,
                "sinter::data: an example is a tensor, a number, a string, a struct of tensors "
                "that SINTER_MODULE lists, or a pair, tuple or array of these");
  using type = T;
};
template <>
struct BatchOf<Tensor> {
  using type = Tensor;
};
template <>
struct BatchOf<std::string> {
  using type = std::vector<std::string>;
};
template <class T>
requires std::is_arithmetic_v<T>
struct BatchOf<T> {
  using type = Tensor;
};
template <class A, class B>
struct BatchOf<std::pair<A, B>> {
  using type = std::pair<typename BatchOf<A>::type, typename BatchOf<B>::type>;
};
template <class... T>
struct BatchOf<std::tuple<T...>> {
  using type = std::tuple<typename BatchOf<T>::type...>;
};
template <class T, std::size_t n>
struct BatchOf<std::array<T, n>> {
  using type = std::array<typename BatchOf<T>::type, n>;
};

using sinter::detail::LeafName;
using Numbers = sinter::detail::Vector<std::size_t>;

/// Stacks the tensors that are in the same place of all examples, whose numbers are `indices`.
class Collator {
 public:
  Collator(sinter::detail::Span<const std::size_t> indices, const CollateOptions& options)
      : indices_(indices), options_(options) {}

  /// Throws ShapeError or DTypeError if they do not fit together.
  Tensor stack(sinter::detail::Span<const Tensor> parts, const std::string& name) const;
  /// Throws ValueError unless all examples have as many tensors as the first.
  void require_count(std::size_t example, std::size_t found, std::size_t expected) const;
  Where where() const { return options_.where; }

 private:
  Numbers sizes_of(sinter::detail::Span<const Tensor> parts, const std::string& name) const;

  sinter::detail::Span<const std::size_t> indices_;
  const CollateOptions& options_;
};

/// The tensors of a struct and their names.
struct ExampleTensors : sinter::detail::LeafVisitor {
  void tensor(const Tensor& value, const LeafName& name) {
    tensors.push_back(value);
    names.push_back(to_string(name));
  }
  template <class T>
  void plain(const T&, const LeafName&) {
    static_assert(is_never<T>,
                  "sinter::data: a struct that is an example has tensors only: make a tensor of a "
                  "number, or return a pair or tuple of the struct and the number");
  }
  void typed(const auto& value, const LeafName&) { plain(value, {}); }
  void scalar(const auto& value, const LeafName&) { plain(value, {}); }

  sinter::detail::Vector<Tensor> tensors{};
  sinter::detail::Vector<std::string> names{};
};

template <class T>
T stack_structs(sinter::detail::Vector<const T*> examples, const Collator& collator) {
  sinter::detail::Vector<ExampleTensors> flat(examples.size());
  for (std::size_t i = 0; i < examples.size(); ++i) {
    sinter::detail::walk(*examples[i], flat[i], {});
    collator.require_count(i, flat[i].tensors.size(), flat[0].tensors.size());
  }
  std::vector<Tensor> stacked;
  sinter::detail::Vector<Tensor> parts(examples.size());
  for (std::size_t place = 0; place < flat[0].tensors.size(); ++place) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = flat[i].tensors[place];
    stacked.push_back(collator.stack(parts, flat[0].names[place]));
  }
  T result = *examples[0];
  sinter::detail::replace_tensors(result, stacked, collator.where());
  return result;
}

template <class T>
typename BatchOf<T>::type stack_all(const sinter::detail::Vector<const T*>& examples,
                                    const Collator& collator, const std::string& name) {
  if constexpr (std::same_as<T, Tensor>) {
    sinter::detail::Vector<Tensor> parts;
    for (const Tensor* const example : examples) parts.push_back(*example);
    return collator.stack(parts, name);
  } else if constexpr (std::is_arithmetic_v<T>) {
    sinter::detail::Vector<Tensor> parts;
    for (const T* const example : examples) parts.push_back(Scalar(*example).tensor());
    return collator.stack(parts, name);
  } else if constexpr (std::same_as<T, std::string>) {
    std::vector<std::string> result;
    for (const T* const example : examples) result.push_back(*example);
    return result;
  } else if constexpr (Module<T>) {
    return stack_structs(examples, collator);
  } else {
    const auto part = [&]<std::size_t i>(std::integral_constant<std::size_t, i>) {
      using Part = std::remove_cvref_t<std::tuple_element_t<i, T>>;
      sinter::detail::Vector<const Part*> parts;
      for (const T* const example : examples) parts.push_back(&std::get<i>(*example));
      return stack_all<Part>(parts, collator,
                             name.empty() ? std::to_string(i) : name + "." + std::to_string(i));
    };
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return typename BatchOf<T>::type{part(std::integral_constant<std::size_t, i>())...};
    }
    (std::make_index_sequence<std::tuple_size_v<T>>());
  }
}

}  // namespace detail

/// What a batch of examples is: a tensor for a tensor and for a number, strings for a string, the
/// same struct for a struct, and a pair, tuple or array of these.
template <class Example>
using Batch = typename detail::BatchOf<Example>::type;

/// The batch of `examples`, at least one, which errors call by `indices`. Tensors are stacked along
/// a new first axis; integers become i64, float f32, double f64 and bool boolean.
///
/// With pad_to_multiple, what is too short is filled up with pad_value at its end: along axes in
/// which the examples differ, and along that of integer vectors, to the next multiple.
///
/// Throws ShapeError or DTypeError if examples do not fit together
template <class Example>
Batch<Example> collate(const std::vector<Example>& examples,
                       sinter::detail::Span<const std::size_t> indices,
                       const CollateOptions& options) {
  sinter::detail::Vector<const Example*> list;
  for (const Example& example : examples) list.push_back(&example);
  return detail::stack_all<Example>(list, detail::Collator(indices, options), "");
}

}  // namespace sinter::inline SINTER_ABI::data

#ifdef SINTER_DEFINITIONS
#include <sinter/data/collate.ipp>
#endif
