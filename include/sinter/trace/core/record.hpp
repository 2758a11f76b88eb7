#pragma once
// How the functions of this folder record a node.

#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// An operand of record(), which lives until that returns.
struct OperandRef {
  OperandRef(const Tensor& tensor) : value(&tensor) {}
  const Tensor* value;
};

/// The first result of `node`, which reads `operands`, asked for at `where`. Its types are
/// inferred; that the operands fit has been checked, in the words of the function that was called.
Tensor record(Node node, std::initializer_list<OperandRef> operands, Where where);

/// The same for an operation without attributes whose result is known to be of `type`.
Tensor record(Op op, const TensorType& type, std::initializer_list<OperandRef> operands,
              Where where);

/// `number` in each element of a tensor of `type`, which is computed where it is used.
Tensor constant_tensor(Constant number, const TensorType& type, Where where);

/// A tensor of a copy of `bytes` bytes from `memory` on, on the current device.
Tensor from_bytes(const void* memory, std::size_t bytes, DType dtype, const Shape& shape,
                  Where where);

/// `made`, which nobody has read yet, on the device of `x`.
Tensor placed_as(const Operand& x, Tensor made);

}  // namespace detail

/// `x` as a constant: no gradient flows through the result.
Tensor detach(Operand x);

namespace detail {

/// Throws the ShapeError of `op` if there are more elements than a size can be.
void require_countable(const TensorType& type, std::string_view op, Where where);
/// Throws the DeviceError of `lazy` if an operand is not on the device of the others. What a
/// recording reads is moved to its device, or refused, when it is called.
void check_devices(const Lazy& lazy);
/// Throws the DeviceError of `node`, which reads a tensor of `type` that is on `found`, while the
/// others are on `others`. `where` is said if the node has no line.
[[noreturn]] void throw_different_devices(const Node& node, const TensorType& type, Device found,
                                          Device others, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/record.ipp>
#endif
