#pragma once

#include <exception>  // std::exception
#include <utility>    // std::exchange, std::move

#include <sinter/autodiff/gradient/backward.hpp>
#include <sinter/base/container/hash_map.hpp>
#include <sinter/debug/fault/capture.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/jit/call/serve.hpp>
#include <sinter/jit/compile.hpp>
#include <sinter/jit/interface/stance.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/trace/context/random_state.hpp>
#include <sinter/trace/core/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

SINTER_INLINE Storage host_copy(const Storage& elements) { return copied_to(elements, cpu()); }

SINTER_INLINE void add_tensor(const Tensor& tensor, Outcome& outcome) {
  if (!tensor.defined()) return;
  outcome.values.push_back(host_copy(elements_of(tensor)));
  outcome.types.push_back({tensor.dtype(), tensor.shape()});
}

// Takes back the random draws of its lifetime, so that the next call makes the same.
class SameDraws {
 public:
  SameDraws() : state_(random::state()) {}
  ~SameDraws() { random::set_state(state_); }
  SameDraws(const SameDraws&) = delete;
  SameDraws& operator=(const SameDraws&) = delete;

 private:
  random::State state_;
};

// A call on copies of its arguments, whose tensors have memory of their own.
class CopiedCall final : public jit::AnyCall {
 public:
  explicit CopiedCall(jit::AnyCall& call)
      : AnyCall(call.kind()), call_(call), copies_(call.copy()) {
    for (const guard::Leaf& leaf : copies_->signature().leaves.list) copy_elements(*leaf.tensor);
  }

  jit::CallSignature signature() const override { return copies_->signature(); }
  void compare(guard::Comparison& comparison) const override { call_.compare(comparison); }
  void note(guard::Snapshot& snapshot) const override { call_.note(snapshot); }
  bool may_overlap() const override { return false; }
  SharedPtr<jit::AnyCopies> copy() const override { return copies_->copy(); }
  void assign(jit::AnyCopies& copies) const override { copies_ = copies.copy(); }
  void run_as_written(Where where) override { result_ = copies_->invoke(leaves_, where); }
  void take_result(void* result) override { call_.take_result(result), collects_ = true; }
  void fill_result(const void* result, Span<Tensor> tensors) override {
    call_.fill_result(result, tensors), collects_ = true;
  }

  Outcome outcome(CollectResult collect) {
    Outcome result;
    std::vector<Tensor> tensors;
    if (collects_) collect(call_, tensors);
    for (const guard::Leaf& leaf : leaves_.list) tensors.push_back(*leaf.tensor);
    for (const Tensor& tensor : tensors) add_tensor(tensor, result);
    result.results = result.values.size();
    for (const guard::Leaf& leaf : copies_->signature().leaves.list) {
      if (leaf.is_mutable) add_tensor(*leaf.tensor, result);
    }
    return result;
  }

 private:
  static void copy_elements(Tensor& tensor) {
    const Storage& elements = elements_of(tensor);
    tensor.set_value(Tensor(
        make_evaluated({tensor.dtype(), tensor.shape()}, copied_to(elements, elements.device()))));
  }

  jit::detail::Names find_names() const override { return call_.names(); }

  jit::AnyCall& call_;
  mutable SharedPtr<jit::AnyCopies> copies_;
  guard::Leaves leaves_{};
  SharedPtr<void> result_{};
  bool collects_ = false;
};

// Notes the programs that a call lowers and runs.
class CaptureProbe final : public jit::LoweringProbe {
 public:
  CaptureProbe() : outer_(std::exchange(jit::lowering_probe, this)) {}
  ~CaptureProbe() override { jit::lowering_probe = outer_; }
  CaptureProbe(const CaptureProbe&) = delete;
  CaptureProbe& operator=(const CaptureProbe&) = delete;

