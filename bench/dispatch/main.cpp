// The overhead of a call of a compiled function: guards, memory, the launch list.
//   8 floats           a function of one tensor
//   1000 parameters    a module with 1000 parameters, one of which the function reads
// The bounds are for the whole call, kernel and result included. A function with captures is traced
// on every call; per operation, the time beyond that of the same function when replayed:
//   open, 64           sin, products and sums with a number; 64 and 512 operations
//   open, typed 8      the same for expressions of 8 operations on typed tensors, 64 of them

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
  for (const Tensor& value : result.values) sinter::detail::evaluate(value);
  return result;
}

template <class Function, class... Args>
double seconds_per_call(const Function& function, const Args&... args) {
  return bench::fastest_of(bench::sample_of([&] { bench::keep(function(args...)); }));
}

// `operations` operations, a third of them with a number.
template <int operations>
Tensor chain(const Tensor& x, const Tensor& y) {
  Tensor value = x;
  for (int i = 0; i < operations / 3; ++i) value = sin(value * y + 0.5f);
  for (int i = 0; i < operations % 3; ++i) value = value * y;
  return value;
}

using Row = sinter::TensorOf<float, 8>;

constexpr int expressions = 64;

Row typed_chain(const Row& x, const Row& y) {
  Row value = x;
  for (int i = 0; i < expressions; ++i)
    value = sin((value * y + 0.5f) * (value - y) * y + exp(value));
  return value;
}

// The additional time of `function`, for tensors like `x`, if it has captured the second one.
template <class Argument, class Function>
double seconds_of_recording(const Argument& x, Function function) {
  const Argument y = x;
  auto open = sinter::compile([&](const Argument& value) { return function(value, y); });
  auto closed = sinter::compile(function);
  return seconds_per_call(open, x) - seconds_per_call(closed, x, y);
}

}  // namespace

int main() {
  const bench::Report report("dispatch");
  const Tensor x = sinter::ones({8});
  sinter::detail::evaluate(x);

  auto one = sinter::compile([](const Tensor& value) { return sinter::sin(value); });
  report.add_bound("8 floats", 1, seconds_per_call(one, x), 300e-9);

  const Parameters parameters = make_parameters(1000);
  auto many = sinter::compile(parameters);
  report.add_bound("1000 parameters", 1, seconds_per_call(many, x), 1e-6);

  const double few =
      seconds_of_recording(x, [](const Tensor& a, const Tensor& b) { return chain<64>(a, b); });
  report.add_bound("open, 64", 1, few / 64, 100e-9);
  const double more =
      seconds_of_recording(x, [](const Tensor& a, const Tensor& b) { return chain<512>(a, b); });
  report.add_bound("open, 512", 1, more / 512, 100e-9);
  const double typed =
      seconds_of_recording(Row(x), [](const Row& a, const Row& b) { return typed_chain(a, b); });
  report.add_bound("open, typed 8", 1, typed / (8 * expressions), 100e-9);
}
