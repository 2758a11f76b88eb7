#pragma once

#include <sinter/device/host/copy.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/trace/core/axis.hpp>
#include <sinter/trace/core/cast.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/record.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/tensor.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_one_element(const Tensor& x, std::string_view op, Where where) {
  if (sinter::numel(concrete(x.shape(where))).number() == 1) return;
  throw ShapeError({.op = op,
                    .what = "the tensor does not have one element",
                    .facts = {{"x", to_string(x)}},
                    .rule = "x.numel() == 1",
                    .fix = "reduce it first, with any(x), all(x) or sum(x); or read to_vector<T>()",
                    .where = where});
}

SINTER_INLINE void throw_other_element(const Tensor& x, DType asked, Where where) {
  throw DTypeError({.op = "data",
                    .what = "the elements are of a different type",
                    .facts = {{"x", to_string(x)}, {"asked", to_string(asked)}},
                    .rule = "T is the C++ type of the elements",
                    .fix = text("convert first: x.to(", asked, ")"),
                    .where = where});
}

}  // namespace detail

SINTER_INLINE void Tensor::throw_undefined(Where where) {
  throw ValueError({.op = "tensor",
                    .what = "the tensor is undefined",
                    .rule = "a tensor has a value before it is used",
                    .fix = "assign one, zeros({4}) say; defined() tells",
                    .where = where,
                    .see = "undefined"});
}

SINTER_INLINE Extent Tensor::size(int dim, Where where) const {
  return shape(where)[detail::axis_of(dim, *this, "size", where)];
}

SINTER_INLINE Device Tensor::device(Where where) const {
  type(where);
  return detail::target_of(lazy_.get())->device();
}

SINTER_INLINE Tensor Tensor::to(DType dtype, Where where) const {
  const bool narrows = dtype == f16 || dtype == bf16;
  if (!narrows || this->dtype(where) == dtype) return detail::cast({*this, where}, dtype);
  detail::Node node{.op = detail::Op::cast, .attributes = {{"written", detail::constant(true)}}};
  node.results = {{dtype, shape(where)}};
  return detail::record(std::move(node), {*this}, where);
}

SINTER_INLINE Tensor Tensor::to(Device device, Where where) const {
  if (device == this->device(where)) return *this;
  if (const std::string reason = why_not_runnable(device); !reason.empty()) {
    throw DeviceError(
        {.op = "to",
         .what = "this machine cannot run operations on the device",
         .facts = {{"x", to_string(*this)}, {"device", to_string(device)}, {"reason", reason}},
         .rule = "a GPU of this machine, of compute capability 8.0, and NVRTC",
         .fix = detail::way_to_run(device),
         .where = where,
         .see = "devices"});
  }
  const bool is_recorded = is_recording() || detail::current_body != 0;
  if (is_recorded || detail::active_differentiations() != 0) {
    throw DeviceError(
        {.op = "to",
         .what = detail::text("a tensor is moved ", is_recorded ? "while a function is recorded"
                                                                : "while a gradient is found"),
         .facts = {{"x", to_string(*this)}, {"device", to_string(device)}},
         .rule = "what is compiled or differentiated runs on one device",
         .fix = "move arguments before the call, and results after it",
         .where = where,
         .see = "devices"});
  }
  return Tensor(detail::make_evaluated(
      type(where), detail::copied_to(detail::elements_of(*this, where), device, where)));
}

SINTER_INLINE Scalar::Scalar(Tensor value, Where where) : value_(std::move(value)) {
  if (value_.ndim(where) == 0) return;
  throw ShapeError({.op = "Scalar",
                    .what = "the tensor has axes",
                    .facts = {{"value", to_string(value_)}},
                    .rule = "value.ndim() == 0",
                    .fix = "reduce it, with sum(x) or mean(x), or reshape(x, {})",
                    .where = where});
}

SINTER_INLINE Scalar& Scalar::operator=(detail::Located<Tensor> value) {
  return *this = Scalar(std::move(value.value), value.where);
}

SINTER_INLINE Tensor Scalar::of_number(detail::Constant number) {
  const auto elements = detail::Storage::allocate(detail::info(number.dtype).size, cpu(), Where());
  detail::visit_dtype(number.dtype, [&]<class T>(T) {
    *static_cast<T*>(elements.data()) = detail::is_floating(number.dtype)
                                            ? detail::convert_element<T>(number.floating())
                                            : detail::convert_element<T>(number.integer());
  });
  detail::LazyRef lazy = detail::make_evaluated({number.dtype, {}}, elements);
  if (detail::Recorder* const recorder = detail::current_recorder()) recorder->adopt(lazy);
  return Tensor(std::move(lazy));
}

SINTER_INLINE detail::OperandType Operand::type() const {
  if (const auto* number = value.get_if<detail::Constant>()) return {number->dtype, true};
  if (const auto* scalar = value.get_if<Scalar>()) return {scalar->dtype(), true};
  return {value.get<Tensor>().dtype(where), false};
}

SINTER_INLINE Shape Operand::shape() const {
  const Tensor* tensor = value.get_if<Tensor>();
  return tensor ? tensor->shape(where) : Shape{};
}

namespace detail {

SINTER_INLINE std::string described(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  return text(TensorType{tensor.dtype(), concrete(tensor.shape())});
}

}  // namespace detail

SINTER_INLINE std::string to_string(const Tensor& tensor, Where where) {
  if (!tensor.defined()) return "undefined";
  return detail::text(tensor.dtype(where), to_string(tensor.shape(where), where));
}

SINTER_INLINE std::string to_string(const Operand& operand) {
  if (const auto* number = operand.value.get_if<detail::Constant>())
    return detail::to_string(*number);
  const auto* const scalar = operand.value.get_if<Scalar>();
  return detail::described(scalar ? scalar->tensor() : operand.value.get<Tensor>());
}

}  // namespace sinter::inline SINTER_ABI
