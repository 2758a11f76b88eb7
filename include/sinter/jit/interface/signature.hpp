#pragma once
// The signature of a call: its flattened arguments, their names, and copies of them.

#include <cstdint>      // std::uintptr_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <vector>       // std::vector

#include <sinter/base/container/vector.hpp>
#include <sinter/config.hpp>
#include <sinter/guard/leaves.hpp>
#include <sinter/jit/interface/parameters.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

/// The leaves of a call, and the hash of everything else in its arguments.
struct CallSignature {
  guard::Leaves leaves{};
  Hash structure{};
};

/// The names of leaves, computed only for messages because that takes time.
class LeafNames {
 public:
  virtual ~LeafNames() = default;
  virtual std::vector<std::string> leaves() const = 0;
  /// The plain values, with their names.
  virtual Vector<guard::PlainValue> plain() const { return {}; }
};

namespace detail {

/// Stands for every callable that is not a module and hence not an argument of its own call, so
/// that all of these share the code that handles arguments.
struct NoModule {};
inline NoModule no_module;

/// `function` as an argument of its own call.
template <class F>
auto& self_of([[maybe_unused]] F& function) {
  if constexpr (Module<std::remove_const_t<F>>) {
    return function;
  } else {
    return no_module;
  }
}
/// The address of the function if the callable is a pointer, which may point to another function in
/// the next call. 0 for other callables.
template <class F>
std::uintptr_t pointed_to([[maybe_unused]] F& function) {
  if constexpr (std::is_pointer_v<std::remove_const_t<F>>) {
    return reinterpret_cast<std::uintptr_t>(function);
  } else {
    return 0;
  }
}

template <class F>
using SelfOf = std::remove_reference_t<decltype(self_of(std::declval<F&>()))>;

// The callable as an argument of itself, if it is a module.
template <class F, class Visit>
void with_self(F& function, Visit visit) {
  if constexpr (Module<std::remove_const_t<F>>) visit(function, "self");
}

template <class F, class Tuple, class Visit>
void for_each_argument(F& function, Tuple& arguments, Visit visit) {
  with_self(function, visit);
  std::apply(
      [&](auto&... argument) {
        int position = 0;
        (visit(argument, text("argument ", position++)), ...);
      },
      arguments);
}

// The same without names.
template <class F, class Tuple, class Visit>
void visit_arguments(F& function, Tuple& arguments, Visit visit) {
  if constexpr (Module<std::remove_const_t<F>>) visit(function);
  std::apply([&](auto&... argument) { (visit(argument), ...); }, arguments);
}

inline constexpr std::uint64_t tf32_scope = std::uint64_t{1} << 63;

/// Which leaves of the call in progress require gradients: the number of the choice, or 0. See
/// RequiresGradScope.
inline thread_local std::uint64_t requires_grad_scope = 0;
std::string requires_grad_text();

// The settings, besides its arguments, that decide what a function records: autocast, current
// device and required gradients of this thread, and whether f32 products may use TF32.
std::uint64_t scope_word();

// True if a recording of a call with these leaves may use TF32.
inline bool allows_tf32(const guard::Leaves& leaves) { return (leaves.scopes & tf32_scope) != 0; }

// The signature of `arguments` with the argument types `Bound`.
template <class Bound, class F, class Tuple>
CallSignature signature_as(F& function, Tuple& arguments) {
  CallSignature result;
  Hasher& hasher = result.leaves.structure;
  hasher.add(reinterpret_cast<std::uintptr_t>(&sinter::detail::type_tag<Bound>));
  result.leaves.scopes = scope_word();
  hasher.add(result.leaves.scopes);
  visit_arguments(function, arguments,
                  [&](auto& argument) { guard::collect(argument, result.leaves); });
  result.structure = hasher.result();
  return result;
}

}  // namespace detail

/// The signature of a call.
template <class F, class... Bound>
CallSignature signature_of(F& function, std::tuple<Bound...>& bound) {
  return detail::signature_as<SignatureType<Bound...>>(function, bound);
}

/// The signature with the function at `pointed_to`; see pointed_to().
CallSignature signature_at(std::uintptr_t pointed_to, CallSignature signature);

/// A copy of each argument, on which functions are traced. A module is an argument of its own call.
/// Captures of other callables are not copied.
template <class Self, class... Bound>
struct Copies {
  std::conditional_t<Module<std::remove_const_t<Self>>, std::remove_const_t<Self>, Self&> self;
  std::tuple<std::decay_t<Bound>...> arguments;
};

namespace detail {

template <class Self, class... Bound>
Copies<Self, Bound...> copy_of(Self& self, const std::tuple<Bound...>& bound) {
  return {self, std::tuple<std::decay_t<Bound>...>(bound)};
}

// Leaf names and plain values of a call or of its copies.
struct Names {
  std::vector<std::string> leaves;
  Vector<guard::PlainValue> plain{};
};

// Appends the settings that scope_word() encodes.
void add_settings(Vector<guard::PlainValue>& plain);

template <class F, class Tuple>
Names names_of(F& function, Tuple& arguments) {
  Names result;
  for_each_argument(function, arguments, [&](auto& argument, std::string_view name) {
    guard::collect_names(argument, name, result.leaves, result.plain);
  });
  add_settings(result.plain);
  return result;
}

// The names with the function at `pointed_to`; see pointed_to().
Names names_at(std::uintptr_t pointed_to, Names names);

// The signature of the copies, with the constness of the original arguments.
template <class Self, class... Bound>
CallSignature signature_of_copies(Copies<Self, Bound...>& copies) {
  Self& self = copies.self;
  return std::apply(
      [&](auto&... argument) {
        std::tuple<Bound&...> bound(argument...);
        return signature_as<SignatureType<Bound...>>(self, bound);
      },
      copies.arguments);
}

// The address range of an lvalue argument, which may overlap another argument.
struct Place {
  std::uintptr_t first = 0, last = 0;
  bool is_mutable = false;
};

template <class Bound, class Argument>
Place place_of(Argument& argument) {
  if constexpr (!std::is_lvalue_reference_v<Bound>) return {};
  const auto first = reinterpret_cast<std::uintptr_t>(&argument);
  return {first, first + sizeof(Argument), !std::is_const_v<Argument>};
}

}  // namespace detail

/// True if one of the arguments is, or is part of, another one that the function may change.
/// Elements of containers are not considered.
template <class F, class... Bound>
bool may_overlap(F& function, std::tuple<Bound...>& bound) {
  using detail::Place;
  const Place self = Module<std::remove_const_t<F>> ? detail::place_of<F&>(function) : Place();
  return std::apply(
      [&](auto&... argument) {
        const Place places[] = {self, detail::place_of<Bound>(argument)...};
        for (const Place& a : places) {
          for (const Place& b : places) {
            if (&a != &b && a.is_mutable && a.first < b.last && b.first < a.last) return true;
          }
        }
        return false;
      },
      bound);
}

}  // namespace sinter::inline SINTER_ABI::detail::jit

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/signature.ipp>
#endif
