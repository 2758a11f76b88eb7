#pragma once

#include <sinter/graph/infer.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

inline void resolve(Shape& shape, const Recorder* recorder) {
  if (recorder != nullptr && !is_static(shape)) shape = recorder->resolve(shape);
}

// A value of this recording for `node`, which reads `operands`.
SINTER_INLINE LazyRef new_lazy(Recorder* recorder, std::initializer_list<OperandRef> operands,
                               Where where) {
  LazyRef result(new Lazy);
  result->node.where = where;
  if (recorder != nullptr) {
    result->recording = recorder->id();
    result->node.path = recorder->path();
  }
  for (const OperandRef& operand : operands) {
    const Tensor& tensor = *operand.value;
    tensor.type(where);  // throws for no tensor at all
    if (recorder != nullptr && tensor.lazy()->recording != recorder->id()) {
      recorder->note_outside(tensor, where);
    }
    result->operands.push_back({tensor.lazy(), tensor.result()});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Tensor record(Node node, std::initializer_list<OperandRef> operands, Where where) {
  Recorder* const recorder = current_recorder();
  LazyRef lazy = detail::new_lazy(recorder, operands, where);
  SmallVector<TensorType, 3> types;
  for (const OperandRef& operand : operands) {
    types.push_back(operand.value->type());
    detail::resolve(types.back().shape, recorder);
  }
  for (TensorType& type : node.results) detail::resolve(type.shape, recorder);
  lazy->node.results = infer(node, {types.data(), types.size()});
  lazy->node.op = node.op;
  lazy->node.attributes = std::move(node.attributes);
  lazy->node.bodies = std::move(node.bodies);
  return Tensor(std::move(lazy));
}

SINTER_INLINE Tensor record(Op op, const TensorType& type,
                            std::initializer_list<OperandRef> operands, Where where) {
  Recorder* const recorder = current_recorder();
  LazyRef lazy = detail::new_lazy(recorder, operands, where);
  lazy->node.op = op;
  lazy->node.results.push_back(type);
  detail::resolve(lazy->node.results[0].shape, recorder);
  return Tensor(std::move(lazy));
}

SINTER_INLINE Tensor constant_tensor(Constant number, const TensorType& type, Where where) {
  return record(
      {.op = Op::constant, .attributes = {{"value", cast(number, type.dtype)}}, .results = {type}},
      {}, where);
}

SINTER_INLINE Tensor Operand::tensor() const {
  if (const auto* tensor = std::get_if<Tensor>(&value)) return *tensor;
  if (const auto* scalar = std::get_if<Scalar>(&value)) return scalar->tensor();
  const auto& number = std::get<Constant>(value);
  const DType dtype = is_floating(number.dtype) ? f32 : number.dtype;
  return constant_tensor(number, {dtype, {}}, where);
}

}  // namespace sinter::inline SINTER_ABI
