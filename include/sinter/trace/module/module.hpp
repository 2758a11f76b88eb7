#pragma once
// SINTER_MODULE: modules are plain structs whose members are listed for Boost.Hana; no
// registration, no base class.

#include <boost/hana/accessors.hpp>
#include <boost/hana/concept/struct.hpp>
#include <boost/hana/define_struct.hpp>
#include <boost/hana/first.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/pair.hpp>
#include <boost/hana/second.hpp>
#include <boost/hana/string.hpp>
#include <boost/hana/tuple.hpp>
#include <cstddef>      // std::size_t
#include <string_view>  // std::string_view
#include <type_traits>  // std::is_aggregate_v, std::remove_const_t
#include <utility>      // std::forward, std::index_sequence

#include <sinter/trace/module/scope.hpp>

/// Lists the members of a struct, which stays an aggregate, and makes forward() its call:
///
///   struct Mlp {
///     nn::Linear hidden, head;
///     SINTER_MODULE(Mlp, hidden, head)
///     Tensor forward(Operand x) const { return head(relu(hidden(x))); }
///   };
#define SINTER_MODULE(Type, ...)      \
  SINTER_ACCESSORS(Type, __VA_ARGS__) \
  SINTER_CALL(Type, const)            \
  SINTER_CALL(Type, )

// The member list for Boost.Hana, and a visitor that is cheaper to compile. Every class of the
// library pays for these tokens, so what can be a template elsewhere is one.
#define SINTER_ACCESSORS(Type, ...)                                                \
  struct hana_accessors_impl {                                                     \
    template <class Self = Type>                                                   \
    using Members = ::sinter::detail::Members<Self __VA_OPT__(, ) SINTER_FOR_EACH( \
        SINTER_POINTER, Self, __VA_ARGS__)>;                                       \
    template <class Self = Type>                                                   \
    static constexpr auto apply() {                                                \
      return Members<Self>::accessors();                                           \
    }                                                                              \
    template <class Self, class Visit, class Listed = Type>                        \
    static void visit_members([[maybe_unused]] Self& sinter_self,                  \
                              [[maybe_unused]] Visit& sinter_visit) {              \
      Members<Listed>::require();                                                  \
      SINTER_FOR_EACH(SINTER_VISIT_MEMBER, sinter_self, __VA_ARGS__);              \
    }                                                                              \
  };
#define SINTER_POINTER(Self, member) &Self::member
#define SINTER_VISIT_MEMBER(self, member) sinter_visit(#member, self.member)

// The name of a member and its accessor, for structs that write apply() themselves.
#define SINTER_MEMBER(Self, member) SINTER_NAMED_MEMBER(Self, #member, member)
#define SINTER_NAMED_MEMBER(Self, name, member) \
  ::boost::hana::make_pair(                     \
      BOOST_HANA_STRING(name),                  \
      ::boost::hana::struct_detail::member_ptr<decltype(&Self::member), &Self::member>{})

// The call has the first parameter of forward(), so that an Operand notes the line of the caller.
// The second form serves overloads and templates, which have no one first parameter.
#define SINTER_CALL(Type, qualifier)                                                          \
  template <class Self = Type, class... Rest>                                                 \
  requires ::sinter::detail::Forwards<qualifier Self, ::sinter::detail::First<Self>, Rest...> \
  decltype(auto) operator()(::sinter::detail::First<Self> sinter_x, Rest&&... sinter_rest)    \
      qualifier {                                                                             \
    return ::sinter::detail::call_module(*this, std::forward<decltype(sinter_x)>(sinter_x),   \
                                         std::forward<Rest>(sinter_rest)...);                 \
  }                                                                                           \
  template <class... Args, class Self = Type>                                                 \
  requires(!requires { typename ::sinter::detail::First<Self>; }) &&                          \
      ::sinter::detail::Forwards<qualifier Self, Args...> decltype(auto) operator()(          \
          Args&&... sinter_args) qualifier {                                                  \
    return ::sinter::detail::call_module(*this, std::forward<Args>(sinter_args)...);          \
  }

