#pragma once

#include <algorithm>  // std::max, std::min
#include <exception>  // std::exception
#include <utility>    // std::exchange, std::move

#include <sinter/base/container/algorithm.hpp>
#include <sinter/debug/bisector.hpp>
#include <sinter/debug/fault/child.hpp>
#include <sinter/debug/fault/reduce.hpp>
#include <sinter/debug/fault/rule_check.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/lower/check_numerics.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/jit/lower/lowering_probe.hpp>

namespace sinter::inline SINTER_ABI::detail::debug {

namespace detail {

// "model.cpp:14", without folders.
SINTER_INLINE std::string short_line(const Where& where) {
  std::string_view file = where.file_name();
  file.remove_prefix(file.find_last_of('/') + 1);
  return where.line() == 0 ? "" : text(file, ":", where.line());
}

SINTER_INLINE std::string at_line(const CalledFunction& called) {
  const std::string line = short_line(called.where);
  return line.empty() ? "" : text(" at ", line);
}

// How far lowering got when it threw.
class StageProbe final : public jit::LoweringProbe {
 public:
  StageProbe() : outer_(std::exchange(jit::lowering_probe, this)) {}
  ~StageProbe() override { jit::lowering_probe = outer_; }
  StageProbe(const StageProbe&) = delete;
  StageProbe& operator=(const StageProbe&) = delete;

  void planning(schedule::Options& options) override {
    if (outer_ != nullptr) outer_->planning(options);
    stage_ = "schedule";
  }
  void planned(schedule::Plan& plan) override {
    if (outer_ != nullptr) outer_->planned(plan);
    stage_ = "code generation";
  }
  void printed(compiler::TranslationUnit& unit) override {
    if (outer_ != nullptr) outer_->printed(unit);
    stage_ = unit.language == Language::cuda ? "NVRTC" : "host compiler";
  }
  void runs(const jit::Runnable& program, const jit::CallMemory& memory) override {
    if (outer_ != nullptr) outer_->runs(program, memory);
    stage_ = "run of the kernels";
  }
  const std::string& stage() const { return stage_; }

