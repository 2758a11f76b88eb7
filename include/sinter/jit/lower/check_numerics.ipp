#pragma once

#include <algorithm>  // std::max, std::min
#include <cmath>      // std::isfinite
#include <utility>    // std::exchange

#include <sinter/base/container/algorithm.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/jit/lower/check_numerics.hpp>
#include <sinter/runtime/host/launch_watch.hpp>
#include <sinter/runtime/interpreter/control.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

template <class T>
bool is_finite(T value) {
  return std::isfinite(static_cast<double>(value));
}

// The elements of an array of the interpreter as doubles, in row-major order.
SINTER_INLINE std::vector<double> numbers_in(const runtime::interpreter::Array& x) {
  const Storage dense = runtime::interpreter::storage_of(x, {});
  std::vector<double> result;
  visit_dtype(x.dtype, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(dense.data());
    const std::size_t count = dense.bytes() / sizeof(T);
    for (std::size_t i = 0; i < count; ++i) result.push_back(static_cast<double>(from[i]));
  });
  return result;
}

SINTER_INLINE bool all_finite(const std::vector<double>& list) {
  return all_of(list, [](double x) { return std::isfinite(x); });
}

SINTER_INLINE std::string position_text(std::size_t flat, Span<const std::int64_t> shape) {
  std::vector<std::int64_t> result(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    result[axis] = static_cast<std::int64_t>(flat) % shape[axis];
    flat /= static_cast<std::size_t>(shape[axis]);
  }
  return text(result);
}

SINTER_INLINE std::string range_text(const std::vector<double>& list) {
  double low = list[0], high = list[0];
  for (const double x : list) low = std::min(low, x), high = std::max(high, x);
  return text(list.size(), " numbers from ", static_cast<float>(low), " to ",
              static_cast<float>(high));
}

// Collects the operations that make NaN or infinity of finite numbers.
class NonFiniteWatch final : public runtime::NodeWatch {
 public:
  NonFiniteWatch() : outer_(std::exchange(runtime::node_watch, this)) {}
  ~NonFiniteWatch() override { runtime::node_watch = outer_; }
  NonFiniteWatch(const NonFiniteWatch&) = delete;
  NonFiniteWatch& operator=(const NonFiniteWatch&) = delete;

  using Array = runtime::interpreter::Array;
  void evaluated(const Graph& graph, NodeId id, Span<const Array> inputs,
                 Span<const Array> results) override {
    const Node& node = graph[id];
    if (!is_floating(results[0].dtype)) return;
    const std::vector<double> result = numbers_in(results[0]);
    if (all_finite(result)) return;
    note_readers(graph, node);
    const bool makes = is_elementwise(node.op) || node.op == Op::sum || node.op == Op::prod ||
                       node.op == Op::cumsum || node.op == Op::cumprod ||
                       node.op == Op::scatter_add || node.op == Op::dot_general;
    if (makes) look_at(graph, id, inputs, results[0], result);
  }

  /// Those whose results are not masked at once.
  Vector<NonFinite> found() const {
    Vector<NonFinite> result;
    for (const Candidate& candidate : list_) {
      if (candidate.escapes) result.push_back(candidate.what);
    }
    return result;
  }

 private:
  struct Candidate {
    const Graph* graph = nullptr;
    NodeId node = 0;
    bool escapes = false;
    NonFinite what{};
  };

  // What a candidate gave reaches a node whose result is not finite either.
  void note_readers(const Graph& graph, const Node& node) {
    for (Candidate& candidate : list_) {
      if (candidate.graph != &graph || candidate.escapes) continue;
      for (const Value input : node.inputs) candidate.escapes |= input.node == candidate.node;
    }
  }

