#pragma once
// Sharded training: the state of the optimizer, gradients and parameters divided among ranks.

#include <cstdint>  // std::uint8_t
#include <map>      // std::map
#include <string>   // std::string
#include <utility>  // std::pair
#include <vector>   // std::vector

#include <sinter/config.hpp>
#include <sinter/dist/collective/operations.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/module/parameter.hpp>

namespace sinter::inline SINTER_ABI {

namespace dist {

/// What shard() divides among the ranks; each value includes those before it.
enum class Shard : std::uint8_t {
  optimizer = 1,  ///< The state of the optimizer.
  gradients,      ///< Also gradients, from all_reduce(gradients) on.
  parameters      ///< Also parameters; value_and_grad gathers them for its closure.
};

}  // namespace dist

namespace detail {

/// This rank's part of the reduction of `gradient` over all ranks.
Tensor reduced_part(const Tensor& gradient, const Division& division, dist::Reduce reduce,
                    Where where);

/// Divides a model and its optimizer. Parameters are collected first; nothing changes until run().
class Sharding {
 public:
  Sharding(dist::Shard what, dist::Group group, Where where);

  void add_parameter(const std::string& name, Tensor& parameter);
  /// Adds state of an optimizer, by the names of the parameters. State with the shape of its
  /// parameter is divided too.
  void add_states(std::map<std::string, Tensor>& states);
  /// All ranks take the parameters of rank 0 and keep their part.
  void run();

 private:
  struct Parameter {
    Tensor* tensor = nullptr;
    Division division{};
  };

  Division division_of_new(const std::string& name, const Tensor& parameter) const;

  Division common_;
  Where where_;
  std::vector<Parameter> parameters_{};
  std::vector<std::pair<Tensor*, std::string>> states_{};  // with the name of the parameter
};

}  // namespace detail

namespace dist {

/// Divides the state of `model` and `optimizer` that `what` names among the ranks of `group`: each
/// rank keeps and updates a part of equal size. The training step is the same as in data parallel
/// training, compiled or not:
///
///   auto [loss, gradients] = value_and_grad(model, [&] { return ...; });
///   dist::all_reduce(gradients);
///   optimizer.step(model, gradients);
///
/// All ranks take the parameters of rank 0. With Shard::parameters, model.weight is this rank's
/// part, a tensor with one axis, outside of the closure of value_and_grad; gathered(model) has the
/// whole. The last part is padded with zeros.
///
/// Throws   ValueError if the model is sharded already, without a World, or in a recording;
///          RankError if the models of the ranks differ or a rank fails
/// Source   ZeRO, https://arxiv.org/abs/1910.02054
template <class M, class Optimizer>
void shard(M& model, Optimizer& optimizer, Shard what, Group group = {},
           Where where = Where::current()) {
  detail::Sharding sharding(what, group, where);
  nn::for_each_parameter(model, [&](const std::string& name, Tensor& parameter) {
    sharding.add_parameter(name, parameter);
  });
  for_each_member(optimizer, [&](const char*, auto& member) {
    if constexpr (requires { sharding.add_states(member); }) sharding.add_states(member);
  });
  sharding.run();
}

/// A copy of `model` with whole parameters, to evaluate or to export it. All ranks call it.
template <class M>
M gathered(const M& model, Where where = Where::current()) {
  M result = model;
  nn::for_each_parameter(result, [&](const std::string&, Tensor& parameter) {
    parameter = detail::whole_of(parameter, where);
    detail::set_division(parameter, nullptr);
  });
  return result;
}

}  // namespace dist

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/dist/parallel/shard.ipp>
#endif
