#pragma once
// Data-dependent control flow as part of the graph: branches and loops. The functions are called
// once, during recording, with tensors that have no elements yet.

#include <tuple>        // std::tuple
#include <type_traits>  // std::is_same_v
#include <utility>      // std::pair
#include <vector>       // std::vector

#include <sinter/config.hpp>
#include <sinter/trace/core/tensor.hpp>
#include <sinter/trace/module/call_at.hpp>
#include <sinter/trace/module/structure.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// `x`, one element, as a boolean of rank 0.
///
/// Throws ShapeError if it has another number of elements.
Tensor as_predicate(Operand x, std::string_view op);

/// The results of the branch selected by `predicate`. Throws unless both return the same types.
std::vector<Tensor> record_cond(const Tensor& predicate, const std::vector<Tensor>& operands,
                                const Body& then, const Body& otherwise, Where where);
/// The state once `predicate`, which returns a boolean of rank 0, is false.
std::vector<Tensor> record_while(const std::vector<Tensor>& state, const Body& predicate,
                                 const Body& body, Where where);
/// The last carries, then the stacked outputs of the steps. The first `kept` results of `body` are
/// the next carries.
std::vector<Tensor> record_scan(const std::vector<Tensor>& carries, const std::vector<Tensor>& xs,
                                const Body& body, std::size_t kept, Where where);

/// Adds variables of the types of `tensors` to `body`.
void add_variables(Body& body, const std::vector<Tensor>& tensors, Where where);
/// The same of one step of each of `xs`, which get the number of steps of the first.
void add_step_variables(Body& body, std::vector<Tensor>& xs, std::string_view op, Where where);

/// Traces `function` into `body`: calls it with the variables of `body` in place of the tensors in
/// the tuple `given`.
template <class F, class Given>
auto trace_body(Body& body, F& function, Given given, Where where) {
  replace_tensors(given, body.variables, where);
  auto result = as_tensors(result_at(where, function, given), where);
  body.results = tensors_in(result, where);
  return result;
}

template <class State, class P, class B>
State record_loop(P& predicate, B& function, State state, Where where) {
  const std::vector<Tensor> tensors = tensors_in(state, where);
  Body condition{.kind = BodyKind::loop}, body{.kind = BodyKind::loop};
  {
    const BodyScope scope(condition, BodyEffects::in_place);
    add_variables(condition, tensors, where);
    const auto holds = [&](auto&... values) {
      return as_predicate({as_tensors(call_at(where, predicate, values...), where), where},
                          "while_loop");
    };
    trace_body(condition, holds, state, where);
  }
  {
    const BodyScope scope(body, BodyEffects::in_place);
    add_variables(body, tensors, where);
    trace_body(body, function, state, where);
  }
  replace_tensors(state, record_while(tensors, condition, body, where), where);
  return state;
}

// The result type of a function, with tensors in place of numbers; void if it returns nothing.
template <class Result>
struct TensorsOf {
  using type = decltype(as_tensors(std::declval<Result>(), std::declval<Where>()));
};
template <class Result>
requires std::is_void_v<Result>
struct TensorsOf<Result> {
  using type = void;
};
template <class F, class... As>
using TensorsFrom = typename TensorsOf<CalledResult<F, As...>>::type;

// Reports exactly one error unless while_loop can call these with this state.
template <class P, class B, class... State>
constexpr bool require_loop(std::type_identity<std::tuple<State...>>) {
  constexpr bool is_called = can_call<P, State&...>() && can_call<B, State&...>();
  static_assert(is_called,
                "sinter::while_loop(predicate, body, state...) requires two functions that take "
                "the whole state: predicate(state...) and body(state...)");
  if constexpr (is_called) {
    using Next = TensorsFrom<B, State&...>;
    constexpr bool holds = std::is_convertible_v<CalledResult<P, State&...>, Operand>;
    constexpr bool goes_on =
        !std::is_void_v<Next> && (sizeof...(State) == 1 || !std::is_same_v<Next, Tensor>);
    static_assert(holds,
                  "sinter::while_loop(predicate, body, state...) requires predicate to give one "
                  "element, which is true while the loop goes on, as in sum(x) < 1");
    static_assert(goes_on || !holds,
                  "sinter::while_loop(predicate, body, state...) requires body to give the next "
                  "state: a tensor, or a tuple of as many as there are");
    return holds && goes_on;
  } else {
    return false;
  }
}

