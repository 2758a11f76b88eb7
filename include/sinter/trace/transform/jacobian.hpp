#pragma once
// vjp, jvp, jacrev, jacfwd and hessian: derivatives of functions with results of any shape.

#include <tuple>        // std::tuple
#include <type_traits>  // std::decay_t
#include <utility>      // std::forward
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/module.hpp>
#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/transform/grad.hpp>
#include <sinter/trace/transform/vmap.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// `given`, called `what` in errors, with its shapes written as those of `expected`.
///
/// Throws   ShapeError or DTypeError unless the types are those of `expected`
std::vector<Tensor> fitted(const std::vector<Tensor>& given, const std::vector<Tensor>& expected,
                           std::string_view op, std::string_view what, Where where);

/// The floating tensors.
std::vector<Tensor> floating_among(const std::vector<Tensor>& tensors);

// The floating tensors in `value`, in the order of its members; no buffers.
template <class T>
std::vector<Tensor> variables_in(T value) {
  std::vector<Tensor> result;
  const auto note = [&](const std::string&, Tensor& tensor) {
    if (tensor.defined() && is_floating(tensor.dtype())) result.push_back(tensor);
  };
  ParameterVisitor visitor(note);
  walk(value, visitor, {});
  return result;
}

/// The Jacobian of one output with respect to one variable: shape (output..., variable...).
Tensor jacobian(const Derivative& derivative, const Tensor& output, const Tensor& variable,
                bool forward, Where where);

// Wraps a single argument into a tuple.
template <class T>
auto as_arguments(const T& value, Where where) {
  if constexpr (std::convertible_to<const T&, Operand>) {
    return std::tuple{Operand(value, where).tensor()};
  } else if constexpr (TupleLike<T> && !Range<T> && !Module<T>) {
    return std::apply([&](const auto&... part) { return std::tuple{as_passed(part, where)...}; },
                      value);
  } else {
    return std::tuple{value};
  }
}

template <class Tuple>
Tuple variables_for(const Tuple& values, Differentiation& differentiation, Where where) {
  return std::apply(
      [&](const auto&... value) {
        return Tuple{with_variables(value, differentiation, where)...};  // from left to right
      },
      values);
}

}  // namespace detail

/// The pullback returned by vjp: maps a gradient of the value to the gradients of the primals, with
/// the structure of the primals; a tuple if there are several.
template <class Value, class Primals>
class PullbackOf {
 public:
  PullbackOf(detail::Derivative derivative, Value value, Primals primals, Where where)
      : derivative_(std::move(derivative)),
        value_(std::move(value)),
        primals_(std::move(primals)),
        where_(where) {}

  template <class Cotangent>
  auto operator()(const Cotangent& cotangent) const {
    const auto given = detail::as_tensors(cotangent, where_);
    const std::vector<Tensor> expected = detail::floating_among(detail::tensors_in(value_, where_));
    const std::vector<Tensor> seeds =
        detail::fitted(detail::floating_among(detail::tensors_in(given, where_)), expected, "vjp",
                       "the cotangent", where_);
    Primals result = detail::with_gradients(primals_, derivative_.pull_back(seeds, where_));
    if constexpr (std::tuple_size_v<Primals> == 1) {
      return std::get<0>(std::move(result));
    } else {
      return result;
    }
  }

 private:
  detail::Derivative derivative_;
  Value value_;
  Primals primals_;
  Where where_;
};

template <class Value, class Pullback>
struct ValueAndPullback {
  Value value;
  Pullback pullback;
};

template <class Value>
struct ValueAndTangent {
  Value value;
  Value tangent;
  SINTER_MODULE(ValueAndTangent, value, tangent)
};

namespace detail {

template <class F, class Primals>
auto vjp_of(const F& function, const Primals& primals, Where where) {
  Differentiation differentiation;
  Primals passed = variables_for(primals, differentiation, where);
  auto value = as_tensors(result_at(where, function, passed), where);
  using Tensors = decltype(value);
  PullbackOf<Tensors, Primals> pullback(differentiation.derivative(tensors_in(value, where)), value,
                                        primals, where);
  return ValueAndPullback<Tensors, decltype(pullback)>{std::move(value), std::move(pullback)};
}

}  // namespace detail

