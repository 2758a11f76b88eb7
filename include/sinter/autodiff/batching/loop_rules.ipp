#pragma once

#include <utility>  // std::move

#include <sinter/autodiff/batching/body.hpp>
#include <sinter/autodiff/batching/loop_rules.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/graph/control.hpp>

namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of {

namespace detail {

// Writes the loop in which samples that are done keep their state.
class BatchedLoop {
 public:
  explicit BatchedLoop(const Batching& at)
      : at_(at), states_(state_count(at.node)), flags_(at.batched_inputs()) {}

  Vector<Batched> results() {
    find_flags();
    Node node = at_.bare_node();
    add_operands(at_, flags_, node);
    const Flags states(flags_.begin(), flags_.begin() + static_cast<std::ptrdiff_t>(states_));
    node.bodies.push_back(differs_ ? any_active() : body_of(at_, predicate(), flags_, {false}));
    node.bodies.push_back(differs_ ? active_step() : body_of(at_, step(), flags_, states));
    return results_of(at_, std::move(node), states);
  }

 private:
  const Graph& predicate() const { return at_.node.bodies[0]; }
  const Graph& step() const { return at_.node.bodies[1]; }
  bool is_kept(std::size_t i) const { return step().outputs[i] == Value(step().inputs[i]); }

  // A state is batched if a step makes it so, or leaves it at different steps.
  void find_flags() {
    for (Flags known; known != flags_;) {
      known = flags_;
      differs_ = at_.active || flags_of(at_, predicate(), flags_)[0];
      const Flags found = flags_of(at_, step(), flags_);
      for (std::size_t i = 0; i < states_; ++i) {
        if (!is_kept(i)) flags_[i] = flags_[i] || found[i] || differs_;
      }
    }
  }

  Value active(BatchedBody& body) const {
    const Vector<Batched> holds = body.batched(predicate());
    const Batching inside = body.inside();
    return both(inside.builder, body.active, inside.repeated(holds[0]));
  }

  Graph any_active() const {
    BatchedBody body(at_);
    body.add_inputs(predicate(), flags_);
    const Value is_active = active(body);
    return body.finish({body.inside().builder.reduce(Op::max, is_active, {0})});
  }

  Graph active_step() const {
    BatchedBody body(at_);
    body.add_inputs(step(), flags_);
    const Value holds = active(body);
    const Vector<Batched> next = body.batched(step(), body.inputs, holds);
    const Batching inside = body.inside();
    Vector<Value> outputs;
    for (std::size_t i = 0; i < states_; ++i) {
      const Value before = body.inputs[i].value;
      const Value condition = inside.spread(holds, at_.type(i).shape);
      outputs.push_back(
          is_kept(i) ? before : inside.builder.select(condition, inside.repeated(next[i]), before));
    }
    return body.finish(std::move(outputs));
  }

  const Batching& at_;
  std::size_t states_;
  Flags flags_;
  bool differs_ = false;  // samples may take different numbers of steps
};

// Carries are batched if a step makes them so.
SINTER_INLINE void find_carries(const Batching& at, std::size_t carries, Flags& flags,
                                Flags& outputs) {
  for (Flags known; known != flags;) {
    known = flags;
    outputs = flags_of(at, at.node.bodies[0], flags);
    for (std::size_t i = 0; i < carries; ++i) flags[i] = outputs[i] = flags[i] || outputs[i];
  }
}

}  // namespace detail

SINTER_INLINE Vector<Batched> while_loop(const Batching& at) {
  return detail::BatchedLoop(at).results();
}

// Steps lie along axis 0, and the samples of each step behind them.
SINTER_INLINE Vector<Batched> scan(const Batching& at) {
  const ScanLayout layout = scan_layout(at.node);
  Flags flags = at.batched_inputs(), outputs;
  detail::find_carries(at, layout.carries, flags, outputs);
  Node node = at.bare_node();
  add_operands(at, flags, node);
  for (std::size_t i = layout.carries; i < layout.carries + layout.xs; ++i) {
    if (flags[i]) node.inputs[i] = move_axis(at.builder, node.inputs[i], 1, 0);
  }
  node.bodies.push_back(body_of(at, at.node.bodies[0], flags, outputs));
  Vector<Batched> result = results_of(at, std::move(node), outputs);
  for (std::size_t i = layout.carries; i < result.size(); ++i) {
    if (outputs[i]) result[i].value = move_axis(at.builder, result[i].value, 1, 0);
  }
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::autodiff::batch_of
