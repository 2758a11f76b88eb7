#pragma once

#include <cstring>    // std::memset
#include <exception>  // std::exception
#include <utility>    // std::exchange, std::move

#include <sinter/debug/fault/rule_check.hpp>
#include <sinter/debug/fault/trial.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/lower/check_numerics.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/host/thread_pool.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

SINTER_INLINE std::string to_string(FailureKind fault) {
  constexpr const char* names[] = {"none",     "passes",   "kernels",  "in-place updates",
                                   "gradient", "batching", "numerics", "error",
                                   "crash"};
  return names[static_cast<std::size_t>(fault)];
}

namespace detail {

// Passes what it is told to an outer probe, so that planted faults stay planted.
class VariationProbe final : public jit::LoweringProbe {
 public:
  explicit VariationProbe(const Variation& variation)
      : variation_(variation), outer_(std::exchange(jit::lowering_probe, this)) {}
  ~VariationProbe() override { jit::lowering_probe = outer_; }
  VariationProbe(const VariationProbe&) = delete;
  VariationProbe& operator=(const VariationProbe&) = delete;

  void planning(schedule::Options& options) override {
    schedule::Target& target = options.target;
    if (!variation_.reuses_memory) target.reuses_outputs = target.writes_over_operands = false;
    if (!variation_.batches) {
      target.batching = schedule::LaunchBatching::none, target.finalizers = false;
    }
    if (!variation_.row_tiles) options.row_tiles = false;
    if (!variation_.rewrites) target.rewrites = {}, target.rematerializes = false;
    if (!variation_.vectors) target.vectors = {.bits = 0};
    if (outer_ != nullptr) outer_->planning(options);
  }
  void planned(schedule::Plan& plan) override {
    if (outer_ != nullptr) outer_->planned(plan);
  }
  void printed(compiler::TranslationUnit& unit) override {
    if (outer_ != nullptr) outer_->printed(unit);
  }
  // What kernels leave out shows: recycled memory may have the right numbers.
  void runs(const jit::Runnable& program, const jit::CallMemory& memory) override {
    for (const Storage& owned : memory.owned) {
      const bool is_here = owned && owned.device().is_cpu() && owned.bytes() != 0;
      if (is_here) std::memset(owned.data(), 0xff, owned.bytes());
    }
    if (outer_ != nullptr) outer_->runs(program, memory);
  }
  void ran(const jit::Runnable& program, const jit::CallMemory& memory,
           Span<const std::int64_t> symbols) override {
    if (outer_ != nullptr) outer_->ran(program, memory, symbols);
  }

 private:
  Variation variation_;
  jit::LoweringProbe* outer_;
};

// Runs kernels on one thread during its lifetime.
class OneThread {
 public:
  explicit OneThread(bool applies) : before_(applies ? runtime::num_threads() : 0) {
    if (applies) runtime::set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 0) runtime::set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// Counts the replacements by the passes, and refuses those past a limit.
class RewriteLimit final : public RewriteProbe {
 public:
  explicit RewriteLimit(std::int64_t most)
      : most_(most), outer_(std::exchange(rewrite_probe, this)) {}
  ~RewriteLimit() override { rewrite_probe = outer_; }
  RewriteLimit(const RewriteLimit&) = delete;
  RewriteLimit& operator=(const RewriteLimit&) = delete;

  void begins(std::string_view pass) override {
    pass_ = pass;
    if (outer_ != nullptr) outer_->begins(pass);
  }
  Vector<Value> replaced(Builder& builder, std::string_view rule, const Node& node,
                         Vector<Value> replacement) override {
    if (most_ >= 0 && last_.number == most_) return {};
    last_ = {last_.number + 1, std::string(pass_), std::string(rule), node.op,
             called_function(node)};
    if (outer_ == nullptr) return replacement;
    return outer_->replaced(builder, rule, node, std::move(replacement));
  }
  const Replacement& last() const { return last_; }

 private:
  std::int64_t most_;
  RewriteProbe* outer_;
  std::string_view pass_{};
  Replacement last_{};
};

// The inputs of a run on their device, and tensors of those that outputs update.
struct RunInputs {
  RunInputs(const Problem& problem, bool in_place) {
    const Device device = problem.options.device;
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
      storages.push_back(copied_to(problem.inputs[i], device));
    }
    if (in_place) {
      for (std::size_t i = 0; i < storages.size(); ++i) {
        const TensorType& type = problem.graph.type(problem.graph.inputs[i]);
        tensors.emplace_back(make_evaluated(concrete(problem, type), std::move(storages[i])));
      }
    }
    for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
      const Storage& storage = in_place ? tensors[i].lazy()->elements[0] : storages[i];
      memory.inputs.push_back(storage.data());
      if (device.is_cuda()) memory.packed_from.push_back(&storage);
    }
    for (Tensor& tensor : tensors) leaves.push_back({.tensor = &tensor});
  }

  Vector<Storage> storages{};
  std::vector<Tensor> tensors{};
  Vector<guard::Leaf> leaves{};
  jit::CallMemory memory{};
};

}  // namespace detail

