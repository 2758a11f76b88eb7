// The host time of a call of a compiled function on a GPU, measured with a driver that does
// nothing, so no GPU is needed. The number of driver calls per call, whose time a real driver adds,
// is printed as well.
//   8 floats        a function of one tensor
//   64 layers       the model of layers.hpp: 258 parameters
//   64 layers, SGD  its training step, which updates them in place
//   64 layers, list the model, launched kernel by kernel
// On the host the first two compute too:
//   8 floats, host; 64 layers, host

#include <cstdio>

#include <sinter/sinter.hpp>

#include "idle_driver.hpp"
#include "layers.hpp"
#include "measure.hpp"
#include "report.hpp"

namespace {

using namespace sinter;
using namespace sinter::detail;

constexpr double allowed = 6e-6;  // that design asks for

template <class Body>
void measure(const bench::Report& report, const char* name, Body body, double bound = allowed) {
  const double seconds = bench::fastest_of(bench::sample_of(body));
  const long before = bench::IdleDriver::calls();
  body();
  std::printf("# %s: %.0f ns, %ld calls of the driver\n", name, seconds * 1e9,
              bench::IdleDriver::calls() - before);
  report.add_bound(name, 1, seconds, bound);
}

void measure_model(const bench::Report& report, const char* name, Device device, Mode mode) {
  bench::Layers model = bench::make_layers();
  nn::to(model, device);
  const Tensor x = ones({1, 10}).to(device);
  x.shape(), evaluate(x);
  auto f = compile(model, {.mode = mode});
  measure(report, name, [&] { bench::keep(f(x)); });
}

void measure_training(const bench::Report& report) {
  bench::Layers model = bench::make_layers();
  nn::to(model, cuda());
  const Tensor x = ones({1, 10}).to(cuda());
  evaluate(x);
  auto step = compile(
      [](bench::Layers& m, const Tensor& a) {
        auto [loss, gradients] = value_and_grad(m, [&] { return sum(m(a)); });
        optim::SGD sgd{.learning_rate = 0.1f};
        sgd.step(m, gradients);
        return loss;
      },
      {.mode = Mode::reduce_overhead});
  measure(report, "64 layers, SGD", [&] { bench::keep(step(model, x)); });
}

void measure_small(const bench::Report& report, const char* name, Device device) {
  const Tensor x = ones({8}).to(device);
  evaluate(x);
  auto f = compile([](const Tensor& value) { return sin(value); }, {.mode = Mode::reduce_overhead});
  measure(report, name, [&] { bench::keep(f(x)); });
}

}  // namespace

int main() {
  const bench::Report report("gpu_host");
  measure_small(report, "8 floats, host", cpu());
  measure_model(report, "64 layers, host", cpu(), Mode::standard);
  const bench::IdleDriver driver;
  measure_small(report, "8 floats", cuda());
  measure_model(report, "64 layers", cuda(), Mode::reduce_overhead);
  measure_model(report, "64 layers, list", cuda(), Mode::standard);
  measure_training(report);
}
