#pragma once
// Element types: their names, their C and C++ types, and type promotion.

#include <array>        // std::array
#include <cstddef>      // std::size_t
#include <cstdint>      // std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::swap

#include <sinter/base/half.hpp>
#include <sinter/base/operators.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI {

// DType has its own namespace so that comparing two dtypes does not consider the operators of
// tensors: there are many, and overload resolution is slow.
namespace detail::dtypes {

enum class DType : std::uint8_t { boolean, u8, i8, i16, i32, i64, f16, bf16, f32, f64 };
/// The name of the dtype: "f32".
std::string to_string(DType dtype);

}  // namespace detail::dtypes

using detail::dtypes::DType;
using detail::dtypes::to_string;
using enum DType;  // zeros({4}, f32)

namespace detail {

struct DTypeInfo {
  std::string_view name;    ///< As printed by sinter and read by its user: "f32".
  std::string_view c_name;  ///< As written in generated C++ and CUDA: "float".
  std::size_t size;         ///< Bytes per element.
};

inline constexpr std::array<DTypeInfo, 10> dtype_table{{
    {"bool", "bool", 1},
    {"u8", "unsigned char", 1},
    {"i8", "signed char", 1},
    {"i16", "short", 2},
    {"i32", "int", 4},
    {"i64", "long", 8},
    {"f16", "half", 2},
    {"bf16", "bfloat16", 2},
    {"f32", "float", 4},
    {"f64", "double", 8},
}};

constexpr const DTypeInfo& info(DType dtype) {
  return dtype_table[static_cast<std::size_t>(dtype)];
}

constexpr bool is_floating(DType dtype) { return dtype >= f16; }
constexpr bool is_integer(DType dtype) { return dtype > boolean && dtype < f16; }

/// Whether `dtype` is a floating dtype of 16 bits.
constexpr bool is_half(DType dtype) { return dtype == f16 || dtype == bf16; }

/// The dtype in which arithmetic on `dtype` is done: f32 for the 16-bit floating dtypes.
constexpr DType computed_in(DType dtype) { return is_half(dtype) ? f32 : dtype; }

}  // namespace detail

inline std::string detail::dtypes::to_string(DType dtype) { return std::string(info(dtype).name); }

/// The C++ types of elements, in the order of DType.
using ElementTypes = std::tuple<bool, std::uint8_t, std::int8_t, std::int16_t, std::int32_t,
                                std::int64_t, half, bfloat16, float, double>;

namespace detail {

/// The C++ type of an element of `dtype`.
template <DType dtype>
using Element = std::tuple_element_t<static_cast<std::size_t>(dtype), ElementTypes>;

template <class T, class Tuple = ElementTypes>
inline constexpr bool is_element = false;
template <class T, class... Types>
inline constexpr bool is_element<T, std::tuple<Types...>> = (std::is_same_v<T, Types> || ...);

}  // namespace detail

/// A C++ type that is the element of a tensor: float, std::int64_t, bool, bfloat16.
template <class T>
concept ElementType = detail::is_element<T>;

/// The dtype whose elements are of the C++ type `T`.
template <class T>
inline constexpr DType dtype_of = []<class... Types>(const std::tuple<Types...>*) {
  static_assert((std::is_same_v<T, Types> || ...),
                "sinter::TensorOf<T, Dim...> requires T to be one of sinter::ElementTypes");
  constexpr bool same[] = {std::is_same_v<T, Types>...};
  std::size_t index = 0;
  while (index < sizeof...(Types) && !same[index]) ++index;
  return static_cast<DType>(index);
}(static_cast<const ElementTypes*>(nullptr));

namespace detail {

/// Calls visit(T{}) with a value of the element type of `dtype`, and returns what it returns.
template <class Visit>
constexpr decltype(auto) visit_dtype(DType dtype, Visit&& visit) {
  switch (dtype) {
    case DType::boolean:
      return visit(bool{});
    case DType::u8:
      return visit(std::uint8_t{});
    case DType::i8:
      return visit(std::int8_t{});
    case DType::i16:
      return visit(std::int16_t{});
    case DType::i32:
      return visit(std::int32_t{});
    case DType::i64:
      return visit(std::int64_t{});
    case DType::f16:
      return visit(half{});
    case DType::bf16:
      return visit(bfloat16{});
    case DType::f32:
      return visit(float{});
    case DType::f64:
      break;
  }
  return visit(double{});
}

/// The promoted dtype of `a` and `b`, as in torch: floating over integer; integers as wide as both
/// require (u8 with i8 gives i16); f16 with bf16 gives f32.
constexpr DType promote(DType a, DType b) {
  if (a == b) return a;
  if (a > b) std::swap(a, b);
  if (a == u8 && b == i8) return i16;
  if (a == f16 && b == bf16) return f32;
  return b;
}

/// The dtype of an operand. Number literals are weak: next to a tensor they affect at most whether
/// the result is floating, never its width.
struct OperandType {
  DType dtype = boolean;
  bool weak = true;
};

/// 0 for boolean, 1 for integers, 2 for floating dtypes.
constexpr int category(DType dtype) { return is_floating(dtype) ? 2 : is_integer(dtype) ? 1 : 0; }

/// Accumulates the promoted dtype of operands, by the rules of torch.
constexpr OperandType promote(OperandType x) { return x; }
constexpr OperandType promote(OperandType a, OperandType b) {
  if (a.weak == b.weak) return {promote(a.dtype, b.dtype), a.weak};
  const DType number = a.weak ? a.dtype : b.dtype;
  const DType tensor = a.weak ? b.dtype : a.dtype;
  if (category(number) <= category(tensor)) return {tensor, false};
  return {is_floating(number) ? f32 : number, false};
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
