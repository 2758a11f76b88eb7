#pragma once
// Pairs the parameters of a module with their gradients.

#include <array>        // std::array
#include <map>          // std::map
#include <string>       // std::string
#include <type_traits>  // std::is_convertible_v
#include <vector>       // std::vector

#include <sinter/optim/group.hpp>
#include <sinter/trace/module/parameter.hpp>
#include <sinter/trace/transform/gradients.hpp>

namespace sinter::inline SINTER_ABI::optim {

/// A parameter to update, with its gradient.
struct Update {
  std::string name;
  Tensor* parameter = nullptr;
  Tensor gradient;
  /// The groups whose learning rate and weight decay it has; -1 for those of the optimizer.
  std::array<int, 2> groups{-1, -1};
  Tensor* divided = nullptr;  ///< The parameter, if take_parts() took it.
  Tensor before{};            ///< Its value, or the part that is updated instead.
};

/// Gives `updates`, one for each parameter, its gradient and its groups; removes those that have no
/// gradient.
void match(std::vector<Update>& updates, const Gradients& gradients,
           const std::vector<Group>& groups, std::string_view op, Where where);

/// The parameters of `module` that have a gradient; the others are not updated.
///
/// Throws ValueError in the name of `op` unless every gradient belongs to a parameter and has its
/// shape, and every group selects a parameter
template <class M>
std::vector<Update> updates_of(M& module, const Gradients& gradients, std::string_view op,
                               Where where, const std::vector<Group>& groups = {}) {
  std::vector<Update> result;
  nn::for_each_parameter(module, [&](const std::string& name, Tensor& parameter) {
    result.push_back({name, &parameter, {}});
  });
  match(result, gradients, groups, op, where);
  return result;
}

/// Replaces what is divided among processes by the part of this rank.
void take_parts(std::vector<Update>& updates, Where where);
/// Gathers parameters that are whole from the parts of all ranks.
void give_parts(std::vector<Update>& updates, Where where);

template <class Optimizer>
void take_step(Optimizer& optimizer, std::vector<Update> updates, Where where) {
  take_parts(updates, where);
  optimizer.update(updates, where);
  give_parts(updates, where);
}

// True for a non-const module, gradients, and optionally a source line.
template <class... Given>
inline constexpr bool are_step_arguments = false;
template <class M, class G, class... Line>
inline constexpr bool are_step_arguments<M&, G, Line...> =
    std::is_convertible_v<G, const Gradients&> && (std::is_convertible_v<Line, Where> && ...);
template <class M, class G, class... Line>
requires(!sinter::detail::Holder<const M>) inline constexpr bool are_step_arguments<
    const M&, G, Line...> = false;

/// The arguments of step().
template <class... Given>
concept StepArguments = are_step_arguments<Given&&...>;

/// Reports exactly one error for arguments that step() does not accept.
template <class... Given>
constexpr void require_step() {
  static_assert(StepArguments<Given...>,
                "sinter: optimizer.step(model, gradients) requires a module that is not const, "
                "then the gradients that value_and_grad(model, closure) gives: "
                "auto [loss, gradients] = value_and_grad(model, closure)");
}

/// The dtype of scalars that are computed once for all parameters: f64 if a parameter is f64, else
/// f32.
DType precision_of(const std::vector<Update>& updates);

/// `number` in the dtype of precision_of().
Tensor with_precision(const Scalar& number, DType precision, Where where);

/// The gradient, negated if the loss is maximized, + weight_decay * parameter.
Tensor decayed_gradient(const Update& update, const Scalar& weight_decay, bool maximize,
                        Where where);

/// The state of `update` in a map by parameter name; created with `value` in the shape and dtype of
/// the parameter.
Tensor& state_of(std::map<std::string, Tensor>& states, const Update& update, Operand value);

}  // namespace sinter::inline SINTER_ABI::optim

#ifdef SINTER_DEFINITIONS
#include <sinter/optim/update.ipp>
#endif