// Returns what `call` gives, and notes it for an observer.
#define SINTER_FORWARD(call)                                       \
  if constexpr (::sinter::detail::is_observable<decltype(call)>) { \
    decltype(call) sinter_result = call;                           \
    sinter_scope.note_result(sinter_result);                       \
    return sinter_result;                                          \
  } else {                                                         \
    return call;                                                   \
  }

// SINTER_FOR_EACH(macro, context, a, b) is macro(context, a), macro(context, b). The first eight
// members, which are all that most modules have, are there at once. A macro does not expand inside
// its own expansion; each scan lets it once more: eight further members a scan, 86 scans. Those
// cost as much for a few members, so modules with fewer go without.
#define SINTER_FOR_EACH(macro, context, ...) __VA_OPT__(SINTER_EACH(macro, context, __VA_ARGS__))
#define SINTER_EACH(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH1(macro, context, __VA_ARGS__))
#define SINTER_EACH1(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH2(macro, context, __VA_ARGS__))
#define SINTER_EACH2(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH3(macro, context, __VA_ARGS__))
#define SINTER_EACH3(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH4(macro, context, __VA_ARGS__))
#define SINTER_EACH4(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH5(macro, context, __VA_ARGS__))
#define SINTER_EACH5(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH6(macro, context, __VA_ARGS__))
#define SINTER_EACH6(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_EACH7(macro, context, __VA_ARGS__))
#define SINTER_EACH7(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_SCAN(SINTER_NEXT(macro, context, __VA_ARGS__)))
#define SINTER_NEXT(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT1(macro, context, __VA_ARGS__))
#define SINTER_NEXT1(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT2(macro, context, __VA_ARGS__))
#define SINTER_NEXT2(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT3(macro, context, __VA_ARGS__))
#define SINTER_NEXT3(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT4(macro, context, __VA_ARGS__))
#define SINTER_NEXT4(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT5(macro, context, __VA_ARGS__))
#define SINTER_NEXT5(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT6(macro, context, __VA_ARGS__))
#define SINTER_NEXT6(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_NEXT7(macro, context, __VA_ARGS__))
#define SINTER_NEXT7(macro, context, first, ...) \
  macro(context, first) __VA_OPT__(, SINTER_AGAIN SINTER_PARENS(macro, context, __VA_ARGS__))
#define SINTER_AGAIN() SINTER_NEXT
#define SINTER_PARENS ()
#define SINTER_SCAN(...) SINTER_SCAN3(SINTER_SCAN3(SINTER_SCAN3(SINTER_SCAN3(__VA_ARGS__))))
#define SINTER_SCAN3(...) SINTER_SCAN2(SINTER_SCAN2(SINTER_SCAN2(SINTER_SCAN2(__VA_ARGS__))))
#define SINTER_SCAN2(...) SINTER_SCAN1(SINTER_SCAN1(SINTER_SCAN1(SINTER_SCAN1(__VA_ARGS__))))
#define SINTER_SCAN1(...) __VA_ARGS__

