// test: deep emulator gpu
// Branches and loops in CUDA Graphs: faults in the data, and machines without support.

#include <doctest/doctest.h>

#include <cstdlib>

#include <sinter/compile/unit/temporary_file.hpp>

#include "captured_output.hpp"
#include "cuda_graph_control.hpp"

using namespace gpu_graph;

TEST_CASE(
    "cuda graph control faults: a fault in a body is reported for the first step that has it") {
  GPU_TEST(machine, driver);
  const auto taken = [](const Tensor& table, const Tensor& indices) {
    return scan(
               [&](const Tensor& c, const Tensor& index) {
                 const Tensor next = c + sum(gather(table, 0, index));
                 return std::pair{next, next};
               },
               0.0f, indices)
        .first;
  };
  const auto looped = [](const Tensor& table, const Tensor& indices) {
    return while_loop([](const Tensor& at, const Tensor&) { return sum(at) < 100; },
                      [&](const Tensor& at, const Tensor& total) {
                        return std::tuple{at + 1, total + sum(gather(table, 0, at))};
                      },
                      indices[0], zeros({}));
  };
  const auto message_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const IndexError& error) {
      return error.what();
    }
    return "";
  };
  const Tensor table = sample({5}), there = table.to(cuda());
  const auto indices = [](const std::vector<std::int64_t>& values) {
    return reshape(list(values), {static_cast<std::int64_t>(values.size()) / 2, 2});
  };
  auto f = compile(taken, replayed);
  const Tensor right = indices({0, 1, 2, 3, 4, -5, 1, 1});
  CHECK(difference(f(there, right.to(cuda())), taken(table, right)) < 1e-5f);
  const Tensor wrong = indices({0, 1, 2, 9, 77, 4, 1, 1});
  const std::string expected = message_of([&] { compile(taken)(table, wrong); });
  CHECK(has(expected, "9"));
  CHECK(message_of([&] { f(there, wrong.to(cuda())); }) == expected);
  CHECK(difference(f(there, right.to(cuda())), taken(table, right)) < 1e-5f);
  CHECK(driver.calls<&Driver::launch>() == 0);
  CHECK(machine.graph_launches() == 3);

  auto g = compile([&](const Tensor& a, const Tensor& b) { return std::get<1>(looped(a, b)); },
                   replayed);
  const std::string ended = message_of([&] { g(there, right.to(cuda())); });
  CHECK(has(ended, "5"));
  CHECK(driver.calls<&Driver::launch>() == 0);
}

TEST_CASE("cuda graph control faults: a loop terminates if an earlier fault corrupts its data") {
  GPU_TEST(machine, driver);
  // An index out of range reads 0, for which the loop would not terminate.
  const auto counted = [](const Tensor& table, const Tensor& index) {
    const Tensor by = sum(gather(table, 0, index));
    return while_loop([](const Tensor& v) { return v < 10.0f; },
                      [&](const Tensor& v) { return v + by; }, zeros({}));
  };
  const auto each = [&](const Tensor& table, const Tensor& indices) {
    return map([&](const Tensor& index) { return counted(table, index); }, indices);
  };
  const Tensor table = list(std::vector<float>{0, 2, 0}).to(cuda());
  const auto at = [](std::int64_t i) { return list(std::vector<std::int64_t>{1, i}).to(cuda()); };
  auto f = compile(counted, replayed);
  auto g = compile(
      [&](const Tensor& t, const Tensor& i) {
        return each(t, reshape(i, {2, 1}));
      },
      replayed);
  CHECK(f(table, at(1)).item<float>() == 12);
  CHECK_THROWS_AS(f(table, at(7)), IndexError);
  CHECK(f(table, at(1)).item<float>() == 12);
  CHECK(g(table, at(1)).to_vector<float>() == std::vector<float>{10, 10});
  CHECK_THROWS_AS(g(table, at(7)), IndexError);
  CHECK(driver.calls<&Driver::launch>() == 0);
}

TEST_CASE(
    "cuda graph control faults: what a graph cannot contain is launched kernel by kernel, and the "
    "reason is logged") {
  // Different recordings: a shared program would have its graph already.
  const auto said_by = [](float by) {
    const auto grown = [by](const Tensor& t) {
      return while_loop([](const Tensor& v) { return sum(v) < 50.0f; },
                        [by](const Tensor& v) { return v * by; }, t);
    };
    const Tensor x = three(by);
    setenv("SINTER_LOGS", "cudagraph", 1);
    const std::string told = testing::said(
        [&] { CHECK(difference(compile(grown, replayed)(x.to(cuda())), grown(x)) == 0); });
    unsetenv("SINTER_LOGS");
    return told;
  };
  {
    GPU_TEST(machine, driver);
    CudaDriver old = *cuda_driver();
    old.create_condition = nullptr;
    const CudaDriver* const before = replace_cuda_driver(&old);
    const std::string told = said_by(3.0f);
    CHECK(has(told, "launched one by one: "));
    CHECK(has(told, "no conditional nodes"));
    CHECK(has(told, "CUDA 12.4"));
    replace_cuda_driver(before);
    CHECK(machine.graph_launches() == 0);
  }
  const compiler::TemporaryDirectory disk;  // an empty cache
  const char* const usual = std::getenv("SINTER_CACHE_DIR");
  const std::string before_this = usual == nullptr ? "" : usual;
  setenv("SINTER_CACHE_DIR", disk.path().c_str(), 1);
  GPU_TEST(machine, driver);
  NvJitLink other = *nvjitlink();
  other.complete = [](NvJitLink::Linker) { return 7; };
  const NvJitLink* const before = replace_nvjitlink(&other);
  const std::string told = said_by(4.0f);
  replace_nvjitlink(before);
  setenv("SINTER_CACHE_DIR", before_this.c_str(), 1);
  CHECK(has(told, "because while_loop needs the host: "));
  CHECK(has(told, "install one CUDA toolkit"));
  CHECK(machine.graph_launches() == 0);
  CHECK(driver.calls<&Driver::launch>() > 0);
}
