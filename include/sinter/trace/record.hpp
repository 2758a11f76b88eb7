#pragma once
// How the functions of this folder record a node.

#include <initializer_list>  // std::initializer_list

#include <sinter/config.hpp>
#include <sinter/graph/graph.hpp>
#include <sinter/trace/tensor.hpp>

namespace sinter::inline SINTER_ABI {

/// The first result of `node`, which reads `operands`, asked for at `where`. Its types are inferred;
/// that the operands fit has been checked, in the words of the function that was called.
Tensor record(Node node, std::initializer_list<Tensor> operands, Where where);

/// `number` in each element of a tensor of `type`.
Tensor constant_tensor(Constant number, const TensorType& type, Where where);

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/record.ipp>
#endif
