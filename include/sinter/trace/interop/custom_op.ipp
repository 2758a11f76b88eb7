#pragma once

#include <atomic>   // std::atomic
#include <utility>  // std::move

#include <sinter/graph/control.hpp>
#include <sinter/graph/custom/user_text.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/interop/custom_op.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/transform/effects.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

SINTER_INLINE void require_operand_count(std::size_t given, std::size_t taken, Where where) {
  if (given == taken) return;
  throw ValueError({.op = "custom_op",
                    .what = "a function takes the wrong number of tensors",
                    .facts = {{"it takes", text(taken)}, {"it gets", text(given)}},
                    .rule = "shape, forward and reference take x...; backward takes x..., y..., "
                            "g..., where y... are the results and g... their gradients",
                    .fix = "give it as many parameters, or one: a std::span of them",
                    .where = where});
}

SINTER_INLINE Hash identity_of_call(const void* tag, const void* bytes, std::size_t size) {
  Hasher hasher;
  hasher.add(reinterpret_cast<std::uintptr_t>(tag));
  return hasher.add(std::string_view(static_cast<const char*>(bytes), size)).result();
}

SINTER_INLINE Hash new_identity() {
  static std::atomic<std::uint64_t> next{1};
  return Hasher().add("one function").add(next++).result();
}

// The evaluated `x`, copied to the host if needed.
SINTER_INLINE Tensor as_host_tensor(const Tensor& x) {
  const Recorder& recorder = *current_recorder();
  const Lazy& target = *target_of(x.lazy().get());
  if (target.recording != recorder.id()) return x;
  Shape shape;
  for (const Extent& extent : x.shape()) shape.push_back(recorder.hint(extent));
  return Tensor(make_evaluated({x.dtype(), shape}, target.elements[0]));
}

// Runs `forward` and returns its results.
SINTER_INLINE std::vector<Tensor> run_custom_op(std::string_view name, const CustomOp& rules,
                                                std::vector<Tensor> operands, Where where) {
  if (current_body != 0) throw_unexpected_break(name, where);
  if (!is_recording()) return rules.forward(operands, where);
  std::vector<Tensor*> places;
  for (Tensor& operand : operands) places.push_back(&operand);
  const ElementsForTensors elements(places, where, text("the operation ", name, " is called"));
  for (Tensor& operand : operands) operand = as_host_tensor(operand);
  const DisabledScope scope(Recursive::no);
  return rules.forward(operands, where);
}

// What `forward` computes, at a graph break, with the gradient by `backward`.
SINTER_INLINE std::vector<Tensor> break_for_custom_op(std::string_view name, const CustomOp& rules,
                                                      std::vector<Tensor> operands, Where where) {
  const std::vector<Tensor> computed = run_custom_op(name, rules, operands, where);
  if (!rules.backward) return computed;
  Body forward, backward;
  {
    const BodyScope scope(forward);
    add_variables(forward, operands, where);
    forward.results = computed;
  }
  {
    const BodyScope scope(backward);
    add_variables(backward, operands, where);
    std::vector<Tensor> given = backward.variables;
    for (const Tensor& y : add_result_variables(backward, forward, where)) given.push_back(y);
    for (const Tensor& g : add_gradient_variables(backward, forward, where)) given.push_back(g);
    backward.results = rules.backward(given, where);
  }
  return record_call(operands, forward, backward, where);
}

// Whether a text of the operation is a function of elements.
SINTER_INLINE bool is_elementwise(const CustomCode& code) {
  return code.cpp_function.is_elementwise() || code.cuda_function.is_elementwise();
}

// The operands of an elementwise operation, in one shape.
SINTER_INLINE std::vector<Tensor> broadcast_operands(const CustomCode& code,
                                                     std::vector<Tensor> operands, Where where) {
  Vector<Operand> given;
  for (const Tensor& x : operands) given.emplace_back(x, where);
  const Shape shape = broadcast_shapes(code.name, given);
  for (Tensor& x : operands) x = convert(Operand(x, where), {x.dtype(), shape}, where);
  return operands;
}

// Checks the function that a text of a custom operation defines against a call of it.
class UserFunctionCheck {
 public:
  UserFunctionCheck(const CustomCode& code, const std::vector<Tensor>& operands,
                    const Vector<TensorType>& results, Where where)
      : code_(code), operands_(operands), results_(results), where_(where) {}

  void check(const std::string& text, const UserFunction& function) const {
    if (text.empty()) return;
    const std::string local(local_name(code_.name));
    if (function.name.empty()) {
      fail("the text defines no function of the name of the operation", "function", local,
           "name the function as the operation, without its namespace");
    }
    const bool is_elementwise = function.is_elementwise();
    const std::size_t pointers = operands_.size() + (is_elementwise ? 0 : results_.size());
    const std::size_t given = function.parameters.size();
    if (given < pointers || (is_elementwise && given != pointers)) {
      fail("the function takes the wrong number of parameters", "parameters",
           detail::text(given, " instead of ", pointers, is_elementwise ? "" : " and sizes"),
           "take one for each operand, then, unless it returns a value, one for each result, and "
           "sizes");
    }
    for (std::size_t i = 0; i < pointers; ++i) {
      check_parameter(function.parameters[i], i, is_elementwise);
    }
    if (!is_elementwise) return;
    if (results_.size() != 1) {
      fail("a function that returns a value gives one result", "results",
           detail::text(results_.size()), "return void, and take pointers");
    }
    check_type(function.result, results_[0].dtype, true, "the result");
  }

