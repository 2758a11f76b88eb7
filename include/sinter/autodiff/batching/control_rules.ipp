#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/autodiff/batching/body.hpp>
#include <sinter/autodiff/batching/control_rules.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/graph/callee.hpp>
#include <sinter/graph/control.hpp>
#include <sinter/graph/rewrite.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

// Seeds and offsets that differ are those of loops which samples leave at different steps: each
// sample draws alone, with an offset that tells the samples apart. It is made of the offset of the
// draw itself, offset + number, whatever part of that is the number. Active samples
// that share a draw have equal offsets.
SINTER_INLINE Vector<Batched> random_bits(const Batching& at) {
  Node node = with_shared_draws(at.bare_node(), -1);
  node.results = at.node.results;
  if (!at.is_batched(0) && !at.is_batched(1)) {
    node.inputs = {at.inputs[0].value, at.inputs[1].value};
    node.results[0].shape = at.with_count(node.results[0].shape);
    return {{at.builder.append(std::move(node)), true}};
  }
  at.with_count(node.results[0].shape);
  Builder& build = at.builder;
  const Value seeds = at.batched(0), offsets = at.batched(1);
  const auto times = [&](Value x, std::uint64_t bits) {
    return build.mul(x, build.constant_like(x, static_cast<std::int64_t>(bits)));
  };
  const Value samples = times(build.iota({i64, {at.count}}, 0), 2862933555777941757u);
  const Value draws = build.add(offsets, build.constant_like(offsets, number(node, "number")));
  const Value apart =
      is_shared_draw(at.node) ? draws : build.add(times(draws, 6364136223846793005u), samples);
  for (Attribute& attribute : node.attributes) {
    if (attribute.name == "number") attribute.value = constant(0);
  }
  Graph body;
  Builder step(body);
  node.inputs = {step.input({i64, {}}), step.input({i64, {}})};
  body.outputs = {step.append(std::move(node))};
  Node scan{.op = Op::scan,
            .inputs = {seeds, apart},
            .attributes = {{"carries", constant(0)}, {"xs", constant(2)}, {"reverse", constant(0)}},
            .where = at.node.where,
            .path = at.node.path,
            .called = at.node.called};
  scan.bodies.push_back(std::move(body));
  return {{build.append(std::move(scan)), true}};
}

namespace detail {

// The gradient of a call for each sample; what is the same for all of them gets the sum.
SINTER_INLINE Graph custom_gradient(const Batching& at, const Flags& flags) {
  const Graph &body = at.node.bodies[0], &gradient = at.node.bodies[1];
  BatchedBody written(at);
  written.add_inputs(body, flags);
  Vector<Batched> operands = written.inputs;
  for (std::size_t i = operands.size(); i < gradient.inputs.size(); ++i) {
    operands.push_back(written.add_input(gradient.type(gradient.inputs[i]), true));
  }
  const Vector<Batched> found = written.batched(gradient, operands, written.active);
  const Batching inside = written.inside();
  Vector<Value> outputs;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!is_floating(at.type(i).dtype)) continue;
    const Value of_samples = inside.repeated(found[outputs.size()]);
    outputs.push_back(flags[i] ? of_samples : inside.builder.reduce(Op::sum, of_samples, {0}));
  }
  return written.finish(std::move(outputs));
}

// A call of a graph that has a program of its own: its batch is such a call again.
SINTER_INLINE Vector<Batched> callee_batch(const Batching& at) {
  const Callee& callee = *callee_of(at.node);
  const Flags flags = at.batched_inputs();
  Hasher hasher;
  hasher.add("batch").add(at.count.bits()).add(std::uint64_t{at.active.has_value()});
  for (const std::int64_t size : callee_sizes(at.node)) {
    hasher.add(static_cast<std::uint64_t>(size));
  }
  for (const bool flag : flags) hasher.add(std::uint64_t{flag});
  const DerivedCallee& derived = callee.derived(hasher.result(), [&]() -> DerivedCallee {
    const auto number = [&](Extent extent) {
      return type_with({f32, {extent}}, callee_sizes(at.node)).shape[0];
    };
    // The call was made before the batch began, so all samples share its draws.
    const Graph sample = with_shared_draws(map_extents(callee.graph(), number), 1);
    return {callee.with(body_of(at, sample, flags, Flags(sample.outputs.size(), true))), {}, {}};
  });
  Node node = call_of(derived.callee, {});
  node.where = at.node.where, node.path = at.node.path;
  add_operands(at, flags, node);
  return results_of(at, std::move(node), Flags(callee.graph().outputs.size(), true));
}

}  // namespace detail

