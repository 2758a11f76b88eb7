#pragma once
// TensorOf: tensors with dtype and dimensions in their type, and expressions of them. Both are
// checked at compile time; nothing is recorded until an expression converts to a tensor.

#include <concepts>          // std::convertible_to
#include <cstddef>           // std::size_t
#include <initializer_list>  // std::initializer_list
#include <string>            // std::string
#include <tuple>             // std::apply, std::tuple
#include <type_traits>       // std::conditional_t
#include <utility>           // std::index_sequence

#include <sinter/base/container/span.hpp>
#include <sinter/config.hpp>
#include <sinter/symbol/dim.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/module/scope.hpp>
#include <sinter/trace/ops/elementwise/primitive.hpp>
#include <sinter/trace/ops/typed/operators.hpp>
#include <sinter/trace/subgraph/expression_cache.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// Throws DTypeError or ShapeError at `where` unless `tensor` is of `dtype` and `dims`.
void require_type(const Tensor& tensor, DType dtype, Span<const Dim> dims, Where where);

}  // namespace detail

template <class T, Dim... dimensions>
class TensorOf;

namespace detail {

// The static type of an operand. A number is a leaf without dimensions.
template <class T>
struct Known {
  static constexpr OperandType type{widest_dtype<T>};
  static constexpr Dims<0> dims{};
  static constexpr std::size_t leaves = 1;
};
template <Expression E>
struct Known<E> {
  static constexpr OperandType type = E::type;
  static constexpr auto dims = E::dims;
  static constexpr std::size_t leaves = E::leaves;
};

// The static type as TensorOf<float, "batch", 64>.
template <DType dtype, auto dims, class = std::make_index_sequence<dims.size()>>
struct TypeOf;
template <DType dtype, auto dims, std::size_t... i>
struct TypeOf<dtype, dims, std::index_sequence<i...>> {
  using type = TensorOf<Element<dtype>, dims[i]...>;
};

constexpr auto broadcast_all(const auto& dims) { return broadcast(dims); }
constexpr auto broadcast_all(const auto& a, const auto& b, const auto&... rest) {
  const auto met = broadcast(a, b);
  using Result = decltype(broadcast_all(*met, rest...));
  return met ? broadcast_all(*met, rest...) : Result();
}

inline void add_to(ExpressionKey& key, Number auto number, Where where) {
  key.add(constant(number), where);
}
void add_to(ExpressionKey& key, const Expression auto& expression, Where where) {
  expression.add_to(key, where);
}

inline Operand recorded(Number auto number, Where where) { return {number, where}; }
Operand recorded(const Expression auto& expression, Where where) {
  return {expression.record(), where};
}

Operand read(Number auto, ExpressionReader& operands, Where where) {
  return {Scalar(operands.next(), where), where};
}
Operand read(const Expression auto& expression, ExpressionReader& operands, Where where) {
  return {expression.record(operands), where};
}

// Records `expression`; in a recording, as a whole.
template <Expression E>
Tensor record_whole(const E& expression) {
  if (current_recorder() == nullptr || current_body != 0) return expression.record();
  ExpressionKey key(&type_tag<E>);
  expression.add_to(key, expression.where());
  const auto record = [&expression](ExpressionReader operands) {
    return expression.record(operands);
  };
  if (auto known = record_expression(key, expression.where(), record)) return *std::move(known);
  return expression.record();
}

}  // namespace detail

namespace detail::typed {

/// TensorOf the dtype and the dimensions of an expression.
template <Expression E>
using TypeOf = typename detail::TypeOf<E::type.dtype, E::dims>::type;

/// An elementwise operation that is not recorded yet. Holds its operands by value.
template <class Function, TypedOperand... Operands>
class Elementwise : public TypedOperators<Elementwise<Function, Operands...>> {
  static constexpr auto met = detail::broadcast_all(detail::Known<Operands>::dims...);
  static constexpr DType dtype = Function::dtype(detail::Known<Operands>::type...);
  static_assert(met.has_value(),
                "sinter::op(lhs, rhs) requires dimensions that broadcast: from the last one on, "
                "equal or 1");
  static_assert(takes(Function::takes, dtype),
                "sinter::op(x, ...) requires a dtype that the operation takes: integers or boolean "
                "for & | ^ ~, numbers for the others");

 public:
  static constexpr OperandType type{Function::gives == Gives::boolean ? boolean : dtype, false};
  static constexpr auto dims = met.value_or(typename decltype(met)::value_type{});
  static constexpr std::size_t leaves = (detail::Known<Operands>::leaves + ...);

  Elementwise(Where where, Operands... operands)
      : operands_(std::move(operands)...), where_(where) {}

  /// Records the expression.
  operator Tensor() const { return detail::record_whole(*this); }

  /// The nodes of the expression, one by one.
  Tensor record() const {
    return std::apply(
        [this](const auto&... operand) {
          return Function::record(detail::recorded(operand, where_)...);
        },
        operands_);
  }
  /// The same of other operands.
  Tensor record(ExpressionReader& operands) const {
    const auto function = [](const auto&... operand) { return Function::record(operand...); };
    return std::apply(
        [&](const auto&... operand) {  // braces, which evaluate from left to right
          return std::apply(function, std::tuple{detail::read(operand, operands, where_)...});
        },
        operands_);
  }
  void add_to(ExpressionKey& key, Where) const {
    key.add(where_);
    std::apply([&](const auto&... operand) { (detail::add_to(key, operand, where_), ...); },
               operands_);
  }
  Where where() const { return where_; }