template <class State, class P, class B>
State loop(P& predicate, B& body, State state, Where where) {
  if constexpr (require_loop<P, B>(std::type_identity<State>())) {
    return record_loop(predicate, body, std::move(state), where);
  } else {
    return state;
  }
}

// Reports exactly one error unless cond can call these with the operands.
template <class F, class G, class... Operands>
constexpr bool require_branches() {
  constexpr bool first = can_call<F, Operands...>(), second = can_call<G, Operands...>();
  static_assert(first,
                "sinter::cond(predicate, f, g, operands...) requires f to be a function of the "
                "operands; where(predicate, x, y) chooses among tensors");
  static_assert(second || !first,
                "sinter::cond(predicate, f, g, operands...) requires g to be a function of the "
                "operands, as f is");
  if constexpr (first && second) {
    using Result = TensorsFrom<F, Operands...>;
    constexpr bool are_same = std::is_same_v<Result, TensorsFrom<G, Operands...>>;
    constexpr bool is_result = !are_same || !std::is_void_v<Result>;
    static_assert(
        are_same,
        "sinter::cond(predicate, f, g, operands...) requires f and g to give the same type");
    static_assert(is_result,
                  "sinter::cond(predicate, f, g, operands...) requires f and g to give tensors, or "
                  "structs of them: return the result");
    return are_same && is_result;
  } else {
    return false;
  }
}

template <class F, class G, class... Operands>
auto branch(const Operand& predicate, F& then, G& otherwise, const Operands&... operands) {
  const Where where = predicate.where;
  if (const auto* const known = predicate.value.get_if<Constant>()) {
    return *known == constant(0, known->dtype)
               ? as_tensors(call_at(where, otherwise, operands...), where)
               : as_tensors(call_at(where, then, operands...), where);
  }
  const Tensor condition = as_predicate(predicate, "cond");
  std::tuple<decltype(as_argument(operands, where))...> given{as_argument(operands, where)...};
  const std::vector<Tensor> tensors = tensors_in(given, where);
  Body first, second;
  const auto trace = [&](Body& body, auto& function) {
    const BodyScope scope(body, BodyEffects::in_place);
    add_variables(body, tensors, where);
    return trace_body(body, function, given, where);
  };
  auto result = trace(first, then);
  trace(second, otherwise);
  replace_tensors(result, record_cond(condition, tensors, first, second, where), where);
  return result;
}

template <class T>
inline constexpr bool has_two_parts = false;
template <TupleLike T>
inline constexpr bool has_two_parts<T> = std::tuple_size_v<T> == 2;

// Reports exactly one error unless scan can call F.
template <class F, class Carry, class Xs>
constexpr bool require_step() {
  constexpr bool is_called = can_call<F, Carry&, Xs&>();
  static_assert(is_called,
                "sinter::scan(f, carry, xs) requires f to be a function of the carry and of one x, "
                "and to come first");
  if constexpr (is_called) {
    constexpr bool gives_pair = has_two_parts<TensorsFrom<F, Carry&, Xs&>>;
    static_assert(gives_pair, "sinter::scan(f, carry, xs) requires f to give a pair {carry, y}");
    return gives_pair;
  } else {
    return false;
  }
}

/// Scans `function`; returns {carry, ys}, where ys are the stacked outputs.
template <class F, class Carry, class Xs>
auto scan_steps(F& function, Carry carry, Xs xs, std::string_view op, Where where) {
  const std::vector<Tensor> carries = tensors_in(carry, where);
  std::vector<Tensor> scanned = tensors_in(xs, where);
  Body body{.kind = BodyKind::loop};
  auto result = [&] {
    const BodyScope scope(body, BodyEffects::noted);
    add_variables(body, carries, where);
    add_step_variables(body, scanned, op, where);
    return trace_body(body, function, std::tuple{carry, xs}, where);
  }();
  const std::size_t kept = tensors_in(std::get<0>(result), where).size();
  auto ys = std::get<1>(result);
  const std::vector<Tensor> found = record_scan(carries, scanned, body, kept, where);
  const auto first_y = found.begin() + static_cast<std::ptrdiff_t>(carries.size());
  replace_tensors(carry, {found.begin(), first_y}, where);
  replace_tensors(ys, {first_y, found.end()}, where);
  return std::pair{std::move(carry), std::move(ys)};
}

}  // namespace detail