namespace sinter::inline SINTER_ABI {

/// A struct whose members are listed with SINTER_MODULE.
template <class T>
concept Module = boost::hana::Struct<T>::value;

/// Calls visit("weight", module.weight) for each member, in the order of the list.
template <class M, class Visit>
void for_each_member(M& module, Visit visit) {
  if constexpr (requires { M::hana_accessors_impl::visit_members(module, visit); }) {
    M::hana_accessors_impl::visit_members(module, visit);
  } else {  // a struct adapted for Boost.Hana directly
    boost::hana::for_each(boost::hana::accessors<std::remove_const_t<M>>(), [&](auto member) {
      visit(boost::hana::first(member).c_str(), boost::hana::second(member)(module));
    });
  }
}

namespace detail {

struct AnyValue {
  template <class T>
  operator T() const;
};

// True if the aggregate T can be initialized from this many values.
template <class T, std::size_t... i>
constexpr bool takes(std::index_sequence<i...>) {
  return requires { T{(static_cast<void>(i), AnyValue())...}; };
}

// The number of members that T declares as unlisted.
template <class T>
inline constexpr std::size_t unlisted = 0;
template <class T>
requires requires { T::unlisted; }
inline constexpr std::size_t unlisted<T> = T::unlisted;

// The size of a class with these members in this order.
template <class T, class... Members>
constexpr std::size_t size_of_members() {
  std::size_t size = std::is_polymorphic_v<T> ? sizeof(void*) : 0;
  ((size = (size + alignof(Members) - 1) / alignof(Members) * alignof(Members) + sizeof(Members)),
   ...);
  return (size + alignof(T) - 1) / alignof(T) * alignof(T);
}

// False if T has more members than these. Where they leave no room, there are none. Else those of
// an aggregate are counted, several ahead, because those without a default value have to be given
// together; other classes are measured.
template <class T, class... Members>
constexpr bool has_no_other_members() {
  constexpr std::size_t listed = sizeof...(Members) + unlisted<T>;
  if constexpr (listed != 0 && (sizeof(Members) + ... + 0) == sizeof(T)) {
    return true;
  } else if constexpr (std::is_aggregate_v<T>) {
    return []<std::size_t... i>(std::index_sequence<i...>) {
      return !(takes<T>(std::make_index_sequence<listed + 1 + i>()) || ...);
    }
    (std::make_index_sequence<8>());
  } else if constexpr (unlisted<T> == 0 && listed != 0) {
    return sizeof(T) <= size_of_members<T, Members...>();
  } else {
    return std::is_empty_v<T> || unlisted<T> != 0;
  }
}

// module/walk.hpp checks the types of members.
template <class T>
constexpr bool may_be_member();

template <class T, class M>
T type_of_member(T M::*);
template <auto pointer>
using TypeOfMember = std::remove_cv_t<decltype(type_of_member(pointer))>;

template <auto pointer>
struct RequireMember {
  static_assert(may_be_member<TypeOfMember<pointer>>(),
                "SINTER_MODULE: no module can have this member: members are tensors, numbers, "
                "strings, modules, or containers of these; list those of a struct with "
                "SINTER_MODULE, or leave it out with `unlisted`");
};

// The name of a member: the last word of this function's name, "... [pointer = &Mlp::hidden]".
template <auto pointer>
constexpr auto name_of_member() {
  constexpr std::string_view text = __PRETTY_FUNCTION__;
  constexpr std::size_t begin = text.rfind(':') + 1;
  return text.substr(begin, text.find_first_of("])", begin) - begin);
}
template <auto pointer>
constexpr auto accessor_of_member() {
  constexpr std::string_view name = name_of_member<pointer>();
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return boost::hana::make_pair(
        boost::hana::string_c<name[i]...>,
        boost::hana::struct_detail::member_ptr<decltype(pointer), pointer>{});
  }
  (std::make_index_sequence<name.size()>());
}

// What SINTER_MODULE lists.
template <class T, auto... pointers>
struct Members {
  static constexpr void require() {
    static_assert(
        has_no_other_members<T, TypeOfMember<pointers>...>(),
        "SINTER_MODULE(Type, members...) requires every member of Type; to leave out n of "
        "them on purpose, add: static constexpr int unlisted = n");
    ((void)sizeof(RequireMember<pointers>), ...);
  }
  static constexpr auto accessors() {
    require();
    return boost::hana::make_tuple(accessor_of_member<pointers>()...);
  }
};

// The first parameter of forward(), if there is one forward() and it has one.
template <class Result, class M, class T, class... Rest>
T first_parameter(Result (M::*forward)(T, Rest...));
template <class Result, class M, class T, class... Rest>
T first_parameter(Result (M::*forward)(T, Rest...) const);
template <class M>
using First = decltype(first_parameter(std::declval<decltype(&M::forward)>()));

template <class M, class... Args>
concept Forwards = requires(M& module, Args&&... args) {
  module.forward(std::forward<Args>(args)...);
};

// Calls module.forward(args...) in the scope of the module.
template <class M, class... Args>
decltype(auto) call_module(M& module, Args&&... args) {
  std::remove_const_t<M>::hana_accessors_impl::template Members<>::require();
  const ModuleScope sinter_scope(&module);
  SINTER_FORWARD(module.forward(std::forward<Args>(args)...))
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