 private:
  std::tuple<Operands...> operands_;
  Where where_;
};

}  // namespace detail::typed

/// A tensor whose type says TensorOf<float, "batch", 64>.
template <class T, Dim... dimensions>
class TensorOf : public detail::typed::TypedOperators<TensorOf<T, dimensions...>> {
  static_assert(ElementType<T>,
                "sinter::TensorOf<T, Dim...> requires T to be one of sinter::ElementTypes");

 public:
  static constexpr detail::OperandType type{dtype_of<std::conditional_t<ElementType<T>, T, float>>,
                                            false};
  static constexpr detail::Dims<sizeof...(dimensions)> dims{dimensions...};
  static constexpr std::size_t leaves = 1;

  /// An undefined tensor.
  TensorOf() = default;
  /// Checked when the program runs; an error names the user's line.
  TensorOf(const Tensor& tensor, Where where = Where::current()) : tensor_(tensor) {
    detail::require_type(tensor, type.dtype, dims, where);
  }
  /// Records `expression`. Checked by the compiler, but for dyn.
  template <detail::Expression E>
  TensorOf(const E& expression, Where where = Where::current())
      : TensorOf(Tensor(expression), where) {
    constexpr bool same_dtype = E::type.dtype == type.dtype;
    static_assert(same_dtype,
                  "sinter::TensorOf<T, Dim...>(expression) requires an expression of T");
    static_assert(!same_dtype || detail::agree(E::dims, dims),
                  "sinter::TensorOf<T, Dim...>(expression) requires an expression of Dim...");
  }

  operator Tensor() const { return tensor_; }
  const Tensor& tensor() const { return tensor_; }
  Tensor& tensor() { return tensor_; }
  const Tensor& record() const { return tensor_; }
  const Tensor& record(detail::ExpressionReader& operands) const { return operands.next(); }
  void add_to(detail::ExpressionKey& key, Where where) const { key.add(tensor_, where); }
  Where where() const { return tensor_.defined() ? tensor_.lazy()->node.where : Where(); }

  bool defined() const { return tensor_.defined(); }
  DType dtype() const { return type.dtype; }
  const Shape& shape(Where where = Where::current()) const { return tensor_.shape(where); }
  int ndim() const { return static_cast<int>(sizeof...(dimensions)); }
  Extent size(int dim, Where where = Where::current()) const { return tensor_.size(dim, where); }
  Extent numel(Where where = Where::current()) const { return tensor_.numel(where); }
  /// The same elements in another dtype: x.to<f64>().
  template <DType dtype>
  auto to(Where where = Where::current()) const {
    return TensorOf<detail::Element<dtype>, dimensions...>(tensor_.to(dtype, where), where);
  }
  Tensor to(DType dtype, Where where = Where::current()) const { return tensor_.to(dtype, where); }
  /// Indexing, as for a Tensor; the result is untyped.
  template <class I = detail::Index>
  Tensor operator[](const std::type_identity_t<I>& index) const {
    return tensor_[index];
  }
  template <class I = detail::Index>
  Tensor operator[](std::initializer_list<std::type_identity_t<I>> indices) const {
    return tensor_[indices];
  }
  template <detail::Number Result>
  Result item(Where where = Where::current()) const {
    return tensor_.item<Result>(where);
  }
  template <ElementType Result = T>
  std::vector<Result> to_vector(Where where = Where::current()) const {
    return tensor_.to_vector<Result>(where);
  }
  template <ElementType Result = T>
  const Result* data(Where where = Where::current()) const {
    return tensor_.data<Result>(where);
  }

  TensorOf& operator+=(Operand other) & {
    return become(add({tensor_, other.where}, other), other);
  }
  TensorOf& operator-=(Operand other) & {
    return become(sub({tensor_, other.where}, other), other);
  }
  TensorOf& operator*=(Operand other) & {
    return become(mul({tensor_, other.where}, other), other);
  }
  TensorOf& operator/=(Operand other) & {
    return become(div({tensor_, other.where}, other), other);
  }

 private:
  TensorOf& become(const Tensor& value, const Operand& cause) {
    return *this = TensorOf(value, cause.where);
  }

  Tensor tensor_;
};

namespace detail {

// An operand as one leaf.
auto leaf(Number auto number, Where) { return number; }
template <Expression E>
auto leaf(const E& expression, Where where) {
  return sinter::detail::typed::TypeOf<E>(expression, where);
}

template <class Function, TypedOperand... Operands>
auto build(Where where, Operands... operands) {
  if constexpr ((detail::Known<Operands>::leaves + ...) <= max_leaves) {
    return typed::Elementwise<Function, Operands...>{where, std::move(operands)...};
  } else {  // braces, which evaluate from left to right
    return typed::Elementwise<Function, decltype(detail::leaf(operands, where))...>{
        where, detail::leaf(operands, where)...};
  }
}

}  // namespace detail

/// "f32[32, 64]"
std::string to_string(const detail::Expression auto& x, Where where = Where::current()) {
  return to_string(Tensor(x), where);
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/ops/typed/tensor.ipp>
#endif
