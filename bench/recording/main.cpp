// The cost of recording an operation: the host runs the function, and each result is a value
// without elements. Functions traced on every call pay this each time.
//   chain         elementwise operations on tensors and numbers
//   transformer   a block: products, attention, norms, gelu

#include <sinter/sinter.hpp>
#include <sinter/trace/core/extract.hpp>

#include "measure.hpp"
#include "report.hpp"

namespace {

using namespace sinter;
using namespace sinter::detail;

constexpr int links = 64;

Tensor chain(const Tensor& x, const Tensor& y) {
  Tensor value = x;
  for (int i = 0; i < links; ++i) value = sin(value * y + 0.5f);
  return value;
}

struct Block {
  nn::LayerNorm norm1{64}, norm2{64};
  nn::Linear query{64, 64}, key{64, 64}, values{64, 64}, merge{64, 64}, up{64, 256}, down{256, 64};
  SINTER_MODULE(Block, norm1, norm2, query, key, values, merge, up, down)
  Tensor heads(const Tensor& x) const { return permute(reshape(x, {8, 32, 4, 16}), {0, 2, 1, 3}); }
  Tensor forward(const Tensor& x) const {
    const Tensor h = norm1(x);
    const Tensor scores = matmul(heads(query(h)), transpose(heads(key(h)), -2, -1)) * 0.25f;
    const Tensor mixed = matmul(softmax(scores, -1), heads(values(h)));
    const Tensor joined = x + merge(reshape(permute(mixed, {0, 2, 1, 3}), {8, 32, 64}));
    return joined + down(gelu(up(norm2(joined))));
  }
};

// The number of operations that `result` depends on, without numbers and arguments.
std::int64_t operations(const Tensor& result, const Recorder& recorder) {
  Graph graph;
  Extractor extractor(graph, &recorder);
  extractor.add(result);
  std::int64_t count = 0;
  for (const Node& node : graph.nodes) count += info(node.op).kind != OpKind::leaf;
  return count;
}

// Calls `function` with the recorder, in a separate recording.
template <class Function>
auto record(Function function) {
  Recorder recorder;
  const RecorderScope scope(&recorder);
  return function(recorder);
}

// Adds the row of a function that takes a recorder.
template <class Function>
void measure(const bench::Report& report, const std::string& size, Function function) {
  const auto count = static_cast<double>(
      record([&](Recorder& recorder) { return operations(function(recorder), recorder); }));
  const double seconds = bench::fastest_of(bench::sample_of([&] {
    record([&](Recorder& recorder) {
      bench::keep(function(recorder));
      return 0;
    });
  }));
  report.add_bound(size, 1, seconds / count, 100e-9);
}

}  // namespace

int main() {
  const bench::Report report("recording");
  const TensorType type{f32, {8, 32, 64}};
  measure(report, "chain", [&](Recorder& recorder) {
    const Tensor x = recorder.placeholder(type);
    return chain(x, x);
  });

  Block block;
  std::vector<Tensor*> parameters;
  nn::for_each_parameter(block,
                         [&](const auto&, Tensor& parameter) { parameters.push_back(&parameter); });
  measure(report, "transformer", [&](Recorder& recorder) {
    for (Tensor* const parameter : parameters) {
      *parameter = recorder.placeholder(parameter->type());
    }
    return block(recorder.placeholder(type));
  });
}
