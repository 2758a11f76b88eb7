#pragma once

#include <cstdint>  // std::int64_t
#include <cstring>  // std::memcpy

#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/graph/infer.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void throw_different_devices(const Node& node, const TensorType& type, Device found,
                                           Device others, Where where) {
  throw DeviceError({.op = to_string(node.op),
                     .what = "tensors are on different devices",
                     .facts = {{"x", text(to_string(type), " on ", to_string(found))},
                               {"others", text("on ", to_string(others))}},
                     .rule = "the operands of an operation are on one device, but for numbers",
                     .fix = text("move it with x.to(", others.is_cpu() ? "cpu" : "cuda", "(",
                                 others.index() == 0 ? "" : text(others.index()), "))"),
                     .where = node.where.line() == 0 ? where : node.where,
                     .see = "devices"});
}

inline void resolve(Shape& shape, const Recorder* recorder) {
  const bool may_change = recorder != nullptr && recorder->has_replaced() && !is_static(shape);
  if (may_change) shape = recorder->resolve(shape);
}

// A value for `node`, which reads `operands`.
SINTER_INLINE LazyRef new_lazy(Recorder* recorder, std::initializer_list<OperandRef> operands,
                               Where where) {
  LazyRef result(new Lazy);
  result->node.where = where;
  result->node.called = PublicCall::name();
  if (recorder != nullptr) result->node.path = recorder->path();
  for (const OperandRef& operand : operands) {
    operand.value->type(where);  // throws if undefined
    const Tensor& tensor = imported(*operand.value, where);
    result->operands.push_back({tensor.lazy(), tensor.result()});
    result->follow(*tensor.lazy());
  }
  return result;
}

SINTER_INLINE void check_devices(const Lazy& lazy) {
  const Device device = lazy.device();
  for (const LazyValue& operand : lazy.operands) {
    const Place place = operand.lazy->place.load(MemoryOrder::relaxed);
    const bool is_bound = place.word() == Place::Word::host || place.word() == Place::Word::gpu;
    if (!is_bound || place.device() == device) continue;
    throw_different_devices(lazy.node, operand.lazy->node.results[operand.result], place.device(),
                            device, lazy.node.where);
  }
}

SINTER_INLINE void require_countable(const TensorType& type, std::string_view op, Where where) {
  std::int64_t count = 1;
  for (const Extent& extent : type.shape) {
    const bool counts = extent.is_number() && extent.number() >= 0;  // not the -1 of a reshape
    if (counts) count = saturating_multiply(count, extent.number());
  }
  if (count <= Extent::max_number) return;
  throw ShapeError({.op = op,
                    .what = "the result has too many elements",
                    .facts = {{"result", to_string(type)}},
                    .rule = "a tensor has fewer than 2^62 elements",
                    .fix = "use smaller sizes: no device holds that many elements",
                    .where = where});
}

// The tensor of the completed `lazy`.
SINTER_INLINE Tensor make_tensor(LazyRef lazy, Recorder* recorder) {
  const Node& node = lazy->node;
  for (const TensorType& type : node.results) {
    require_countable(type, info(node.op).name, node.where);
  }
  lazy->share_number();
  if (recorder != nullptr) {
    recorder->adopt(lazy);
  } else {
    check_devices(*lazy);
  }
  return Tensor(std::move(lazy));
}

// `lazy` with one result, of `type`.
SINTER_INLINE Tensor of_type(LazyRef lazy, const TensorType& type, Recorder* recorder) {
  lazy->node.results.push_back(type);
  resolve(lazy->node.results[0].shape, recorder);
  return make_tensor(std::move(lazy), recorder);
}

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
  if (lazy->place.load(MemoryOrder::relaxed).word() == Place::Word::none) {
    lazy->make_in_scope();
  }
  return detail::make_tensor(std::move(lazy), recorder);
}

SINTER_INLINE Tensor record(Op op, const TensorType& type,
                            std::initializer_list<OperandRef> operands, Where where) {
  Recorder* const recorder = current_recorder();
  LazyRef lazy = detail::new_lazy(recorder, operands, where);
  lazy->node.op = op;
  return detail::of_type(std::move(lazy), type, recorder);
}

SINTER_INLINE Tensor constant_tensor(Constant number, const TensorType& type, Where where) {
  Recorder* const recorder = current_recorder();
  LazyRef lazy = detail::new_lazy(recorder, {}, where);
  lazy->node.op = Op::constant;
  Attribute& value = lazy->node.attributes.emplace_back();
  value.name = "value";
  value.value = cast(number, type.dtype);
  return detail::of_type(std::move(lazy), type, recorder);
}

SINTER_INLINE Tensor from_bytes(const void* memory, std::size_t bytes, DType dtype,
                                const Shape& shape, Where where) {
  const Storage elements = Storage::allocate(bytes, cpu(), Where());
  if (bytes != 0) std::memcpy(elements.data(), memory, bytes);
  const Device device = current_device();
  return made_on_host({dtype, shape},
                      device.is_cpu() ? elements : copied_to(elements, device, Where()), where);
}

SINTER_INLINE Tensor placed_as(const Operand& x, Tensor made) {
  const auto* const tensor = x.value.get_if<Tensor>();
  if (tensor == nullptr) return made;
  const Place place = target_of(tensor->lazy().get())->place.load(MemoryOrder::relaxed);
  if (place.word() != Place::Word::none) {
    made.lazy()->place.store(place, MemoryOrder::relaxed);
  }
  return made;
}

}  // namespace detail

SINTER_INLINE Tensor detach(Operand x) {
  const Tensor value = x.tensor();
  const detail::TensorType type = value.type(x.where);
  detail::LazyRef lazy =
      detail::make_lazy({.op = detail::Op::input, .results = {type}, .where = x.where}, {}, 0);
  lazy->stands_for = value.lazy();
  lazy->follow(*value.lazy());
  lazy->is_detached = true;
  if (detail::Recorder* const recorder = detail::current_recorder()) recorder->adopt(lazy);
  return Tensor(std::move(lazy));
}

SINTER_INLINE Tensor Operand::tensor() const {
  if (const auto* tensor = value.get_if<Tensor>()) return *tensor;
  if (const auto* scalar = value.get_if<Scalar>()) return scalar->tensor();
  const auto& number = value.get<detail::Constant>();
  const DType dtype = detail::is_floating(number.dtype) ? f32 : number.dtype;
  return detail::constant_tensor(number, {dtype, {}}, where);
}

}  // namespace sinter::inline SINTER_ABI