/// {value, pullback}: function(primals...), and a function that maps a gradient with respect to the
/// value to the gradients with respect to the primals. The cotangent has the structure of the
/// value; the pullback may be called several times.
///
/// Throws GradientError if a primal is not floating; the pullback throws ShapeError and DTypeError
/// unless the cotangent has the type of the value
/// Source torch.func.vjp
template <class F, class... Rest>
auto vjp(F&& function, Operand primal, const Rest&... rest) {
  const Where where = primal.where;
  return detail::vjp_of(function, std::tuple{primal.tensor(), detail::as_passed(rest, where)...},
                        where);
}

/// The same for one primal that is a struct, module or container.
template <class F, class Primal>
requires(!std::convertible_to<const Primal&, Operand>) auto vjp(F&& function, const Primal& primal,
                                                                Where where = Where::current()) {
  return detail::vjp_of(function, std::tuple{primal}, where);
}

/// {value, tangent}: function(primals...) and its derivative along `tangents`. `primals` is one
/// argument or a tuple of them; `tangents` has the same structure.
///
/// Throws GradientError if a primal is not floating; ShapeError and DTypeError unless the tangents
/// have the types of the primals
/// Source torch.func.jvp
template <class F, class Primals, class Tangents>
auto jvp(F&& function, const Primals& primals, const Tangents& tangents,
         Where where = Where::current()) {
  const auto given = detail::as_arguments(primals, where);
  detail::Differentiation differentiation;
  const auto passed = detail::variables_for(given, differentiation, where);
  const std::vector<Tensor> along =
      detail::fitted(detail::variables_in(detail::as_arguments(tangents, where)),
                     detail::variables_in(given), "jvp", "the tangent", where);
  auto value = detail::as_tensors(detail::result_at(where, function, passed), where);
  const auto derivative = differentiation.derivative(detail::tensors_in(value, where));
  return ValueAndTangent<decltype(value)>{
      value, detail::with_gradients(value, derivative.push_forward(along, where))};
}

/// The result of jacrev(f) and jacfwd(f).
template <class F>
struct JacobianOf {
  using Transformed = F;
  [[no_unique_address]] F function;
  int argument = 0;
  bool forward = false;
  Where where{};

  template <class... Args>
  Tensor operator()(const Args&... args) const {
    detail::Differentiation differentiation;
    Tensor variable;
    int position = 0;
    const auto pass = [&](const auto& value) {
      auto passed = detail::as_passed(value, where);
      if constexpr (std::same_as<decltype(passed), Tensor>) {
        if (position++ == argument) {
          passed = variable = differentiation.variable(passed, where);
        }
      } else {
        ++position;
      }
      return passed;
    };
    std::tuple passed{pass(args)...};  // braces, which evaluate from left to right
    const Tensor value = detail::tensor_at(where, function, passed);
    return detail::jacobian(differentiation.derivative({value}), value, variable, forward, where);
  }
};

/// A function that returns the Jacobian of `function` with respect to argument number `argument`;
/// its shape is that of the result followed by that of the argument. Computed by one reverse sweep,
/// batched over the elements of the result.
///
/// Source torch.func.jacrev
template <class F>
auto jacrev(F&& function, int argument = 0, Where where = Where::current()) {
  return JacobianOf<std::decay_t<F>>{std::forward<F>(function), argument, false, where};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor jacrev(F&&, const X&, const Rest&...) {  // meant as jacrev(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

/// The same in forward mode, batched over the elements of the argument: for functions whose
/// argument is smaller than their result.
///
/// Source torch.func.jacfwd
template <class F>
auto jacfwd(F&& function, int argument = 0, Where where = Where::current()) {
  return JacobianOf<std::decay_t<F>>{std::forward<F>(function), argument, true, where};
}
template <class F, detail::TensorLike X, class... Rest>
Tensor jacfwd(F&&, const X&, const Rest&...) {  // meant as jacfwd(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

/// A function that returns the second derivatives of `function`: jacfwd(jacrev(f)).
///
/// Source torch.func.hessian
template <class F>
auto hessian(F&& function, int argument = 0, Where where = Where::current()) {
  return jacfwd(jacrev(std::forward<F>(function), argument, where), argument, where);
}
template <class F, detail::TensorLike X, class... Rest>
Tensor hessian(F&&, const X&, const Rest&...) {  // meant as hessian(f)(x, ...)
  detail::require_no_arguments<F>();
  return {};
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/jacobian.ipp>
#endif
