#pragma once

#include <algorithm>      // std::sort
#include <cstdlib>        // std::abs
#include <unordered_map>  // std::unordered_map

#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/member_options.hpp>
#include <sinter/jit/run.hpp>
#include <sinter/jit/state.hpp>
#include <sinter/trace/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// Larger numbers stand for the end of an axis.
inline constexpr std::int64_t most_size_of_program = std::int64_t{1} << 48;

// While it lives, variables of gradients are the values that they are in the place of.
class VariablesAsValues {
 public:
  explicit VariablesAsValues(const Recorder& recorder) : variables_(recorder.active_variables()) {
    for (const auto& [variable, value] : variables_) variable.lazy()->stands_for = value.lazy();
  }
  VariablesAsValues(const VariablesAsValues&) = delete;
  VariablesAsValues& operator=(const VariablesAsValues&) = delete;
  ~VariablesAsValues() {
    for (const auto& [variable, value] : variables_) variable.lazy()->stands_for.reset();
  }

 private:
  std::span<const std::pair<Tensor, Tensor>> variables_;
};

SINTER_INLINE bool is_input(const Lazy& lazy) { return lazy.node.op == Op::input; }

// How many handles on each value are among the leaves.
SINTER_INLINE void count_handles(const guard::Leaves& leaves,
                                 std::unordered_map<const Lazy*, std::uint32_t>& counts) {
  for (const guard::Leaf& leaf : leaves.list) ++counts[leaf.tensor->lazy().get()];
}

}  // namespace detail

SINTER_INLINE Run::Run(State& state, const CallSignature& call, const LeafNames& names,
                       Varying varying, OnMiss on_miss)
    : RecordingSession(call.leaves, names, state.options(), std::move(varying), state.where()),
      state_(state),
      structure_(call.structure),
      on_miss_(on_miss),
      seen_outside_(state.outside_sizes()),
      outer_differentiations_(active_differentiations()) {}

SINTER_INLINE random::Draw& Run::draw() {
  if (!memory_.draw) memory_.draw.emplace(random::Draw::unknown);
  return *memory_.draw;
}

SINTER_INLINE TensorType Run::type_of_outside(const Tensor& outside, std::size_t index) {
  if (!may_capture_) throw_captured(outside);
  const Shape& shape = outside.shape();
  const auto is_new = [&] {
    if (index >= seen_outside_->shapes.size()) return true;
    const Shape& before = seen_outside_->shapes[index];
    return before.size() == shape.size() && !same(before, shape);
  };
  if (on_miss_ == OnMiss::compile && is_new()) seen_outside_ = state_.note_outside(index, shape);
  for (int dim = 0; dim < shape.size(); ++dim) {
    if (seen_outside_->varying.count({index, dim}) != 0) let_vary(real().list.size() + index, dim);
  }
  return RecordingSession::type_of_outside(outside, index);
}

// Symbols are counted as well: the same size may be a number in another call.
SINTER_INLINE Extent Run::size_of_program(Extent size, bool of_elements, Where where) {
  const SizePlace place{word_of(where), sizes_at_[word_of(where)]++};
  if (!size.is_number() || options().dynamic == Dynamic::off) return size;
  const std::int64_t number = std::abs(size.number());
  if (number < 2 || number > detail::most_size_of_program) return size;
  const bool varies = state_.varies(place, number, on_miss_ == OnMiss::compile);
  const bool follows = of_elements && recorder().has_free_sizes();
  if (!varies && !follows) return size;
  const SymbolInfo known = varies ? SymbolInfo{.min = 2} : SymbolInfo{};
  const Extent symbol =
      recorder().symbol(known, number, varies ? Freedom::automatic : Freedom::fixed,
                        text("the size at ", sinter::to_string(where)));
  return size.number() < 0 ? Extent(0) - symbol : symbol;
}

SINTER_INLINE Run::~Run() { release(); }

// Values that something beside other values of the run refers to: a result, an argument, a capture.
SINTER_INLINE Run::Positions Run::held() const {
  Positions result;
  const Tape& tape = recorder().tape();
  std::vector<std::uint32_t> inner = tape.inner_references();
  for (const CreatedState& state : recorder().created()) ++inner[state.initial.lazy()->position];
  for (const std::uint32_t i : tape.live()) {
    const Lazy& lazy = *tape.values()[i];
    if (detail::is_input(lazy) || lazy.evaluated()) continue;
    const std::uint32_t references = lazy.references.load(std::memory_order_acquire);
    if (references > inner[i] + 1) result.push_back(i);  // 1: the tape
  }
  return result;
}

