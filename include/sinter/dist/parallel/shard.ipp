#pragma once

#include <sinter/base/error.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/dist/collective/kind.hpp>
#include <sinter/dist/parallel/memory_order.hpp>
#include <sinter/dist/parallel/shard.hpp>
#include <sinter/jit/rewrite/program_rewrite.hpp>
#include <sinter/trace/context/division.hpp>
#include <sinter/trace/context/division_hooks.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/creation/create.hpp>
#include <sinter/trace/ops/elementwise/elementwise.hpp>
#include <sinter/trace/ops/movement/movement.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// All elements in one row, padded with zeros so that the ranks get equal parts.
SINTER_INLINE Tensor padded_row(const Tensor& whole, const Division& division, Where where) {
  const Tensor row = reshape({whole, where}, {-1});
  const Extent more = Extent(part_size(division) * division.ranks) - row.shape()[0];
  return more == Extent(0)
             ? row
             : pad(Operand(row, where), {std::pair<Extent, Extent>(0, more)}, {0, where});
}

SINTER_INLINE Tensor part_of_rank(const Tensor& whole, const Division& division, Where where) {
  const std::int64_t size = part_size(division), start = size * division.rank;
  return slice({padded_row(whole, division, where), where}, 0, start, start + size);
}

SINTER_INLINE Tensor gathered_whole(const Tensor& part, const Division& division, Where where) {
  const collective::Collective gather{.kind = collective::Kind::all_gather,
                                      .group = division.group,
                                      .is_of_parameter = true,
                                      .where = where};
  const std::int64_t padded = part_size(division) * division.ranks;
  const Tensor row = collective::record(gather, part, Shape{padded});
  std::int64_t elements = 1;
  for (const std::int64_t size : division.shape) elements *= size;
  return reshape({slice({row, where}, 0, 0, elements), where}, Shape(division.shape));
}

SINTER_INLINE Tensor reduced_part(const Tensor& gradient, const Division& division,
                                  dist::Reduce reduce, Where where) {
  const collective::Collective scatter{.kind = collective::Kind::reduce_scatter,
                                       .reduce = reduce,
                                       .group = division.group,
                                       .is_of_parameter = true,
                                       .where = where};
  Tensor result = collective::record(scatter, padded_row(gradient, division, where),
                                     Shape{part_size(division)});
  set_division(result, &division);
  return result;
}

SINTER_INLINE void commit_step(int group, Where where) {
  if (is_recording() || current_body != 0) return;  // order_for_memory() adds it
  const collective::Collective commit{
      .kind = collective::Kind::commit, .group = group, .where = where};
  const ScopedDevice host(cpu());
  collective::record(commit, zeros({}, i32, where), {});
}

SINTER_INLINE Tensor total_of_ranks(const Tensor& x, bool is_maximum, int group, Where where) {
  const dist::Reduce reduce = is_maximum ? dist::Reduce::max : dist::Reduce::sum;
  return dist::all_reduce({x, where}, reduce, dist::Group(group));
}

SINTER_INLINE Sharding::Sharding(dist::Shard what, dist::Group group, Where where)
    : common_{.level = static_cast<Division::Level>(what),
              .group = group.number(),
              .rank = group.rank(where),
              .ranks = group.size(where)},
      where_(where) {
  if (is_recording()) {
    throw ValueError({.op = "dist::shard",
                      .what = "a model is sharded while a function is recorded",
                      .rule = "shard() changes the model once, before training",
                      .fix = "call it before the compiled function",
                      .where = where,
                      .see = "distributed"});
  }
  division_hooks = {part_of_rank, gathered_whole, commit_step, total_of_ranks};
  jit::program_rewrite() = parallel::rewrite_sharded;
}

SINTER_INLINE void Sharding::add_parameter(const std::string& name, Tensor& parameter) {
  if (!parameter.defined() || !is_floating(parameter.dtype(where_))) return;
  if (division_of(parameter) != nullptr) {
    throw ValueError({.op = "dist::shard",
                      .what = "the model is sharded already",
                      .facts = {{"parameter", name}},
                      .rule = "a model is sharded once, before training",
                      .fix = "shard a new model, or model = dist::gathered(model) first",
                      .where = where_,
                      .see = "distributed"});
  }
  Division division = common_;
  division.name = name;
  for (const Extent& size : parameter.shape()) division.shape.push_back(size.value(where_));
  parameters_.push_back({&parameter, std::move(division)});
}

SINTER_INLINE void Sharding::add_states(std::map<std::string, Tensor>& states) {
  for (auto& [name, state] : states) states_.emplace_back(&state, name);
}

SINTER_INLINE void Sharding::run() {
  std::vector<Tensor> wholes, parts;
  const dist::Group group(common_.group);
  for (const Parameter& parameter : parameters_) {
    wholes.push_back(dist::broadcast({*parameter.tensor, where_}, 0, group));
  }
  for (auto& [state, name] : states_) {
    Tensor part = *state;
    for (const Parameter& parameter : parameters_) {
      const bool is_its = parameter.division.name == name &&
                          same(state->shape(where_), parameter.tensor->shape(where_));
      if (is_its) part = part_of_rank(*state, parameter.division, where_);
    }
    parts.push_back(std::move(part));
  }
  for (std::size_t i = 0; i < states_.size(); ++i) *states_[i].first = std::move(parts[i]);
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    auto& [tensor, division] = parameters_[i];
    const bool is_divided = division.level == Division::Level::parameters;
    *tensor = is_divided ? part_of_rank(wholes[i], division, where_) : wholes[i];
    set_division(*tensor, &division);
  }
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
