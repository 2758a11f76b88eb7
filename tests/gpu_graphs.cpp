#include "gpu_graphs.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/device/host/scoped_device.hpp>
#include <sinter/graph/hash.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/plan.hpp>

#include "moved.hpp"
#include "random/gpu.hpp"

namespace gpu_graphs {

using namespace sinter;
using namespace sinter::detail;

namespace {

// A graph, its inputs, and the outputs of the interpreter.
struct Noted {
  Hash hash;
  Graph graph;
  Vector<Storage> inputs;
  std::vector<std::int64_t> symbols;
  Vector<Storage> expected;
  schedule::Plan plan{};
  compiler::TranslationUnit unit{};
};

std::vector<Noted>& noted() {
  static std::vector<Noted> result;
  return result;
}

// Compiles the kernels of all graphs at once; each graph then finds its own in the cache.
void compile_noted() {
  compiler::TranslationUnit all;
  for (Noted& one : noted()) {
    one.plan = schedule::plan(pass::optimize(one.graph, {}), {.target = schedule::gpu_target()});
    schedule::verify(one.plan);
    one.unit = random_program::gpu_unit_of(one.plan, false);
    one.unit.prelude = codegen::cuda_prelude(one.unit.kernels);
    const Vector<Source> before = std::move(all.kernels);
    all = one.unit;
    all.kernels.insert(all.kernels.begin(), before.begin(), before.end());
  }
  all.prelude = codegen::cuda_prelude(all.kernels);
  if (!all.kernels.empty()) compiler::load_or_compile(all);
}

// The first elements that differ by more than the order of additions explains; "" if there are
// none.
std::string difference(DType dtype, const Storage& found, const Storage& expected) {
  const double tolerance = !is_floating(dtype) ? 0
                           : dtype == f64      ? 1e-9
                           : dtype == f32      ? 1e-5
                                               : 0.1;
  return visit_dtype(dtype, [&]<class T>(T) -> std::string {
    const auto *const x = static_cast<const T*>(found.data()), *const y = static_cast<const T*>(
                                                                   expected.data());
    for (std::size_t i = 0; i < expected.bytes() / sizeof(T); ++i) {
      const auto a = static_cast<double>(x[i]), b = static_cast<double>(y[i]);
      if (a == b || (std::isnan(a) && std::isnan(b))) continue;
      if (std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b))) continue;
      return text("[", i, "] is ", a, ", the interpreter gives ", b);
    }
    return "";
  });
}

std::string difference(const Noted& one) {
  Vector<Storage> found;
  for (const Storage& output : one.expected) found.push_back(Storage::allocate(output.bytes()));
  random_program::run_on_gpu(one.plan, false, compiler::load_or_compile(one.unit), one.inputs,
                             found, one.symbols);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!random_program::is_own_output(one.plan, i)) continue;  // an input, or another output
    const DType dtype = one.graph.type(one.graph.outputs[i]).dtype;
    const std::string differs = difference(dtype, found[i], one.expected[i]);
    if (!differs.empty()) return text("output ", i, ": ", differs, "\n", one.graph);
  }
  return "";
}

// The errors of the graphs of a test case on a GPU.
std::vector<std::string> mistakes() {
  std::vector<std::string> result;
  try {
    compile_noted();
    for (const Noted& one : noted()) {
      if (std::string found = difference(one); !found.empty()) result.push_back(std::move(found));
    }
  } catch (const std::exception& error) {
    result.push_back(error.what());
  }
  noted().clear();
  return result;
}

}  // namespace

void note(const Graph& graph, const Vector<Storage>& inputs,
          const std::vector<std::int64_t>& symbols, const Vector<Storage>& expected) {
  if (current_device().is_cpu()) return;
  static const bool registered = (sinter_test::checks_at_end().push_back(mistakes), true);
  static_cast<void>(registered);
  const Hash hash = hash_of(graph);
  for (const Noted& one : noted()) {
    if (one.hash == hash) return;
  }
  noted().push_back({hash, graph, inputs, symbols, expected});
}

}  // namespace gpu_graphs