  void begins(const Graph& recorded, const jit::LowerOptions& options) override {
    begun_.push_back({.graph = recorded, .options = options});
  }
  void lowered(const jit::LoweredProgram& program) override {
    programs_.push_back({program.program, std::move(begun_.back())});
    begun_.pop_back();
  }
  void planning(schedule::Options& options) override {
    if (outer_ != nullptr) outer_->planning(options);
  }
  void planned(schedule::Plan& plan) override {
    if (outer_ != nullptr) outer_->planned(plan);
  }
  void printed(compiler::TranslationUnit& unit) override {
    if (outer_ != nullptr) outer_->printed(unit);
  }
  void runs(const jit::Runnable& program, const jit::CallMemory& memory) override {
    if (outer_ != nullptr) outer_->runs(program, memory);
    ProgramRun run;
    const Problem* const problem = problem_of(program);
    const bool is_whole = problem != nullptr && program.program->partitions().empty();
    if (is_whole) {
      run.problem = *problem;
      for (std::size_t i = 0; i < program.symbols.size(); ++i) {
        const std::size_t id = program.symbols[i];
        if (run.problem.symbols.size() <= id) run.problem.symbols.resize(id + 1);
        run.problem.symbols[id] = memory.symbols[i];
      }
      for (std::size_t i = 0; i < memory.inputs.size(); ++i) {
        const TensorType& type = problem->graph.type(problem->graph.inputs[i]);
        run.problem.inputs.push_back(read(program, memory.inputs[i], bytes_of(run.problem, type)));
      }
    }
    running_.push_back(std::move(run));
  }
  void ran(const jit::Runnable& program, const jit::CallMemory& memory,
           Span<const std::int64_t> symbols) override {
    if (outer_ != nullptr) outer_->ran(program, memory, symbols);
    ProgramRun run = std::move(running_.back());
    running_.pop_back();
    if (run.problem.graph.nodes.empty()) return;
    const Graph& graph = run.problem.graph;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      run.outputs.push_back(
          read(program, memory.outputs[i], bytes_of(run.problem, graph.type(graph.outputs[i]))));
    }
    done_.push_back(std::move(run));
  }

  Vector<ProgramRun> take() { return std::move(done_); }

 private:
  const Problem* problem_of(const jit::Runnable& program) const {
    for (const auto& known : programs_) {
      if (known.first == program.program) return &known.second;
    }
    return nullptr;
  }

  static Storage read(const jit::Runnable& program, void* memory, std::size_t bytes) {
    const Device device = program.program->device();
    const Storage there = device.is_cuda() ? gpu_backend()->memory_at(device, memory) : Storage();
    return host_copy(there ? there : Storage::borrow(memory, bytes));
  }

  jit::LoweringProbe* outer_;
  Vector<Problem> begun_{};
  Vector<std::pair<SharedPtr<const jit::Program>, Problem>> programs_{};
  Vector<ProgramRun> running_{}, done_{};
};

// Notes the rules of autodiff that a recording uses, each once for each kind of node.
class UsedRules final : public autodiff::RuleProbe {
 public:
  explicit UsedRules(Vector<UsedRule>& rules)
      : rules_(rules), outer_(std::exchange(autodiff::rule_probe, this)) {}
  ~UsedRules() override { autodiff::rule_probe = outer_; }
  UsedRules(const UsedRules&) = delete;
  UsedRules& operator=(const UsedRules&) = delete;

  Value differentiated(Builder& builder, const Node& node, std::size_t input,
                       Value gradient) override {
    note(builder.graph(), node, true);
    return outer_ == nullptr ? gradient : outer_->differentiated(builder, node, input, gradient);
  }
  Value batched(Builder& builder, const Graph& sample, const Node& node, std::size_t number,
                Value result) override {
    note(sample, node, false);
    return outer_ == nullptr ? result : outer_->batched(builder, sample, node, number, result);
  }

 private:
  void note(const Graph& graph, const Node& node, bool is_gradient) {
    UsedRule rule{is_gradient, node};
    Hasher hasher;
    hasher.add(is_gradient ? 1 : 0).add(word_of(node.where));
    Vector<TensorType> types;
    for (const Value input : node.inputs) rule.types.push_back(graph.type(input));
    hasher.add(hash_of(problem_of(node, rule.types, {}).graph));
    if (seen_.insert({hasher.result(), true}).second) rules_.push_back(std::move(rule));
  }

  Vector<UsedRule>& rules_;
  autodiff::RuleProbe* outer_;
  HashMap<Hash, bool, HashOfHash> seen_{};
};

}  // namespace detail

SINTER_INLINE Outcome call_as_written(const jit::AnyCall& call, Where where) {
  Outcome result;
  const detail::SameDraws draws;
  const ScopedStance stance(Stance::force_eager);
  try {
    const SharedPtr<jit::AnyCopies> copies = call.copy();
    guard::Leaves leaves;
    const SharedPtr<void> kept = copies->invoke(leaves, where);
    for (const guard::Leaf& leaf : leaves.list) detail::add_tensor(*leaf.tensor, result);
    result.results = result.values.size();
    for (const guard::Leaf& leaf : copies->signature().leaves.list) {
      if (leaf.is_mutable) detail::add_tensor(*leaf.tensor, result);
    }
  } catch (const std::exception& error) {
    result.error = error.what();
  }
  return result;
}

SINTER_INLINE Outcome call_compiled(jit::State& state, jit::AnyCall& call, CollectResult collect) {
  const detail::SameDraws draws;
  try {
    detail::CopiedCall copied(call);
    jit::serve(state, copied);
    return copied.outcome(collect);
  } catch (const std::exception& error) {
    Outcome result;
    result.error = error.what();
    return result;
  }
}

SINTER_INLINE Captured capture(const CompileOptions& options, Where where, jit::AnyCall& call,
                               CollectResult collect) {
  Captured result;
  const SharedPtr<jit::State> state = jit::make_state(options, where);
  const detail::SameDraws draws;
  detail::CaptureProbe probe;
  const detail::UsedRules rules(result.rules);
  result.outcome = call_compiled(*state, call, collect);
  result.runs = probe.take();
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