SINTER_INLINE Vector<Storage> compiled_results(const Problem& problem, const Variation& variation) {
  detail::VariationProbe probe(variation);
  const detail::OneThread threads(variation.one_thread);
  jit::LowerOptions options = problem.options;
  options.tunes = false;
  jit::LoweredProgram lowered = jit::lower(problem.graph, options);
  const bool in_place = variation.in_place;
  const jit::Runnable runnable = jit::runnable_of(
      problem.graph,
      in_place ? Span<const schedule::Update>(options.updates) : Span<const schedule::Update>(),
      std::move(lowered.program), std::move(lowered.symbols));
  detail::RunInputs run(problem, in_place);
  jit::run(runnable, run.leaves, problem.symbols, run.memory);
  Vector<Storage> results;
  for (std::size_t i = 0; i < runnable.outputs.size(); ++i) {
    const auto leaf = static_cast<std::size_t>(runnable.outputs[i].updates);
    const Storage& result =
        run.memory.owned[i] ? run.memory.owned[i] : run.tensors[leaf].lazy()->elements[0];
    results.push_back(copied_to(result, cpu()));
  }
  return results;
}

SINTER_INLINE Vector<std::string> kernel_names(const Problem& problem) {
  Vector<std::string> result;
  detail::VariationProbe probe({});
  const jit::LoweredProgram lowered = jit::lower(problem.graph, problem.options);
  for (const Source& source : lowered.program->sources()) result.push_back(source.name);
  return result;
}

SINTER_INLINE Vector<TensorType> output_types(const Problem& problem) {
  Vector<TensorType> result;
  for (const Value output : problem.graph.outputs) {
    result.push_back(concrete(problem, problem.graph.type(output)));
  }
  return result;
}

SINTER_INLINE Vector<Storage> interpreted_results(const Problem& problem) {
  return runtime::interpret(problem.graph, problem.inputs, problem.symbols);
}

SINTER_INLINE Graph optimized(const Problem& problem, std::int64_t most, Replacement* last) {
  const bool strict = problem.options.numerics == Numerics::strict;
  const bool wide = strict && problem.options.device.is_cpu();
  detail::RewriteLimit limit(most);
  Graph result = pass::optimize(problem.graph, {.strict = strict, .wide_products = wide});
  if (last != nullptr) *last = limit.last();
  return result;
}

namespace detail {

SINTER_INLINE Difference difference_to_interpreter(const Problem& problem,
                                                   Span<const Storage> results) {
  const Vector<Storage> expected = interpreted_results(problem);
  const Vector<TensorType> types = output_types(problem);
  Difference result = compare(types, results, expected);
  if (!result.found) return result;
  return compare(types, results, expected, 0, interpreted_results(widened(problem)));
}

}  // namespace detail

SINTER_INLINE Difference kernel_difference(const Problem& problem, const Variation& variation) {
  return detail::difference_to_interpreter(problem, compiled_results(problem, variation));
}

SINTER_INLINE Difference pass_difference(const Problem& problem, std::int64_t most) {
  Problem after = problem;
  after.graph = optimized(problem, most);
  return detail::difference_to_interpreter(problem, interpreted_results(after));
}

namespace detail {

SINTER_INLINE std::string non_finite_text(const Problem& problem) {
  for (std::size_t i = 0; i < problem.inputs.size(); ++i) {
    const DType dtype = problem.graph.type(problem.graph.inputs[i]).dtype;
    const std::size_t count = problem.inputs[i].bytes() / info(dtype).size;
    if (jit::has_non_finite(dtype, problem.inputs[i].data(), count)) return {};
  }
  for (const jit::NonFinite& what :
       jit::non_finite_operations(problem.graph, problem.inputs, problem.symbols)) {
    std::string result = text(info(what.op).name, " gives ", what.result, " at ", what.element);
    for (const std::string& operand : what.operands) result += text(", of ", operand);
    return result;
  }
  return {};
}

SINTER_INLINE std::string error_text(const Problem& problem) {
  try {
    compiled_results(problem);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

SINTER_INLINE std::string found_text(const Difference& difference) {
  return difference.found ? to_string(difference) : "";
}

}  // namespace detail

SINTER_INLINE std::string failure_of(const Problem& problem, FailureKind fault) {
  switch (fault) {
    case FailureKind::none:
      break;
    case FailureKind::passes:
      return detail::found_text(pass_difference(problem));
    case FailureKind::kernels:
      return detail::found_text(kernel_difference(problem));
    case FailureKind::in_place:
      if (problem.options.updates.empty()) return {};
      return detail::found_text(kernel_difference(problem, {.in_place = true}));
    case FailureKind::gradient_rule:
      return gradient_mistake(problem);
    case FailureKind::batching_rule:
      return batching_mistake(problem);
    case FailureKind::non_finite:
      return detail::non_finite_text(problem);
    case FailureKind::error:
    case FailureKind::crash:
      return detail::error_text(problem);
  }
  return {};
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