 private:
  void check_parameter(const UserParameter& parameter, std::size_t i, bool is_value) const {
    const bool is_operand = i < operands_.size();
    const DType dtype = is_operand ? operands_[i].dtype() : results_[i - operands_.size()].dtype;
    const std::string name =
        is_operand ? detail::text("operand ", i) : detail::text("result ", i - operands_.size());
    if (parameter.is_pointer == is_value) {
      fail("a parameter is no pointer, or should be none", name, parameter.type,
           "a function that returns void takes pointers, one that returns a value takes values");
    }
    check_type(parameter.type, dtype, is_value, name);
  }

  // Values of 16-bit floating dtypes are computed in f32.
  void check_type(const std::string& type, DType dtype, bool is_value,
                  const std::string& name) const {
    if (may_be(type, is_value ? computed_in(dtype) : dtype)) return;
    throw DTypeError({.op = code_.name,
                      .what = "a parameter has another type than the elements",
                      .facts = {{name, to_string(dtype)}, {"in the text", type}},
                      .rule = "the text is compiled for the dtypes of the operands",
                      .fix = "convert the operand, x.to(f32), or make the function a template",
                      .where = where_,
                      .see = "custom-operations"});
  }

  [[noreturn]] void fail(std::string_view what, std::string_view label, std::string_view value,
                         std::string_view fix) const {
    throw ValueError({.op = code_.name,
                      .what = std::string(what),
                      .facts = {{std::string(label), std::string(value)}},
                      .rule = "a text defines void f(pointers to operands, pointers to results, "
                              "sizes), or T f(values)",
                      .fix = std::string(fix),
                      .where = where_,
                      .see = "custom-operations"});
  }

  const CustomCode& code_;
  const std::vector<Tensor>& operands_;
  const Vector<TensorType>& results_;
  Where where_;
};

// Records one call of a custom operation as a node.
class CustomNode {
 public:
  CustomNode(const SharedPtr<const CustomCode>& code, const CustomOp& rules,
             const std::vector<Tensor>& operands, Where where)
      : code_(code), rules_(rules), operands_(operands), where_(where) {}

  std::vector<Tensor> record() {
    std::vector<Tensor> results = record_node();
    if (code_->has_side_effects) {
      add_effect(evaluates_operands(), {results[0]}, false, code_->name, where_);
    }
    return results;
  }

 private:
  std::vector<Tensor> record_node() {
    Node node{.op = Op::custom};
    node.attributes = {{"code", code_},
                       {"operands", constant(static_cast<std::int64_t>(operands_.size()))}};
    trace_reference();
    for (const TensorType& type : result_types()) node.results.push_back(type);
    trace_backward(node);
    for (TensorType& type : node.results) type.shape = resolved(type.shape);
    std::vector<Tensor> captured, inputs = operands_;
    Graph reference, gradient;
    if (rules_.reference) {
      reference = graph_of(reference_, captured);
      fit_outputs(reference, {node.results.data(), node.results.size()});
    }
    if (rules_.backward) {
      const std::size_t known = captured.size();
      gradient = gradient_graph_of(backward_, operands_, captured);
      if (rules_.reference) add_unused_inputs(reference, captured, known);
    }
    if (rules_.reference || rules_.backward) node.bodies.push_back(std::move(reference));
    if (rules_.backward) node.bodies.push_back(std::move(gradient));
    inputs.insert(inputs.end(), captured.begin(), captured.end());
    return record_all(std::move(node), inputs, where_);
  }

  static Shape resolved(const Shape& shape) {
    return current_recorder() == nullptr ? shape : current_recorder()->resolve(shape);
  }

  void trace_reference() {
    if (!rules_.reference) return;
    const BodyScope scope(reference_);
    add_variables(reference_, operands_, where_);
    reference_.results = rules_.reference(reference_.variables, where_);
  }

  Vector<TensorType> types_by_shape() const {
    std::vector<TensorSpec> specs;
    for (const Tensor& x : operands_) specs.push_back({x.shape(), x.dtype(), {}, where_});
    Vector<TensorType> result;
    for (const TensorSpec& spec : rules_.shape(specs, where_)) {
      require_sizes(spec.shape, code_->name, where_);
      if (static_cast<std::size_t>(spec.dtype) >= dtype_table.size()) {
        throw DTypeError({.op = code_->name,
                          .what = ".shape gives a dtype that does not exist",
                          .facts = {{"dtype", text(static_cast<int>(spec.dtype))}},
                          .rule = "a TensorSpec has one of the values of DType",
                          .fix = "name one, as f32, or take that of an operand: x.dtype",
                          .where = where_,
                          .see = "custom-operations"});
      }
      result.push_back({spec.dtype, spec.shape});
    }
    return result;
  }

