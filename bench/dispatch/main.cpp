// What a call of a compiled function costs beside its kernel: guards, memory, the launch list.
//   8 floats           a function of one tensor
//   1000 parameters    a module that holds them, of which the function reads one
// The bounds are those of the whole call, kernel and result included.

#include <sinter/sinter.hpp>

#include "measure.hpp"
#include "report.hpp"

namespace {

using sinter::Tensor;

struct Parameters {
  std::vector<Tensor> values{};
  SINTER_MODULE(Parameters, values)
  Tensor forward(const Tensor& x) const { return sinter::mul(x, values.front()); }
};

Parameters make_parameters(std::size_t count) {
  Parameters result;
  for (std::size_t i = 0; i < count; ++i) result.values.push_back(sinter::ones({8}));
  for (const Tensor& value : result.values) sinter::evaluate(value);
  return result;
}

template <class Function>
double seconds_per_call(const Function& function, const Tensor& x) {
  return bench::fastest_of(bench::sample_of([&] { bench::keep(function(x)); }));
}

}  // namespace

int main() {
  const bench::Report report("dispatch");
  const Tensor x = sinter::ones({8});
  sinter::evaluate(x);

  auto one = sinter::compile([](const Tensor& value) { return sinter::sin(value); });
  report.add_bound("8 floats", 1, seconds_per_call(one, x), 300e-9);

  const Parameters parameters = make_parameters(1000);
  auto many = sinter::compile(parameters);
  report.add_bound("1000 parameters", 1, seconds_per_call(many, x), 1e-6);
}