  void look_at(const Graph& graph, NodeId id, Span<const Array> inputs, const Array& array,
               const std::vector<double>& result) {
    const Node& node = graph[id];
    std::vector<std::vector<double>> operands;
    for (const Array& input : inputs) operands.push_back(numbers_in(input));
    const bool by_element = is_elementwise(node.op);
    if (!by_element) {
      for (const auto& operand : operands) {
        if (!all_finite(operand)) return;
      }
    }
    for (std::size_t i = 0; i < result.size(); ++i) {
      if (std::isfinite(result[i])) continue;
      if (by_element && any_of(operands, [i](const auto& x) { return !std::isfinite(x[i]); })) {
        continue;
      }
      NonFinite what{.called = called_function(node), .op = node.op};
      what.element = position_text(i, array.shape);
      what.result = text(result[i]);
      for (const auto& operand : operands) {
        if (operand.empty()) continue;
        what.operands.push_back(by_element ? text(static_cast<float>(operand[i]))
                                           : range_text(operand));
      }
      const bool is_output =
          any_of(graph.outputs, [id](Value output) { return output.node == id; });
      list_.push_back({&graph, id, is_output, std::move(what)});
      return;
    }
  }

  runtime::NodeWatch* outer_;
  Vector<Candidate> list_{};
};

}  // namespace detail

SINTER_INLINE bool has_non_finite(DType dtype, const void* elements, std::size_t count) {
  if (!is_floating(dtype)) return false;
  return visit_dtype(dtype, [&]<class T>(T) {
    const T* const from = static_cast<const T*>(elements);
    for (std::size_t i = 0; i < count; ++i) {
      if (!detail::is_finite(from[i])) return true;
    }
    return false;
  });
}

SINTER_INLINE Vector<NonFinite> non_finite_operations(const Graph& graph,
                                                      Span<const Storage> inputs,
                                                      Span<const std::int64_t> symbols) {
  const detail::NonFiniteWatch watch;
  runtime::interpret(graph, inputs, symbols);
  return watch.found();
}

namespace detail {

[[noreturn]] SINTER_INLINE void throw_non_finite(const NonFinite& what, std::string_view kernel) {
  Report report{.op = what.called.name,
                .what = text("the result of ", info(what.op).name, " is ", what.result,
                             ", for finite numbers"),
                .facts = {{"element", what.element}},
                .rule = "SINTER_CHECK=nan: no kernel makes NaN or infinity of finite numbers",
                .fix =
                    "keep its operands in range, for example with clamp or a small number "
                    "added, or mask them before the operation",
                .where = what.called.where};
  for (std::size_t i = 0; i < what.operands.size(); ++i) {
    report.facts.push_back({text("operand ", i), what.operands[i]});
  }
  if (!kernel.empty()) report.facts.push_back({"kernel", std::string(kernel)});
  const OutsidePublicCalls elsewhere;
  const PublicCall call(what.called);
  throw ValueError(report);
}

[[noreturn]] SINTER_INLINE void throw_wrong_kernel(std::string_view kernel, Where where) {
  throw ValueError({.op = "SINTER_CHECK",
                    .what = "a kernel gives NaN or infinity where the interpreter gives numbers",
                    .facts = {{"kernel", kernel}},
                    .rule = "both compute the same",
                    .fix = "bisect(f, arguments...) says which operation differs; report it",
                    .where = where});
}

// Looks at the buffers of each launch, and at the results of programs without host kernels.
class NumericsCheck final : public runtime::LaunchWatch {
 public:
  NumericsCheck(const Program& program, const CallMemory& memory)
      : program_(program),
        memory_(memory),
        symbols_(memory.symbols),
        outer_(std::exchange(runtime::launch_watch, this)) {}
  ~NumericsCheck() override { runtime::launch_watch = outer_; }
  NumericsCheck(const NumericsCheck&) = delete;
  NumericsCheck& operator=(const NumericsCheck&) = delete;

  void launched(const schedule::Plan& plan, const schedule::Launch& launch, void* const* pointers,
                Span<const std::int64_t> symbols) override {
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const auto number = static_cast<std::size_t>(launch.buffers[i]);
      const schedule::Buffer& buffer = plan.buffers[number];
      if (buffer.home == schedule::Home::input) continue;
      const auto count = static_cast<std::size_t>(evaluate(buffer.elements, symbols));
      if (!has_non_finite(buffer.dtype, pointers[i], count)) continue;
      return explain(launch.lines, kernel_names(launch));
    }
  }

