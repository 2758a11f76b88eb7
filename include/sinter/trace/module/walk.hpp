#pragma once
// Visits the leaves (tensors and numbers) of arguments, results and modules, with their names.

#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <string_view>       // std::string_view
#include <tuple>             // std::apply, std::tuple_size
#include <type_traits>       // std::is_arithmetic_v

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/module.hpp>

namespace sinter::inline SINTER_ABI {

namespace nn {

/// Module state without a gradient, such as the running mean of a norm. Converts to a Tensor, and
/// is read and updated as one.
struct Buffer {
  Tensor value;

  Buffer() = default;
  Buffer(Tensor initial) : value(std::move(initial)) {}
  operator const Tensor&() const { return value; }

  DType dtype(Where where = Where::current()) const { return value.dtype(where); }
  const Shape& shape(Where where = Where::current()) const { return value.shape(where); }
  Extent size(int dim, Where where = Where::current()) const { return value.size(dim, where); }
  Tensor operator[](sinter::detail::Index index) const;
  Tensor operator[](std::initializer_list<sinter::detail::Index> indices) const;
  template <sinter::detail::Number T>
  T item(Where where = Where::current()) const {
    return value.item<T>(where);
  }
  template <ElementType T>
  std::vector<T> to_vector(Where where = Where::current()) const {
    return value.to_vector<T>(where);
  }

