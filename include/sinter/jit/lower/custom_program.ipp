#pragma once

#include <chrono>       // std::chrono::steady_clock
#include <cstring>      // std::memcpy
#include <exception>    // std::throw_with_nested
#include <string_view>  // std::string_view
#include <utility>      // std::exchange, std::move
#include <vector>       // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/log.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/device/host/copy.hpp>
#include <sinter/device/host/gpu.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/jit/lower/custom_program.hpp>
#include <sinter/symbol/solve/evaluate.hpp>
#include <sinter/trace/core/evaluate.hpp>
#include <sinter/trace/core/recorder_scope.hpp>
#include <sinter/trace/subgraph/body.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

namespace detail {

// During its lifetime the user's code runs as outside of recordings and bodies.
class OutsideOfRecordings {
 public:
  OutsideOfRecordings() : recorder_(nullptr), body_(std::exchange(current_body, 0)) {}
  OutsideOfRecordings(const OutsideOfRecordings&) = delete;
  OutsideOfRecordings& operator=(const OutsideOfRecordings&) = delete;
  ~OutsideOfRecordings() { current_body = body_; }

 private:
  RecorderScope recorder_;
  BodyId body_;
  OutsidePublicCalls calls_{};
};

SINTER_INLINE TensorType type_in_call(const TensorType& type, Span<const std::int64_t> symbols) {
  Shape shape;
  for (const Extent& size : type.shape) shape.push_back(evaluate(size, symbols));
  return {type.dtype, shape};
}

SINTER_INLINE std::size_t bytes_in_call(const TensorType& type, Span<const std::int64_t> symbols) {
  const std::int64_t elements = evaluate(numel(type.shape), symbols);
  return static_cast<std::size_t>(elements) * info(type.dtype).size;
}

// "12 operations, the last at model.cpp:14"
SINTER_INLINE std::string summary_of(const Graph& graph) {
  Where last{};
  std::size_t operations = 0;
  for (const Node& node : graph.nodes) {
    operations += info(node.op).kind != OpKind::leaf ? 1 : 0;
    if (node.where.line() != 0) last = node.where;
  }
  const std::string line = last.line() == 0 ? "" : text(", the last at ", sinter::to_string(last));
  return text(quantity(operations, "operation"), line);
}

// The name that errors have for the compiled function.
SINTER_INLINE std::string function_name() {
  return logged_function.empty() ? std::string("compile") : std::string(logged_function);
}

// Called while an exception of the user's code is handled.
[[noreturn]] SINTER_INLINE void throw_failed(const std::string& backend, std::string_view stage,
                                             const Graph& graph, std::string_view error,
                                             Where where) {
  std::throw_with_nested(ValueError({.op = function_name(),
                                     .what = text("the backend ", backend, " failed ", stage),
                                     .facts = {{"error", error}, {"graph", summary_of(graph)}},
                                     .rule = "a backend gives a function from the inputs of a "
                                             "graph to its outputs",
                                     .fix = "std::rethrow_if_nested gives the exception itself; "
                                            "SINTER_LOGS=graph prints the graph",
                                     .where = where,
                                     .see = "without-a-section"}));
}

[[noreturn]] SINTER_INLINE void throw_result(const std::string& backend, std::string_view result,
                                             const std::string& expected, const std::string& found,
                                             Where where) {
  throw ValueError({.op = function_name(),
                    .what = text("the backend ", backend, " gave another result than the graph"),
                    .facts = {{"result", result}, {"expected", expected}, {"found", found}},
                    .rule = "the function gives the outputs of the graph, in their order",
                    .fix = "compare with GraphView::interpret(inputs)",
                    .where = where,
                    .see = "without-a-section"});
}

template <class Call>
auto call_backend(const std::string& backend, std::string_view stage, const Graph& graph,
                  Where where, Call call) {
  const OutsideOfRecordings scope;
  try {
    return call();
  } catch (const std::exception& error) {
    throw_failed(backend, stage, graph, error.what(), where);
  } catch (...) {
    throw_failed(backend, stage, graph, "an exception that is no std::exception", where);
  }
}

// The argument of the user's function: memory of the call.
SINTER_INLINE Tensor borrowed_tensor(const TensorType& type, void* memory,
                                     Span<const std::int64_t> symbols, Device device, Where where) {
  Storage elements;
  if (device.is_cuda()) elements = gpus_for(device, where).memory_at(device, memory);
  if (!elements) elements = Storage::borrow(memory, bytes_in_call(type, symbols));
  return Tensor(make_evaluated(type_in_call(type, symbols), std::move(elements)));
}

class UserProgram final : public CustomProgram {
 public:
  UserProgram(GraphFunction function, std::string backend)
      : function_(std::move(function)), backend_(std::move(backend)) {}
  void run(const Graph& graph, Span<void* const> inputs, Span<void* const> outputs,
           Span<const std::int64_t> symbols, Device device, Where where) const override;