SINTER_INLINE std::string Run::reason_to_run_again(const guard::Leaves& results,
                                                   const guard::Leaves& after, bool is_pure) {
  if (was_interrupted()) return "it reads on the host";
  const Outside* read = is_pure ? nullptr : recorder().outside_read();
  if (!is_pure && read == nullptr && !recorder().outside().empty())
    read = &recorder().outside().front();
  if (read != nullptr) {
    return text("it uses ", to_string(read->tensor), " at ", sinter::to_string(read->where),
                ", which is no argument");
  }
  for (const Effect& effect : recorder().effects()) {
    if (effect.is_open) return "it calls a host function with captures";
  }
  for (const guard::Leaves* const leaves : {&results, &after}) {
    for (const guard::Leaf& leaf : leaves->list) {
      if (leaf.tensor->lazy()->recording == recorder().id()) continue;
      return text("it gives ", to_string(*leaf.tensor), ", which is no argument");
    }
  }
  std::unordered_map<const Lazy*, std::uint32_t> known;
  detail::count_handles(results, known);
  detail::count_handles(after, known);
  for (const Effect& effect : recorder().effects()) {
    for (const Tensor& operand : effect.operands) ++known[operand.lazy().get()];
  }
  const std::vector<std::uint32_t> inner = recorder().tape().inner_references();
  for (const std::uint32_t position : held()) {
    const Lazy& lazy = *recorder().tape().values()[position];
    const auto handles = known.find(&lazy);
    const std::uint32_t expected = 1 + (handles == known.end() ? 0 : handles->second);
    if (lazy.references.load(std::memory_order_acquire) > inner[position] + expected) {
      return text("the value made at ", sinter::to_string(lazy.node.where),
                  " is kept after it returned");
    }
  }
  return {};
}

SINTER_INLINE Hash Run::key_of_end(const guard::Leaves& after, const LeafNames& names_after) {
  end_sizes();
  std::vector<NewValue> updates = new_values(after, names_after);
  if (!recorder().effects().empty()) updates.clear();
  return key_of(held(), updates);
}

SINTER_INLINE bool Run::is_known(const guard::Leaves& after, const LeafNames& names_after) {
  return state_.segments().find(key_of_end(after, names_after), recorder().tape()) != nullptr;
}

SINTER_INLINE bool Run::is_known_but_for_numbers() {
  const Numbers numbers = numbers_of(held());
  return state_.segments().knows_numbers(numbers.kind, numbers.bits.size());
}

SINTER_INLINE void Run::note_numbers() {
  const Numbers numbers = numbers_of(held());
  state_.segments().choose_inputs(numbers.kind, numbers.bits, false);
}

// Those that are wanted, and what they need that somebody holds as well, so that it is computed
// once.
SINTER_INLINE Run::Positions Run::with_held(Positions wanted) const {
  const std::vector<std::uint32_t> inner = recorder().tape().inner_references();
  std::vector<bool> seen(inner.size());
  for (Positions path = wanted; !path.empty();) {
    const std::uint32_t position = path.back();
    path.pop_back();
    if (seen[position]) continue;
    seen[position] = true;
    const Lazy& lazy = *recorder().tape().values()[position];
    if (lazy.references.load(std::memory_order_acquire) > inner[position] + 1) {
      wanted.push_back(position);
    }
    for (const LazyValue& operand : lazy.operands) {
      const Lazy& target = *target_of(operand.lazy.get());
      const bool is_number = target.node.op == Op::constant;
      if (!detail::is_input(target) && !target.evaluated() && !is_number) {
        path.push_back(target.position);
      }
    }
  }
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  return wanted;
}

SINTER_INLINE void Run::interrupt(std::span<const Tensor> values, Break found) {
  if (asker_ == Asker::prepare) throw_no_elements(found);
  const MemberOptions* const member = member_options(recorder().path());
  const bool is_one_graph = state_.options().fullgraph || (member != nullptr && member->fullgraph);
  if (is_one_graph) RecordingSession::interrupt(values, std::move(found));
  if (turn_ != nullptr) turn_->end();
  state_.note_break(found);
  report_.breaks.push_back(std::move(found));
  const RecorderScope outside(nullptr);
  Positions outputs;
  {
    const detail::VariablesAsValues scope(recorder());
    const auto want = [&](const Tensor& value) {
      const Lazy& target = *target_of(value.lazy().get());
      if (!detail::is_input(target) && !target.evaluated()) outputs.push_back(target.position);
    };
    for (const Tensor& value : values) want(value);
    for (const Effect& effect : recorder().effects()) {
      for (const Tensor& operand : effect.operands) want(operand);
    }
    start_created_state();
    if (!outputs.empty()) compute(with_held(std::move(outputs)), {});
    for (const Tensor& value : values) give_elements(value);
    if (!recorder().effects().empty()) {
      pause();
      call_host_functions();
      resume();
    }
  }
  recorder().tape().drop_unused();
}

SINTER_INLINE void Run::interrupt_all(Break found) {
  std::vector<Tensor> values;
  for (const std::uint32_t position : held()) {
    values.emplace_back(recorder().tape().values()[position]);
  }
  interrupt(values, std::move(found));
}

// After this, reads of `value` find elements on it, even while it is a variable of a gradient.
SINTER_INLINE void Run::give_elements(const Tensor& value) {
  Lazy& target = *target_of(value.lazy().get());
  if (!target.evaluated()) {
    target.elements.push_back(elements_of(*real_of(target)));
    read_inputs_.push_back(&target);
  }
  for (Lazy* lazy = value.lazy().get(); lazy != &target; lazy = lazy->stands_for.get()) {
    if (lazy->evaluated()) continue;
    lazy->elements = target.elements;
    read_inputs_.push_back(lazy);
  }
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