  /// Looks at the results, after the run.
  void finish() {
    bool is_finite = true;
    const Graph& graph = program_.graph();
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      if (is_copied(i)) continue;
      const TensorType& type = graph.type(graph.outputs[i]);
      const auto count = static_cast<std::size_t>(evaluate(numel(type.shape), symbols_));
      const Storage here = on_host(memory_.outputs[i], count * info(type.dtype).size);
      is_finite = is_finite && !has_non_finite(type.dtype, here.data(), count);
    }
    if (is_finite) return;
    explain({}, "");
    const Where where = graph.nodes[graph.outputs[0].node].where;
    if (results_are_finite_ && !inputs_are_wrong_) throw_wrong_kernel(kernel_, where);
  }

 private:
  // Whether the plan does not write output `i`: it is copied from an input or another output,
  // later.
  bool is_copied(std::size_t i) const {
    const schedule::Plan* const plan = program_.plan();
    if (plan == nullptr) return false;
    const auto& buffer = plan->buffers[static_cast<std::size_t>(plan->outputs[i])];
    return buffer.home != schedule::Home::output || buffer.position != static_cast<std::int32_t>(i);
  }

  std::string kernel_names(const schedule::Launch& launch) const {
    std::string result;
    for (const std::int32_t kernel : schedule::kernels_of(launch)) {
      const auto number = static_cast<std::size_t>(kernel);
      if (number >= program_.sources().size()) continue;
      result += text(result.empty() ? "" : ", ", program_.sources()[number].name);
      for (const schedule::Kernel& finalizer : program_.plan()->kernels[number].finalizers) {
        result += ", " + finalizer.name;
      }
    }
    return result;
  }

  Storage on_host(void* memory, std::size_t bytes) const {
    if (program_.device().is_cpu()) return Storage::borrow(memory, bytes);
    const Storage there = gpu_backend()->memory_at(program_.device(), memory);
    return there ? copied_to(there, cpu()) : Storage::borrow(memory, bytes);
  }

  // Interprets the program once, to see which operations are at fault.
  void interpret() {
    if (std::exchange(is_interpreted_, true)) return;
    const Graph& graph = program_.graph();
    Vector<Storage> inputs;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      const TensorType& type = graph.type(graph.inputs[i]);
      const auto count = static_cast<std::size_t>(evaluate(numel(type.shape), symbols_));
      inputs.push_back(on_host(memory_.inputs[i], count * info(type.dtype).size));
      inputs_are_wrong_ |= has_non_finite(type.dtype, inputs.back().data(), count);
    }
    const NonFiniteWatch watch;
    const Vector<Storage> results = runtime::interpret(graph, inputs, symbols_);
    for (std::size_t i = 0; i < results.size(); ++i) {
      const DType dtype = graph.type(graph.outputs[i]).dtype;
      results_are_finite_ &=
          !has_non_finite(dtype, results[i].data(), results[i].bytes() / info(dtype).size);
    }
    found_ = watch.found();
  }

  // Throws if an operation on `lines`, or on any line if there are none, is at fault.
  void explain(Span<const Where> lines, std::string_view kernel) {
    interpret();
    if (!kernel.empty() && kernel_.empty()) kernel_ = kernel;
    for (const NonFinite& what : found_) {
      const auto is_same = [&](const Where& line) { return same_line(line, what.called.where); };
      if (lines.empty() || any_of(lines, is_same)) throw_non_finite(what, kernel);
    }
  }

  static bool same_line(const Where& a, const Where& b) {
    return a.line() == b.line() && std::string_view(a.file_name()) == b.file_name();
  }

  const Program& program_;
  const CallMemory& memory_;
  Span<const std::int64_t> symbols_;
  runtime::LaunchWatch* outer_;
  bool is_interpreted_ = false, results_are_finite_ = true, inputs_are_wrong_ = false;
  Vector<NonFinite> found_{};
  std::string kernel_{};  // the first that gave NaN or infinity
};

}  // namespace detail

SINTER_INLINE void run_checked(const Program& program, const CallMemory& memory) {
  detail::NumericsCheck check(program, memory);
  program.run(memory.inputs, memory.outputs, memory.symbols, memory.where, memory.packed_from);
  check.finish();
}

SINTER_INLINE Vector<Storage> interpret_checked(const Graph& graph, Span<const Storage> inputs) {
  const detail::NonFiniteWatch watch;
  Vector<Storage> results = runtime::interpret(graph, inputs);
  for (const NonFinite& what : watch.found()) detail::throw_non_finite(what, "");
  return results;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