 private:
  jit::LoweringProbe* outer_;
  std::string stage_ = "passes";
};

SINTER_INLINE std::string stage_of_error(const Problem& problem) {
  const StageProbe probe;
  try {
    compiled_results(problem);
  } catch (const std::exception&) {
  }
  return probe.stage();
}

// True if a child may run the call: no argument is on a GPU.
SINTER_INLINE bool is_on_host(const jit::AnyCall& call) {
  if (current_device().is_cuda()) return false;
  return !any_of(call.signature().leaves.list,
                 [](const guard::Leaf& leaf) { return leaf.tensor->device().is_cuda(); });
}

SINTER_INLINE const char* workaround_for(const std::string& stage) {
  struct Row {
    std::string_view stage;
    const char* text;
  };
  constexpr Row rows[] = {
      {"passes",
       "CompileOptions{.backend = Backend::eager} runs without passes; .numerics = "
       "Numerics::strict leaves out those that reassociate"},
      {"threads", "set_num_threads(1)"},
      {"in-place updates", "keep a copy of the tensor, Tensor before = x, during the call"},
      {"vectorisation", "SINTER_VECTOR_BITS=0 in the environment"},
      {"schedule rewrites", "CompileOptions{.numerics = Numerics::strict}"},
      {"recording",
       "pass what the function reads as arguments; disable() keeps a part of it out "
       "of the recording"},
      {"replay", "pass what the function reads as arguments, or call reset() where it changes"},
      {"gradient", "custom_gradient with the derivative written out"},
      {"batching", "a loop over the samples, or map()"},
      {"numerics", "keep the operands in range: clamp, a small number added, masked before"},
      {"function", "the function as it is written gives this result"}};
  for (const Row& row : rows) {
    if (row.stage == stage) return row.text;
  }
  return "CompileOptions{.backend = Backend::aot_eager} interprets instead of compiling";
}

}  // namespace detail

SINTER_INLINE Difference Bisector::compare_outcomes(const Outcome& got,
                                                    const Outcome& expected) const {
  const std::size_t count = std::min(got.values.size(), expected.values.size());
  if (got.values.size() != expected.values.size()) {
    return {.found = true,
            .got = text(got.values.size(), " tensors"),
            .expected = text(expected.values.size())};
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (same(got.types[i], expected.types[i])) continue;
    return {
        .found = true, .output = i, .got = text(got.types[i]), .expected = text(expected.types[i])};
  }
  return compare(got.types, got.values, expected.values, options_.tolerance);
}

SINTER_INLINE void Bisector::name_operations(const Problem& problem) {
  for (const NodeId id : operations_of(problem.graph)) {
    const Node& node = problem.graph[id];
    const bool is_more = node.op != Op::constant || result_.operation.empty();
    if (is_more) result_.operation = info(node.op).name;
    const auto same = [&](const Where& line) { return word_of(line) == word_of(node.where); };
    if (node.where.line() != 0 && !any_of(result_.lines, same)) {
      result_.lines.push_back(node.where);
    }
  }
}

SINTER_INLINE bool Bisector::conclude(FailureKind fault, Problem problem, std::string stage,
                                      std::string culprit) {
  fault_ = fault;
  result_.found = true;
  result_.workaround = detail::workaround_for(stage);
  result_.stage = std::move(stage);
  result_.culprit = std::move(culprit);
  name_operations(problem);
  problem_ = std::move(problem);
  return true;
}

// What throws or crashes. The child compiles first, so that this process survives.
SINTER_INLINE bool Bisector::examine_error(const Problem& problem) {
  std::string error;
  const auto run = [&] { return failure_of(problem, FailureKind::error); };
  error = problem.options.device.is_cpu() ? in_child(run) : run();
  if (error.empty()) return false;
  const bool crashes = is_crash(error);
  const FailureKind fault = crashes ? FailureKind::crash : FailureKind::error;
  const auto fails = [&](const Problem& part) {
    const auto again = [&] { return failure_of(part, fault); };
    const std::string now = part.options.device.is_cpu() ? in_child(again) : again();
    return !now.empty() && is_crash(now) == crashes &&
           (crashes || first_line(now).substr(0, 40) == first_line(error).substr(0, 40));
  };
  Problem small = reduced_graph(problem, fails);
  const std::string stage = crashes ? "crash" : detail::stage_of_error(small);
  result_.difference = first_line(error);
  result_.compared = "the compiled program with no error of the interpreter";
  std::string culprit;
  for (const NodeId id : operations_of(small.graph)) {
    if (small.graph[id].op == Op::constant) continue;
    culprit += text(culprit.empty() ? "" : ", ", origin(small.graph[id]));
  }
  conclude(fault, std::move(small), stage, "operations " + culprit);
  problem_ = problem;
  return true;
}

// Counts replacements: the first after which the interpreted graph differs.
SINTER_INLINE bool Bisector::examine_passes(const Problem& problem) {
  const Difference found = pass_difference(problem);
  if (!found.found) return false;
  Replacement last;
  optimized(problem, -1, &last);
  std::int64_t right = 0, wrong = last.number;
  const std::int64_t all = wrong;
  while (right + 1 < wrong) {
    const std::int64_t middle = (right + wrong) / 2;
    (pass_difference(problem, middle).found ? wrong : right) = middle;
  }
  optimized(problem, wrong, &last);
  step(
      text("the first ", right, " of ", all, " replacements by passes: right; ", wrong, ": wrong"));
  result_.difference = to_string(found);
  result_.compared = "the graph after the passes, interpreted, with the graph before them";
  const std::string rule = last.rule.empty() ? "" : text(", rule ", last.rule);
  const std::string culprit = text("pass ", last.pass, rule, ", replacement ", wrong, " of ", all,
                                   ": ", info(last.op).name, detail::at_line(last.called));
  conclude(FailureKind::passes, problem, "passes", culprit);
  result_.operation = info(last.op).name;
  result_.lines = {last.called.where};
  return true;
}

// The operations of the smallest part that is compiled wrongly.
SINTER_INLINE bool Bisector::conclude_kernels(Problem problem, std::string stage) {
  const FailureKind fault =
      stage == "in-place updates" ? FailureKind::in_place : FailureKind::kernels;
  const auto fails = [&](const Problem& part) {
    try {
      return !failure_of(part, fault).empty();
    } catch (const std::exception&) {
      return false;
    }
  };
  Problem small = reduced_graph(problem, fails);
  result_.difference = failure_of(problem, fault);
  result_.compared = "compiled code with the interpreter";
  std::string operations, kernels;
  for (const NodeId id : operations_of(small.graph)) {
    if (small.graph[id].op == Op::constant) continue;
    operations += text(operations.empty() ? "" : ", ", origin(small.graph[id]));
  }
  for (const std::string& name : kernel_names(small)) {
    kernels += text(kernels.empty() ? "kernel " : ", ", name);
  }
  step(text("smallest part of the graph that is wrong: ", operations));
  conclude(fault, std::move(small), std::move(stage), text(kernels, ": ", operations));
  problem_ = std::move(problem);
  return true;
}

// Operation by operation, each a kernel of its own.
SINTER_INLINE bool Bisector::examine_kernels(const Problem& problem) {
  if (!kernel_difference(problem).found) {
    const bool in_place = !problem.options.updates.empty();
    if (!in_place || !kernel_difference(problem, {.in_place = true}).found) return false;
    step("results in memory of their own: right; over the inputs that they update: wrong");
    return conclude_kernels(problem, "in-place updates");
  }
  step("passes: right; compiled code: wrong");
  if (!kernel_difference(problem, {.one_thread = true}).found) {
    step("on one thread: right");
    return conclude_kernels(problem, "threads");
  }
  Vector<NodeId> nodes;
  for (const NodeId id : operations_of(problem.graph)) {
    if (problem.graph[id].op != Op::constant) nodes.push_back(id);
  }
  if (nodes.size() == 1 || kernel_difference(unfused(problem, nodes)).found) {
    step("each operation in a kernel of its own: wrong");
    return conclude_kernels(problem, "kernels");
  }
  step("each operation in a kernel of its own: right");
  return examine_variations(problem);
}

SINTER_INLINE bool Bisector::examine_variations(const Problem& problem) {
  struct Row {
    const char* stage;
    Variation variation;
  };
  const Row rows[] = {{"memory reuse", {.reuses_memory = false}},
                      {"batched launches", {.batches = false}},
                      {"row tiles", {.row_tiles = false}},
                      {"schedule rewrites", {.rewrites = false}},
                      {"vectorisation", {.vectors = false}}};
  for (const Row& row : rows) {
    const bool is_wrong = kernel_difference(problem, row.variation).found;
    step(text("without ", row.stage, ": ", is_wrong ? "wrong" : "right"));
    if (!is_wrong) return conclude_kernels(problem, row.stage);
  }
  return conclude_kernels(problem, "fusion");
}

SINTER_INLINE bool Bisector::examine(Problem problem) {
  problem.options.backend = call_.state.options().backend;
  if (problem.graph.outputs.empty()) return false;
  if (problem.options.backend == Backend::eager) return false;
  const bool compiles = problem.options.backend == Backend::fused;
  if (compiles && examine_error(problem)) return true;
  return examine_passes(problem) || (compiles && examine_kernels(problem));
}

// Records the call with these options, and examines each program that the recording runs.
SINTER_INLINE bool Bisector::examine(const CompileOptions& options) {
  CompileOptions interpreted = options;
  interpreted.backend = Backend::eager;
  interpreted.background = false, interpreted.force_compiled = false;
  recorded_ = capture(interpreted, call_.state.where(), call_.call, call_.collect);
  if (!recorded_.outcome.error.empty() && written_.error.empty()) {
    result_.difference = first_line(recorded_.outcome.error);
    result_.compared = "the call while it is recorded with the function as it is written";
    return conclude(FailureKind::none, {}, "recording", "an exception");
  }
  const Difference found = compare_outcomes(recorded_.outcome, written_);
  step(text("recorded and interpreted: ", found.found ? "differs from" : "as",
            " the function as it is written"));
  for (const ProgramRun& run : recorded_.runs) {
    if (examine(run.problem)) return true;
  }
  if (!found.found || !written_.error.empty()) return false;
  result_.difference = to_string(found);
  result_.compared = "the recorded graph, interpreted, with the function as it is written";
  return conclude(FailureKind::none, {}, "recording",
                  "what was recorded is not what the function does");
}

SINTER_INLINE Problem Bisector::rule_problem(const UsedRule& rule, const Captured& captured) const {
  for (const ProgramRun& run : captured.runs) {
    const Graph& graph = run.problem.graph;
    for (const Node& node : graph.nodes) {
      const bool is_it = rule.is_gradient && node.op == rule.node.op &&
                         word_of(node.where) == word_of(rule.node.where) &&
                         node.inputs.size() == rule.types.size();
      if (!is_it) continue;
      bool fits = true;
      for (std::size_t i = 0; i < rule.types.size(); ++i) {
        fits = fits && same(graph.type(node.inputs[i]), rule.types[i]);
      }
      if (!fits) continue;
      Problem result = problem_of(node, rule.types, values_of(run.problem, node.inputs));
      result.symbols = run.problem.symbols;
      return smaller(with_numbers(std::move(result)));
    }
  }
  return with_made_inputs(rule.node, rule.types);
}

SINTER_INLINE bool Bisector::examine_rules(const Captured& captured) {
  for (const UsedRule& rule : captured.rules) {
    const FailureKind fault =
        rule.is_gradient ? FailureKind::gradient_rule : FailureKind::batching_rule;
    Problem problem;
    std::string found;
    try {
      problem = rule_problem(rule, captured);
      found = failure_of(problem, fault);
    } catch (const std::exception& error) {
      step(text("rule of ", info(rule.node.op).name, " not checked: ", first_line(error.what())));
      continue;
    }
    if (found.empty()) continue;
    const std::string stage = rule.is_gradient ? "gradient" : "batching";
    result_.difference = found;
    result_.compared = rule.is_gradient ? "the gradient with central differences in f64"
                                        : "a batch with one sample after the other";
    conclude(fault, std::move(problem), stage,
             text(stage, " rule of ", info(rule.node.op).name,
                  detail::at_line(called_function(rule.node))));
    result_.operation = info(rule.node.op).name;
    return true;
  }
  if (!captured.rules.empty()) {
    step(text(captured.rules.size(), " rules of gradients and batches: right"));
  }
  return false;
}

// The program gives NaN or infinity on every back end.
SINTER_INLINE bool Bisector::examine_numbers(const Captured& captured) {
  for (const ProgramRun& run : captured.runs) {
    const std::string found = failure_of(run.problem, FailureKind::non_finite);
    if (found.empty()) continue;
    bool reaches_result = false;
    for (std::size_t i = 0; i < run.outputs.size(); ++i) {
      const DType dtype = run.problem.graph.type(run.problem.graph.outputs[i]).dtype;
      reaches_result |= jit::has_non_finite(dtype, run.outputs[i].data(),
                                            run.outputs[i].bytes() / info(dtype).size);
    }
    if (!reaches_result) continue;
    const jit::NonFinite first =
        jit::non_finite_operations(run.problem.graph, run.problem.inputs, run.problem.symbols)[0];
    result_.difference = found;
    result_.compared = "each value of the graph with finite numbers";
    conclude(FailureKind::non_finite, run.problem, "numerics",
             text(info(first.op).name, detail::at_line(first.called),
                  " makes NaN or infinity from finite numbers, in every back end"));
    result_.operation = info(first.op).name;
    result_.lines = {first.called.where};
    return true;
  }
  return false;
}

// All back ends agree, but not with what is expected.
SINTER_INLINE bool Bisector::examine_expected(const Captured& captured) {
  if (options_.expected.empty()) return false;
  Outcome expected;
  for (const Tensor& tensor : options_.expected) {
    expected.values.push_back(copied_to(elements_of(tensor), cpu()));
    expected.types.push_back({tensor.dtype(), tensor.shape()});
  }
  Outcome got = captured.outcome;
  got.values.resize(std::min(got.values.size(), got.results));
  got.types.resize(got.values.size());
  const Difference found = compare_outcomes(got, expected);
  result_.largest = std::max(result_.largest, found.largest);
  if (!found.found) return false;
  if (examine_rules(captured)) return true;
  result_.difference = to_string(found);
  result_.compared = "every back end with the expected results";
  return conclude(FailureKind::none, {}, "function",
                  "all back ends agree, and the rules of gradients and batches are right");
}

// Compares the call as it is served with the function as it is written.
SINTER_INLINE bool Bisector::compare_back_ends() {
  const auto serve = [&] {
    served_ = call_compiled(call_.state, call_.call, call_.collect);
    return std::string();
  };
  const std::string end = detail::is_on_host(call_.call) ? in_child(serve) : "";
  if (is_crash(end)) {
    served_.error = end;
  } else {
    serve();
  }
  const bool throws = !served_.error.empty();
  const Difference found =
      throws || !written_.error.empty() ? Difference() : compare_outcomes(served_, written_);
  result_.largest = found.largest;
  const bool is_wrong = found.found || (throws && written_.error.empty());
  step(text("the compiled function: ", throws ? "throws" : found.found ? "wrong" : "right"));
  const CompileOptions& options = call_.state.options();
  if (examine(options)) return true;
  if (!is_wrong || !written_.error.empty()) return false;
  if (options.dynamic != Dynamic::on) {
    step("recorded again with dynamic sizes");
    CompileOptions dynamic = options;
    dynamic.dynamic = Dynamic::on;
    if (examine(dynamic)) return true;
  }
  const CompileOptions again = options;
  const Captured fresh = capture(again, call_.state.where(), call_.call, call_.collect);
  const bool is_right =
      fresh.outcome.error.empty() && !compare_outcomes(fresh.outcome, written_).found;
  step(text("compiled again: ", is_right ? "right" : "within rounding of its stages"));
  if (!is_right) return false;
  result_.difference = throws ? first_line(served_.error) : to_string(found);
  result_.compared = "the recording that serves the call with a new one";
  return conclude(FailureKind::none, {}, "replay", "an earlier recording no longer fits the call");
}

SINTER_INLINE Bisection Bisector::run() {
  written_ = call_as_written(call_.call, call_.state.where());
  if (!written_.error.empty()) {
    step(text("the function as it is written throws: ", first_line(written_.error)));
    const bool found = examine(call_.state.options());
    if (!found) {
      result_.difference = first_line(written_.error);
      result_.compared = "the function as it is written";
      conclude(FailureKind::none, {}, "function", "it throws as it is written");
    }
    return std::move(result_);
  }
  if (compare_back_ends()) return std::move(result_);
  if (examine_expected(recorded_) || examine_rules(recorded_)) return std::move(result_);
  examine_numbers(recorded_);
  return std::move(result_);
}

}  // namespace sinter::inline SINTER_ABI::detail::debug
