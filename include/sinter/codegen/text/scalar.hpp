#pragma once
// How values are written in generated C++ and CUDA: types, literals, and each operation.

#include <span>         // std::span
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/constant.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The type of a value: `lanes` neighbouring numbers in one vector, or one number. 16-bit floating
/// numbers are computed as f32. A vector of booleans is one of integers that are 0 or -1, as wide
/// as `mask`, which is i32 or i64.
struct ValueType {
  DType dtype{};
  int lanes = 1;
  DType mask = i32;
};

/// "float", "f32x16": as a declaration names it.
std::string type_name(const ValueType& type);

/// "f32", "f32x16": as the names of helpers end.
std::string suffix(const ValueType& type);

/// The C type of an element in memory: "unsigned short" for the 16-bit floating dtypes.
std::string_view memory_type(DType dtype);

/// A literal that reads back as the same number; floating numbers are hexadecimal.
std::string literal(const Constant& number);

/// The number that `op`, a reduction other than argmax, starts from.
Constant neutral(Op op, DType dtype);

/// The elementwise operation that combines two partial results of a reduction.
Op combining(Op reduction);

/// The elementwise `op` of operands that are written as `operands`, whose type is `from`, as a
/// value of type `to`; both have the same lanes.
std::string apply(Op op, std::span<const std::string> operands, const ValueType& from,
                  const ValueType& to);

/// The same in CUDA, whose compiler assumes that signed numbers do not overflow: arithmetic on them
/// is that of unsigned numbers, which wraps.
std::string apply_in_cuda(Op op, std::span<const std::string> operands, const ValueType& from,
                          const ValueType& to);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/scalar.ipp>
#endif