/// then(operands...) if `predicate`, one element, is not 0, else otherwise(operands...). Only the
/// taken branch is computed. The predicate is read when the graph runs, so a compiled function
/// stays one graph. Both functions are called once each, to be recorded; tensors that they capture
/// become operands. If `predicate` is a C++ bool, the branch is simply called.
///
/// Operands and results are tensors, numbers, or tuples, containers and structs of these. Both
/// functions return the same structure with the same dtypes and shapes.
///
/// Throws ShapeError and DTypeError if they do not, or if `predicate` is not one element;
/// GraphBreakError if a branch reads elements on the host.
template <class F, class G, class... Operands>
auto cond(Operand predicate, F&& then, G&& otherwise, const Operands&... operands) {
  if constexpr (detail::require_branches<std::remove_reference_t<F>, std::remove_reference_t<G>,
                                         const Operands&...>()) {
    return detail::branch(predicate, then, otherwise, operands...);
  } else {
    return Tensor();
  }
}

/// while (predicate(state...)) state = body(state...): returns the last state, a Tensor or a tuple.
/// `predicate` returns one element, `body` a tensor or tuple with the dtypes and shapes of the
/// state. Numbers become tensors of rank 0. Not differentiable: use scan.
///
/// Throws ShapeError and DTypeError if a dtype or shape changes; GraphBreakError if a function
/// reads elements on the host.
template <class P, class B, class... State>
auto while_loop(P&& predicate, B&& body, Operand first, const State&... state) {
  const Where where = first.where;
  std::tuple states{first.tensor(), detail::as_tensors(state, where)...};
  auto result = detail::loop(predicate, body, std::move(states), where);
  if constexpr (sizeof...(State) == 0) {
    return std::get<0>(result);
  } else {
    return result;
  }
}

/// The same for a state that is one tuple, container or struct.
template <class P, class B, class State>
requires(!std::convertible_to<const State&, Operand>) auto while_loop(
    P&& predicate, B&& body, const State& state, Where where = Where::current()) {
  std::tuple<decltype(detail::as_tensors(state, where))> states{detail::as_tensors(state, where)};
  return std::get<0>(detail::loop(predicate, body, std::move(states), where));
}

/// for each x along axis 0 of `xs`: {carry, y} = f(carry, x). Returns {carry, ys}: the last carry,
/// and the ys stacked along a new axis 0. `carry`, `xs` and y are tensors, numbers, or tuples,
/// containers and structs of these; the tensors of `xs` have the same size along axis 0. The carry
/// keeps its dtypes and shapes. Each step draws different random numbers. Differentiable.
///
/// Throws ShapeError and DTypeError if the carry changes its type, or sizes differ; GraphBreakError
/// if `f` reads elements on the host.
template <class F, class Carry, class Xs>
auto scan(F&& f, const Carry& carry, const Xs& xs, Where where = Where::current()) {
  auto first = detail::as_tensors(carry, where);
  auto steps = detail::as_tensors(xs, where);
  if constexpr (detail::require_step<std::remove_reference_t<F>, decltype(first),
                                     decltype(steps)>()) {
    return detail::scan_steps(f, std::move(first), std::move(steps), "scan", where);
  } else {
    return std::pair{Tensor(), Tensor()};
  }
}

/// f(x) for each x along axis 0 of `xs`, stacked along a new axis 0: scan without a carry.
template <class F, class Xs>
auto map(F&& f, const Xs& xs, Where where = Where::current()) {
  auto steps = detail::as_tensors(xs, where);
  constexpr bool is_called = detail::can_call<std::remove_reference_t<F>, decltype(steps)&>();
  static_assert(is_called,
                "sinter::map(f, xs) requires f to be a function of one x, and to come first");
  if constexpr (is_called) {
    const auto step = [&](const std::tuple<>& none, auto& x) {
      std::tuple<decltype(x)> one(x);
      return std::pair{none, detail::result_at(where, f, one)};
    };
    return detail::scan_steps(step, std::tuple<>(), std::move(steps), "map", where).second;
  } else {
    return Tensor();
  }
}

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/trace/transform/control.ipp>
#endif
