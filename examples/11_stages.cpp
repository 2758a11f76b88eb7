// The stages of the compiler, called one by one: what compile() does.
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cuda/emit_cuda.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/sinter.hpp>
#include <sinter/trace/core/extract.hpp>

#include <cstdio>
#include <string>

using namespace sinter;
using namespace sinter::detail;  // the stages are not part of the public interface

Tensor attention_weights(const Tensor& scores) { return softmax(scores / 8.0f, -1); }

// Runs the function once, with a placeholder for scores with any number of rows.
Graph record() {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  const Extent rows = recorder.symbol({.min = 0}, 4, Freedom::marked, "rows");
  const Tensor scores = recorder.placeholder({f32, {rows, 16}});
  const Tensor weights = attention_weights(scores);

  Graph graph;
  Extractor extractor(graph, &recorder);
  extractor.add_input(scores);
  graph.outputs = {extractor.add(weights)};
  return graph;
}

void show(const char* stage, const std::string& product) {
  std::printf("---- %s\n%s\n", stage, product.c_str());
}

int main() {
  Tensor scores = randn({4, 16});
  mark_dynamic(scores, 0);
  auto compiled = compile(attention_weights);  // all of the stages below, and a guard
  compiled(scores);
  show("guard", text(compiled.explain().guards));

  const Graph recorded = record();
  show("recorded graph", to_string(recorded));

  const Graph optimized = pass::optimize(recorded);
  show("optimized graph", to_string(optimized));

  const schedule::Target target = schedule::Target::named("avx512");  // or "avx2", "neon", ...
  const schedule::Plan plan = schedule::plan(optimized, {.target = target});
  show("plan", to_string(plan));

  const Source cpp = codegen::emit_cpp(plan.kernels.at(0), {.target = target});
  const Source cuda = codegen::emit_cuda(plan.kernels.at(0), {});
  show("kernel in C++", cpp.text);
  show("kernel in CUDA", cuda.text);

  const bool right = plan.kernels.size() == 1 && recorded.nodes.size() == optimized.nodes.size();
  return right && cuda.text.find("__global__") != std::string::npos ? 0 : 1;
}