  Vector<TensorType> result_types() const {
    Vector<TensorType> result;
    if (rules_.shape) {
      result = types_by_shape();
    } else if (rules_.reference) {
      for (const Tensor& y : reference_.results) result.push_back(y.type(where_));
    } else if (!operands_.empty()) {
      result.push_back(operands_[0].type(where_));
      const UserFunction& function =
          code_->cpp.empty() ? code_->cuda_function : code_->cpp_function;
      const DType dtype = result[0].dtype;
      if (function.is_elementwise() && !may_be(function.result, computed_in(dtype))) {
        result[0].dtype = dtype_of_type(function.result, dtype);
      }
    }
    if (result.empty()) {
      throw ValueError({.op = code_->name,
                        .what = "a custom operation has no result",
                        .facts = {},
                        .rule = ".shape gives one TensorSpec, or several",
                        .fix = "give custom_op a .shape that returns one for each result",
                        .where = where_,
                        .see = "custom-operations"});
    }
    for (TensorType& type : result) type.shape = resolved(type.shape);
    require_types_of_reference(result);
    const UserFunctionCheck check(*code_, operands_, result, where_);
    check.check(code_->cpp, code_->cpp_function);
    check.check(code_->cuda, code_->cuda_function);
    return result;
  }

  void require_types_of_reference(const Vector<TensorType>& types) const {
    if (!rules_.reference) return;
    const std::vector<Tensor>& given = reference_.results;
    bool fits = given.size() == types.size();
    for (std::size_t i = 0; fits && i < types.size(); ++i) {
      const Shape &a = given[i].shape(), &b = types[i].shape;
      fits = given[i].dtype() == types[i].dtype && a.size() == b.size();
      for (int axis = 0; fits && axis < a.size(); ++axis) {
        fits = equal_sizes(a[axis], b[axis], where_);
      }
    }
    if (fits) return;
    std::string expected, found;
    for (const TensorType& type : types) expected += text(" ", type);
    for (const Tensor& y : given) found += text(" ", y.type(where_));
    throw ShapeError({.op = code_->name,
                      .what = "the reference has other results than .shape says",
                      .facts = {{".shape", expected}, {".reference", found}},
                      .rule = "both give the results of the operation",
                      .fix = "correct one of them",
                      .where = where_,
                      .see = "custom-operations"});
  }

  // The gradients of the floating operands, from operands, results, and gradients of the floating
  // results.
  void trace_backward(const Node& node) {
    if (!rules_.backward) return;
    Body forward;
    {
      const BodyScope scope(forward);
      for (const TensorType& type : node.results) add_variable(forward, type, where_);
      forward.results = forward.variables;
    }
    {
      const BodyScope scope(backward_);
      add_variables(backward_, operands_, where_);
      std::vector<Tensor> given = backward_.variables;
      for (const Tensor& y : add_result_variables(backward_, forward, where_)) given.push_back(y);
      for (const Tensor& g : add_gradient_variables(backward_, forward, where_)) {
        given.push_back(g);
      }
      backward_.results = rules_.backward(given, where_);
    }
    require_gradients(backward_.results, operands_, where_);
  }

  const SharedPtr<const CustomCode>& code_;
  const CustomOp& rules_;
  const std::vector<Tensor>& operands_;
  Where where_;
  Body reference_{}, backward_{};
};

}  // namespace detail

SINTER_INLINE CustomOpFunction::CustomOpFunction(std::string_view name, CustomOp rules, Where where)
    : rules_(std::move(rules)), where_(where) {
  detail::CustomCode code{.name = std::string(name),
                          .call = rules_.call.held,
                          .cpp = rules_.cpp,
                          .cuda = rules_.cuda,
                          .has_side_effects = rules_.has_side_effects,
                          .where = where};
  const std::string_view local = detail::local_name(name);
  code.cpp_function = detail::user_function(code.cpp, local);
  code.cuda_function = detail::user_function(code.cuda, local);
  code.text_hash = detail::Hasher().add(name).add(code.cpp).add(code.cuda).result();
  code.identity = detail::Hasher()
                      .add(code.text_hash)
                      .add(rules_.call.identity)
                      .add(static_cast<std::uint64_t>(code.has_side_effects))
                      .result();
  code_ = detail::make_shared_ptr<const detail::CustomCode>(std::move(code));
}

SINTER_INLINE std::vector<Tensor> CustomOpFunction::call(std::vector<Tensor> operands) const {
  const bool is_node = rules_.call.held || !rules_.cpp.empty() || !rules_.cuda.empty() ||
                       (rules_.reference && !rules_.forward);
  if (is_node && detail::is_elementwise(*code_) && !operands.empty()) {
    operands = detail::broadcast_operands(*code_, std::move(operands), where_);
  }
  if (is_node) return detail::CustomNode(code_, rules_, operands, where_).record();
  return detail::break_for_custom_op(code_->name, rules_, std::move(operands), where_);
}

}  // namespace sinter::inline SINTER_ABI