SINTER_INLINE Vector<Batched> call(const Batching& at) {
  if (callee_of(at.node) != nullptr) return detail::callee_batch(at);
  const Graph& body = at.node.bodies[0];
  if (at.node.bodies.size() == 1) {
    return batch(at.builder, body, at.inputs, at.count, at.active);
  }
  const Flags flags = at.batched_inputs();
  const bool is_batched = any_of(flags) || at.active || any_of(flags_of(at, body, flags));
  Node node = at.bare_node();
  if (!is_batched) {
    for (const Batched& input : at.inputs) node.inputs.push_back(input.value);
    node.bodies = at.node.bodies;
    return results_of(at, with_shared_draws(std::move(node), -1), Flags(body.outputs.size()));
  }
  const Flags outputs(body.outputs.size(), true);
  add_operands(at, flags, node);
  node.bodies.push_back(body_of(at, body, flags, outputs));
  node.bodies.push_back(detail::custom_gradient(at, flags));
  return results_of(at, std::move(node), outputs);
}

namespace detail {

SINTER_INLINE Vector<Batched> select_branches(const Batching& at) {
  Builder& build = at.builder;
  const Value holds = at.inputs[0].value;
  const Value fails = build.elementwise(Op::bitwise_not, {holds});
  const auto operands = at.inputs.subspan(1);
  const auto then =
      batch(build, at.node.bodies[0], operands, at.count, both(build, at.active, holds));
  const auto otherwise =
      batch(build, at.node.bodies[1], operands, at.count, both(build, at.active, fails));
  Vector<Batched> result;
  for (std::size_t i = 0; i < then.size(); ++i) {
    const Value condition = at.spread(holds, at.node.results[i].shape);
    result.push_back(
        {build.select(condition, at.repeated(then[i]), at.repeated(otherwise[i])), true});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Batched> cond(const Batching& at) {
  if (at.is_batched(0)) return detail::select_branches(at);
  Flags flags = at.batched_inputs();
  flags.erase(flags.begin());
  Flags outputs = flags_of(at, at.node.bodies[0], flags);
  const Flags others = flags_of(at, at.node.bodies[1], flags);
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i] = outputs[i] || others[i];
  Node node = at.bare_node();
  node.inputs = {at.inputs[0].value};
  add_operands(at, flags, node, 1);
  for (const Graph& body : at.node.bodies) {
    node.bodies.push_back(body_of(at, body, flags, outputs));
  }
  return results_of(at, std::move(node), outputs);
}

namespace detail {

// A custom operation with rules, for all samples.
SINTER_INLINE Vector<Batched> ruled_batch(const Batching& at) {
  Vector<Value> operands;
  for (const Batched& input : at.inputs) operands.push_back(at.repeated(input));
  for (const TensorType& type : at.node.results) at.with_count(type.shape);
  Vector<Batched> result;
  for (const Value value :
       custom_code(at.node).rules->batched(at.builder, at.node, operands, at.count)) {
    result.push_back({value, true});
  }
  return result;
}

}  // namespace detail

SINTER_INLINE Vector<Batched> custom(const Batching& at) {
  const Flags flags = at.batched_inputs();
  if (!any_of(flags) && !at.active) {
    Node node = at.node;
    node.inputs.clear();
    for (const Batched& input : at.inputs) node.inputs.push_back(input.value);
    return results_of(at, std::move(node), Flags(at.node.results.size()));
  }
  if (custom_code(at.node).rules != nullptr) return detail::ruled_batch(at);
  const bool has_effects = custom_code(at.node).has_side_effects;
  if (reference_of(at.node) == nullptr || has_effects) {
    throw ValueError(
        {.op = custom_code(at.node).name,
         .what = text("a custom operation with", has_effects ? " side effects" : "out a reference",
                      " is batched"),
         .facts = {},
         .rule = "vmap computes .reference, which has no side effects, for all samples "
                 "together",
         .fix = has_effects ? "call it on the whole batch"
                            : "give custom_op a .reference, or call it on the "
                              "whole batch",
         .where = at.node.where,
         .see = "custom-operations"});
  }
  Node node = at.node;
  node.op = Op::call;
  node.attributes.clear();
  return call({at.builder, at.sample, node, at.inputs, at.count, at.active});
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of
