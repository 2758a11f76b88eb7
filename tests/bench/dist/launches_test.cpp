// The launches of a training step, planned for any number of ranks and any target, and measured.

#include <doctest/doctest.h>

#if __has_include(<mpi.h>)  // sinter::dist needs it

#include <string>
#include <vector>

#include "../../../bench/dist/launches.hpp"

using namespace sinter;
using bench::Launch;
using Kind = Launch::Kind;

namespace {

// The weights of each layer take 1.2 MB: the last is the first bucket, the others the second.
struct Deep {
  nn::Linear a{560, 560}, b{560, 560}, c{560, 560};
  SINTER_MODULE(Deep, a, b, c)
  Tensor forward(const Tensor& x) const { return c(gelu(b(gelu(a(x))))); }
};

Tensor step(Deep& model, optim::SGD& optimizer, const Tensor& x) {
  auto [loss, gradients] = value_and_grad(model, [&] { return mean(square(model(x))); });
  dist::all_reduce(gradients);
  optimizer.step(model, gradients);
  return dist::all_reduce(loss);
}

constexpr double bytes_of_layer = 4 * (560 * 560 + 560);

std::vector<Launch> planned(int ranks, const char* target) {
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile(step, {.fullgraph = true});
  return bench::planned_launches(ranks, bench::plans::Target::named(target), {1e9, 1e9, 1e9, 1e-3},
                                 [&] {
                                   run.prepare(model, optimizer, TensorSpec{{16, 560}});
                                 });
}

// k: a kernel, s: a start, w: a wait, c: another collective
std::string order_of(const std::vector<Launch>& launches) {
  std::string result;
  for (const Launch& launch : launches) result += "kswc"[static_cast<int>(launch.kind)];
  return result;
}

double sum_of_seconds(const std::vector<Launch>& launches) {
  double result = 0;
  for (const Launch& launch : launches) result += launch.seconds;
  return result;
}

double no_time(const Launch&) { return 0; }

}  // namespace

TEST_CASE("launches: a group of any size without other processes") {
  {
    const bench::ScopedFreeGroup group(4);
    const Tensor x = from_vector<float>({1, 2}, {2});
    CHECK(dist::all_reduce(x).to_vector<float>() == std::vector<float>{4, 8});
    CHECK(dist::all_gather(x).to_vector<float>() == std::vector<float>{1, 2, 1, 2, 1, 2, 1, 2});
    const Tensor large = full({100000}, 2.0f);
    CHECK(dist::all_reduce(large, dist::Reduce::mean).to_vector<float>()[99999] == 2);
    CHECK_THROWS_WITH_AS(dist::send(x, 1), doctest::Contains("has no part in a simulation"),
                         std::runtime_error);
  }
  CHECK_THROWS_AS(dist::all_reduce(ones({2})).to_vector<float>(), ValueError);
}

TEST_CASE("launches: the plan of a GPU starts buckets between the kernels of the backward pass") {
  for (const char* const target : {"sm_90", "avx512"}) {
    const std::vector<Launch> launches = planned(8, target);
    const std::string order = order_of(launches);
    CAPTURE(target);
    CAPTURE(order);
    CHECK(std::count(order.begin(), order.end(), 's') == 2);
    CHECK(std::count(order.begin(), order.end(), 'w') == 2);
    CHECK(std::count(order.begin(), order.end(), 'c') == 1);
    CHECK(order.find("sk") != std::string::npos);
    CHECK(order.rfind('s') < order.find('w'));
    std::vector<double> bytes;
    for (const Launch& launch : launches) {
      if (launch.kind != Kind::kernel) CHECK(launch.name == "all_reduce");
      if (launch.kind == Kind::start) bytes.push_back(launch.bytes);
      if (launch.kind == Kind::kernel) CHECK(launch.seconds > 1e-3);
      if (launch.kind == Kind::collective) CHECK(launch.bytes == 4);
    }
    CHECK(bytes == std::vector{bytes_of_layer, 2 * bytes_of_layer});
  }
}

TEST_CASE("launches: one rank has no buckets") {
  const std::string order = order_of(planned(1, "sm_90"));
  CHECK(order.find_first_of("sw") == std::string::npos);
}

TEST_CASE("launches: a kernel takes what its bytes or its operations take, and a launch") {
  const auto add = compile([](const Tensor& x) { return x + 1.0f; });
  const auto launches =
      bench::planned_launches(2, bench::plans::Target::named("sm_90"), {2, 1e9, 1e9, 0.5},
                              [&] { add.prepare(TensorSpec{{1000}}); });
  REQUIRE(launches.size() == 1);
  CHECK(launches[0].seconds == doctest::Approx(8000 / 2.0 + 0.5));
  const auto product = compile([](const Tensor& x) { return matmul(x, x); });
  for (const DType dtype : {f32, bf16}) {
    const auto one = bench::planned_launches(2, bench::plans::Target::named("sm_90"),
                                             {1e12, 10, 1000, 0.5}, [&] {
                                               product.prepare(TensorSpec{{64, 64}, dtype});
                                             });
    REQUIRE(one.size() == 1);
    const double operations = 2.0 * 64 * 64 * 64;
    CHECK(one[0].seconds == doctest::Approx(operations / (dtype == f32 ? 10 : 1000) + 0.5));
  }
}

TEST_CASE("launches: a step with a loop cannot be simulated") {
  const auto loop = compile([](const Tensor& x) {
    const auto add = [](const Tensor& c, const Tensor& y) { return std::pair(c + y, c); };
    return std::get<0>(scan(add, zeros({8}), x));
  });
  CHECK_THROWS_WITH_AS(
      bench::planned_launches(2, bench::plans::Target::named("sm_90"), {1, 1, 1, 0},
                              [&] {
                                loop.prepare(TensorSpec{{5, 8}});
                              }),
      doctest::Contains("kernels and collectives only"), std::runtime_error);
}

TEST_CASE("launches: a measured step has the launches of its plan, and their times") {
  Deep model;
  optim::SGD optimizer{.learning_rate = 0.1f};
  const auto run = compile(step, {.fullgraph = true});
  const Tensor x = ones({16, 560});
  bench::MeasuredStep measured(4, [&] { run(model, optimizer, x).item<float>(); });
  for (int i = 0; i < 3; ++i) measured.measure();
  const std::vector<Launch> launches = measured.launches();
  const std::string order = order_of(launches);
  CHECK(std::count(order.begin(), order.end(), 's') == 2);
  CHECK(std::count(order.begin(), order.end(), 'w') == 2);
  CHECK(launches[0].name == "outside of kernels");
  for (const Launch& launch : launches) CHECK(launch.seconds >= 0);
  const auto time = bench::simulate(launches, no_time);
  CHECK(time.seconds == doctest::Approx(sum_of_seconds(launches)));
  CHECK(time.communication == 0);
}

#endif
