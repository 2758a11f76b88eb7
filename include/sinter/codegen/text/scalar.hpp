#pragma once
// Writes types, literals and elementwise operations in C++ and CUDA.

#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/base/constant.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/op.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// The type of a value: a scalar, or a vector of `lanes` numbers. 16-bit floating point is computed
/// as f32. A vector of booleans is a vector of integers, 0 or -1, as wide as `mask`: i32 or i64.
struct ValueType {
  DType dtype{};
  int lanes = 1;
  DType mask = i32;
};

/// "float", "f32x16": the name in a declaration.
std::string type_name(const ValueType& type);

/// "f32", "f32x16": the suffix of helper names.
std::string suffix(const ValueType& type);

/// The C type of an element in memory: "unsigned short" for the 16-bit floating dtypes.
std::string_view memory_type(DType dtype);

/// "f32_of_f16(in0[i0])": `element`, as it is in memory, in the type of computation.
std::string loaded(DType dtype, const std::string& element);
/// "f16_of_f32(v3)": `value` as it is in memory.
std::string stored(DType dtype, const std::string& value);
/// A literal that reads back as the same number; floating numbers are hexadecimal.
std::string literal(const Constant& number);

/// The neutral element of `op`, a reduction other than argmax.
Constant neutral(Op op, DType dtype);

/// The elementwise operation that combines two partial results of a reduction.
Op combining(Op reduction);

/// The elementwise `op` of `operands`, which have type `from`, as a value of type `to`; both have
/// the same number of lanes.
std::string apply(Op op, Span<const std::string> operands, const ValueType& from,
                  const ValueType& to);

/// The same in CUDA, whose compiler assumes that signed arithmetic does not overflow: it is written
/// as unsigned arithmetic, which wraps.
std::string apply_in_cuda(Op op, Span<const std::string> operands, const ValueType& from,
                          const ValueType& to);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/scalar.ipp>
#endif