  Buffer& operator+=(Operand other) { return value += std::move(other), *this; }
  Buffer& operator-=(Operand other) { return value -= std::move(other), *this; }
  Buffer& operator*=(Operand other) { return value *= std::move(other), *this; }
  Buffer& operator/=(Operand other) { return value /= std::move(other), *this; }
};

Tensor operator-(sinter::detail::Located<Buffer> x);

}  // namespace nn

namespace detail {

/// The path to a leaf, as a linked list, so that names cost nothing until printed.
struct LeafName {
  const LeafName* parent = nullptr;
  std::string_view name{};
  std::ptrdiff_t index = -1;  ///< Of an element of a container.
};

/// "layers.3.weight"
std::string to_string(const LeafName& leaf);

template <class T>
concept TypedTensor = requires(T& value) {
  T::dims;
  value.tensor();
};
template <class T>
concept OptionalMember = requires(T& value) {
  value.has_value();
  *value;
};
template <class T>
concept Map = requires(T& value) {
  typename T::key_type;
  typename T::mapped_type;
  value.begin();
};
template <class T>
concept Range = requires(T& value) {
  value.begin();
  value.end();
  value.size();
};
template <class T>
concept TupleLike = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, std::string>;
/// Opaque: a pointer or a std::function.
template <class T>
concept Opaque = std::is_pointer_v<T> || std::is_member_pointer_v<T> || requires(const T& value) {
  typename T::result_type;
  value.target_type();
};
/// Holds a module, like Compiled.
template <class T>
concept Holder = requires(T& value) {
  value.held();
};
/// A module, or a holder of one.
template <class T>
concept HasModule = Module<std::remove_const_t<T>> || Holder<T>;

template <class T>
constexpr bool may_be_member();

/// True if a copy of the range T has tensors of its own, which can be replaced, as that of a
/// std::vector has, but not that of a std::span; and if its elements are numbers.
template <class T>
constexpr bool owns_elements() {
  using Element = std::remove_reference_t<decltype(*std::declval<T&>().begin())>;
  using Observed = std::remove_reference_t<decltype(*std::declval<const T&>().begin())>;
  return Plain<std::remove_const_t<Element>> ||
         (!std::is_const_v<Element> && std::is_const_v<Observed>);
}

template <class Tuple, std::size_t... i>
constexpr bool may_be_members(std::index_sequence<i...>) {
  return (may_be_member<std::remove_cvref_t<std::tuple_element_t<i, Tuple>>>() && ...);
}

/// True for the types that walk() supports: allowed for members of modules, arguments and results.
template <class T>
constexpr bool may_be_member() {
  if constexpr (std::same_as<T, Tensor> || std::same_as<T, Scalar> || std::same_as<T, nn::Buffer> ||
                Plain<T> || Opaque<T> || TypedTensor<T> || HasModule<T> || std::is_empty_v<T>) {
    return true;
  } else if constexpr (OptionalMember<T>) {
    return may_be_member<std::remove_cvref_t<decltype(*std::declval<T&>())>>();
  } else if constexpr (Map<T>) {
    return may_be_member<typename T::mapped_type>();
  } else if constexpr (Range<T>) {
    using Element = std::remove_cvref_t<decltype(*std::declval<T&>().begin())>;
    return owns_elements<T>() && may_be_member<Element>();
  } else if constexpr (TupleLike<T>) {
    return may_be_members<T>(std::make_index_sequence<std::tuple_size_v<T>>());
  } else {
    return false;
  }
}

template <class T, class Visitor>
void walk(T& value, Visitor& visitor, const LeafName& name);

template <class T, class Visitor>
void walk_elements(T& value, Visitor& visitor, const LeafName& name) {
  visitor.structure(static_cast<std::size_t>(value.size()), name);
  std::ptrdiff_t index = 0;
  for (auto&& element : value) {
    if constexpr (requires { visitor.is_done(); }) {
      if (visitor.is_done()) return;
    }
    if constexpr (Map<std::remove_const_t<T>>) {
      const std::string key = text(element.first);
      visitor.key(element.first, name);
      walk(element.second, visitor, {&name, key});
    } else {
      walk(element, visitor, {&name, {}, index++});
    }
  }
}

template <class Visitor>
void visit_presence(bool is_present, Visitor& visitor, const LeafName& name) {
  if constexpr (requires { visitor.presence(is_present, name); }) {
    visitor.presence(is_present, name);
  } else {
    visitor.structure(is_present ? 1 : 0, name);
  }
}

template <class T, class Visitor>
void walk_tuple(T& value, Visitor& visitor, const LeafName& name) {
  std::ptrdiff_t index = 0;
  std::apply([&](auto&... element) { (walk(element, visitor, {&name, {}, index++}), ...); }, value);
}

template <class T, class Visitor>
void walk_module(T& module, Visitor& visitor, const LeafName& name) {
  visitor.module(module, name);
  const auto walk_members = [&] {
    for_each_member(module, [&](const char* member_name, auto& member) {
      // SINTER_MODULE reports any other member in an error.
      if constexpr (may_be_member<std::remove_cvref_t<decltype(member)>>()) {
        walk(member, visitor, {&name, member_name});
      }
    });
  };
  if constexpr (requires { visitor.inside(module); }) {
    [[maybe_unused]] const auto scope = visitor.inside(module);
    walk_members();
  } else {
    walk_members();
  }
}

// Not in walk(), which is instantiated for each visitor and would repeat the error.
template <class T>
constexpr void require_known() {
  static_assert(std::is_empty_v<T>,
                "sinter requires arguments, results and members of modules to be tensors, "
                "numbers, strings, modules, or containers of these that own them; list the "
                "members of a struct with SINTER_MODULE");
}

/// Calls, in the order of the members: visitor.tensor(tensor, name), .typed(tensor_of, name),
/// .scalar(scalar, name), .buffer(buffer, name), .plain(value, name) for what carries a value;
/// .structure(n, name) for the length of a container; .presence(is_present, name) for an optional,
/// which is .structure(0 or 1, name) where there is no such member; .key(key, name) for the keys of
/// a map; .module(module, name) before the members of a module, and .inside(module), if there is
/// such a member, whose result lives while they are visited; and .opaque(name) for what leads to
/// something that cannot be seen, as a pointer does. If the visitor has .is_done(), the walk over a
/// container stops once it returns true.
template <class T, class Visitor>
void walk(T& value, Visitor& visitor, const LeafName& name) {
  using Type = std::remove_const_t<T>;
  if constexpr (std::same_as<Type, Tensor>) {
    visitor.tensor(value, name);
  } else if constexpr (std::same_as<Type, Scalar>) {
    visitor.scalar(value, name);
  } else if constexpr (std::same_as<Type, nn::Buffer>) {
    visitor.buffer(value, name);
  } else if constexpr (detail::Plain<Type>) {
    visitor.plain(value, name);
  } else if constexpr (detail::Opaque<Type>) {
    visitor.opaque(name);
  } else if constexpr (detail::TypedTensor<Type>) {
    visitor.typed(value, name);
  } else if constexpr (detail::Holder<Type>) {
    walk(value.held(), visitor, name);
  } else if constexpr (Module<Type>) {
    detail::walk_module(value, visitor, name);
  } else if constexpr (detail::OptionalMember<Type>) {
    detail::visit_presence(value.has_value(), visitor, name);
    if (value.has_value()) walk(*value, visitor, name);
  } else if constexpr (detail::Range<Type>) {
    if constexpr (!owns_elements<Type>()) require_known<Type>();
    detail::walk_elements(value, visitor, name);
  } else if constexpr (detail::TupleLike<Type>) {
    detail::walk_tuple(value, visitor, name);
  } else {
    require_known<Type>();
  }
}

/// A visitor that ignores everything; base class for visitors.
struct LeafVisitor {
  void tensor(const Tensor&, const LeafName&) {}
  void typed(const auto&, const LeafName&) {}
  void scalar(const Scalar&, const LeafName&) {}
  void buffer(const nn::Buffer&, const LeafName&) {}
  void plain(const auto&, const LeafName&) {}
  void structure(std::size_t, const LeafName&) {}
  void key(const auto&, const LeafName&) {}
  void opaque(const LeafName&) {}
  void module(const auto&, const LeafName&) {}
};

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/module/fixed_tensors.hpp>  // what calls of modules need

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/module/walk.ipp>
#endif