 private:
  GraphFunction function_;
  std::string backend_;
};

inline void require_name(std::string_view name, Where where) {
  const bool is_taken = name == "eager" || name == "aot_eager" || name == "fused";
  if (!name.empty() && !is_taken && name.find_first_of(",= ") == name.npos) return;
  throw ValueError({.op = "register_backend",
                    .what = is_taken ? "the name is that of a Backend" : "this is no name",
                    .facts = {{"name", name}},
                    .rule = "a name has letters, and no comma, space or equals sign",
                    .fix = "choose another name",
                    .where = where});
}

SINTER_INLINE void UserProgram::run(const Graph& graph, Span<void* const> inputs,
                                    Span<void* const> outputs, Span<const std::int64_t> symbols,
                                    Device device, Where where) const {
  const std::vector<std::int64_t> sizes(symbols.begin(), symbols.end());
  std::vector<Tensor> values;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const TensorType& type = graph.type(graph.inputs[i]);
    values.push_back(borrowed_tensor(type, inputs[i], symbols, device, where));
  }
  // Copies, because the memory of an output may be that of an input.
  Vector<Storage> computed;
  const auto results = call_backend(backend_, "in a call", graph, where, [&] {
    const SymbolScope scope(sizes);
    std::vector<Tensor> all = function_(values);
    for (const Tensor& one : all) {
      const Storage& elements = elements_of(one, where);
      computed.push_back(elements.device() == device && outputs.size() == 1
                             ? elements
                             : copied_to(elements, device, where));
    }
    return all;
  });
  if (results.size() != outputs.size()) {
    throw_result(backend_, "all", quantity(outputs.size(), "tensor"),
                 quantity(results.size(), "tensor"), where);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const TensorType expected = type_in_call(graph.type(graph.outputs[i]), symbols);
    if (!same(expected, results[i].type())) {
      throw_result(backend_, text(i), to_string(expected), to_string(results[i].type()), where);
    }
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (computed[i].bytes() != 0 && computed[i].data() != outputs[i]) {
      copy_memory(device, outputs[i], computed[i].data(), computed[i].bytes());
    }
  }
}

}  // namespace detail

SINTER_INLINE LoweredProgram UserBackend::lower(const Graph& graph,
                                                const LowerOptions& options) const {
  using Clock = std::chrono::steady_clock;
  const Where where = graph.nodes.empty() ? Where() : graph.nodes.back().where;
  const auto start = Clock::now();
  const GraphView view(make_shared_ptr<const Graph>(graph));
  GraphFunction function =
      detail::call_backend(name(), "with a graph", graph, where, [&] { return compiler_(view); });
  LoweredProgram result;
  result.work.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  auto custom = make_shared_ptr<const detail::UserProgram>(std::move(function), name());
  result.program = make_shared_ptr<const Program>(graph, std::move(custom), options.device);
  return result;
}

}  // namespace sinter::inline SINTER_ABI::detail::jit

namespace sinter::inline SINTER_ABI {

SINTER_INLINE std::string_view register_backend(std::string_view name, GraphCompiler compiler,
                                                Where where) {
  using namespace detail;
  jit::detail::require_name(name, where);
  auto made = make_shared_ptr<const jit::UserBackend>(std::string(name), std::move(compiler));
  const std::string_view kept = made->name();
  jit::add_custom_backend(std::move(made));
  return kept;
}

}  // namespace sinter::inline SINTER_ABI
