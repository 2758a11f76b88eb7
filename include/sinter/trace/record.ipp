#pragma once

#include <sinter/graph/infer.hpp>
#include <sinter/trace/record.hpp>
#include <sinter/trace/recorder.hpp>

namespace sinter::inline SINTER_ABI {

SINTER_INLINE Tensor record(Node node, std::initializer_list<Tensor> operands, Where where) {
  Recorder* const recorder = current_recorder();
  SmallVector<TensorType, 3> types;
  std::vector<LazyValue> values;
  values.reserve(operands.size());
  for (const Tensor& operand : operands) {
    TensorType type = operand.type(where);
    if (recorder != nullptr) {
      type.shape = recorder->resolve(type.shape);
      if (operand.lazy()->recording != recorder->id()) recorder->note_outside(operand, where);
    }
    types.push_back(type);
    values.push_back({operand.lazy(), operand.result()});
  }
  node.where = where;
  if (recorder != nullptr) node.path = recorder->path();
  for (TensorType& type : node.results) {
    if (recorder != nullptr) type.shape = recorder->resolve(type.shape);
  }
  node.results = infer(node, {types.data(), types.size()});
  return Tensor(
      make_lazy(std::move(node), std::move(values), recorder == nullptr ? 0 : recorder->id()));
}

SINTER_INLINE Tensor constant_tensor(Constant number, const TensorType& type, Where where) {
  return record({.op = Op::constant,
                 .attributes = {{"value", cast(number, type.dtype)}},
                 .results = {type}},
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
