#pragma once
// Recording of nodes, for the functions of trace.

#include <initializer_list>  // std::initializer_list
#include <string_view>       // std::string_view

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/core/handle.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// An operand of record(); valid until record() returns.
struct OperandRef {
  OperandRef(const Tensor& tensor) : value(&tensor) {}
  const Tensor* value;
};

/// Records `node` with `operands` for the user's line `where`, and returns its first result. Types
/// are inferred; the public function has checked the operands before.
Tensor record(Node node, std::initializer_list<OperandRef> operands, Where where);

/// The same for an operation without attributes whose result type is known.
Tensor record(Op op, const TensorType& type, std::initializer_list<OperandRef> operands,
              Where where);

/// A tensor of `type` with `number` in each element, computed on the device where it is used.
Tensor constant_tensor(Constant number, const TensorType& type, Where where);

/// A tensor on the current device that holds a copy of `bytes` bytes at `memory`.
Tensor from_bytes(const void* memory, std::size_t bytes, DType dtype, const Shape& shape,
                  Where where);

/// Places `made`, which has not been read yet, on the device of `x`.
Tensor placed_as(const Operand& x, Tensor made);

}  // namespace detail

/// `x` as a constant: no gradient flows through the result.
Tensor detach(Operand x);

namespace detail {

/// Throws ShapeError in the name of `op` if the number of elements overflows a size.
void require_countable(const TensorType& type, std::string_view op, Where where);
/// Throws DeviceError in the name of `lazy` if its operands are on different devices. Inputs of a
/// recording are moved to its device, or refused, when it is called.
void check_devices(const Lazy& lazy);
/// Throws DeviceError in the name of `node`, which reads a tensor of `type` on `found` while the
/// other operands are on `others`. `where` is reported if the node has no line.
[[noreturn]] void throw_different_devices(const Node& node, const TensorType& type, Device found,
                                          Device others, Where where);

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI

#include <sinter/trace/core/tensor.hpp>

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/core/record.ipp>
#endif
