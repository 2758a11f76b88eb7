// test: deep emulator
#include <doctest/doctest.h>
#include <sinter/runtime/cuda/library/algorithm.hpp>

#include <string>

#include "captured_output.hpp"
#include "cuda_emulator/emulator.hpp"

using namespace sinter;
using namespace sinter::detail;
using runtime::CudaLibrary;
using runtime::LibraryProblem;
using runtime::Workspace;

namespace {

LibraryProblem problem(DType dtype, std::int64_t m, std::int64_t n, std::int64_t k) {
  return {.operands = dtype,
          .result = dtype,
          .a = {.length = n, .lines = k, .pitch = n, .alignment = 256},
          .b = {.length = k, .lines = m, .pitch = k, .alignment = 256},
          .c = {.length = n, .lines = m, .pitch = n, .alignment = 256},
          .d = {.length = n, .lines = m, .pitch = n, .alignment = 256}};
}

}  // namespace

TEST_CASE("algorithm: is requested once, with or without a workspace") {
  const emulator::Emulator machine;
  CudaContext& context = CudaContext::of(cuda());
  auto& library = context.state<CudaLibrary>();
  const LibraryProblem one = problem(f32, 64, 32, 300);
  const CudaLibrary::Choice* const choice = library.choose(context, one, nullptr);
  REQUIRE(choice != nullptr);
  CHECK(choice->algorithm.workspace_bytes > 0);
  CHECK(library.choose(context, one, nullptr) == choice);
  CHECK(machine.heuristics() == 1);
  const auto* const frugal = library.choose(context, one, nullptr, Workspace::none);
  REQUIRE(frugal != nullptr);
  CHECK(frugal != choice);
  CHECK(frugal->algorithm.workspace_bytes == 0);
  CHECK(machine.heuristics() == 2);
}

TEST_CASE("algorithm: other answers of the heuristic are other algorithms") {
  const emulator::Emulator machine;
  CudaContext& context = CudaContext::of(cuda());
  auto& library = context.state<CudaLibrary>();
  const LibraryProblem one = problem(f32, 64, 32, 300);
  const auto answer = [&](int number) {
    return library.choose(context, one, nullptr, Workspace::allowed, number);
  };
  REQUIRE(answer(2) != nullptr);
  CHECK(answer(1) != answer(2));
  CHECK(answer(2) == answer(2));
  CHECK(machine.heuristics() == 2);
  const auto bytes_of = [&](int number) {
    const auto* const first =
        static_cast<const char*>(static_cast<const void*>(&answer(number)->algorithm.algorithm));
    return std::string(first, sizeof(answer(number)->algorithm.algorithm));
  };
  CHECK(bytes_of(1) != bytes_of(2));
  CHECK(bytes_of(3) == bytes_of(9));  // the last algorithm
}

TEST_CASE("algorithm: each GPU has its own handle and choices") {
  const emulator::Emulator machine;
  const LibraryProblem one = problem(bf16, 64, 32, 16);
  CudaContext &first = CudaContext::of(cuda(0)), &second = CudaContext::of(cuda(1));
  const auto* const here =
      first.state<CudaLibrary>().choose(CudaContext::of(cuda(0)), one, nullptr);
  const auto* const there =
      second.state<CudaLibrary>().choose(CudaContext::of(cuda(1)), one, nullptr);
  REQUIRE(here != nullptr);
  REQUIRE(there != nullptr);
  CHECK(here->handle != there->handle);
}

TEST_CASE("algorithm: unsupported and refused problems are not requested again") {
  const emulator::Emulator machine;
  CudaContext& context = CudaContext::of(cuda());
  auto& library = context.state<CudaLibrary>();
  LibraryProblem mixed = problem(f16, 64, 32, 16);
  mixed.result = bf16;
  setenv("SINTER_LOGS", "perf", 1);
  const std::string log = testing::said([&] {
    for (int i = 0; i < 2; ++i) CHECK(library.choose(context, mixed, nullptr) == nullptr);
    const LibraryProblem one = problem(f16, 64, 32, 16);
    library.refuse(*library.choose(context, one, nullptr), library.words_of(15));
    CHECK(library.choose(context, one, nullptr) == nullptr);
  });
  unsetenv("SINTER_LOGS");
  CHECK(machine.heuristics() == 2);
  const std::string words =
      "sinter[perf]: a generated kernel computes f16 64 x 16 by 16 x 32, cuBLASLt: "
      "CUBLAS_STATUS_NOT_SUPPORTED";
  CHECK(log == words + "\n" + words + " 15\n");
}

TEST_CASE("algorithm: without cuBLASLt there are no choices, which is logged once") {
  const emulator::Emulator machine({.cublaslt = false});
  CudaContext& context = CudaContext::of(cuda());
  auto& library = context.state<CudaLibrary>();
  setenv("SINTER_LOGS", "perf", 1);
  const std::string log = testing::said([&] {
    for (int i = 1; i < 3; ++i) {
      CHECK(library.choose(context, problem(f32, 64 * i, 32, 16), nullptr) == nullptr);
    }
  });
  unsetenv("SINTER_LOGS");
  CHECK(log ==
        "sinter[perf]: generated kernels compute all products on cuda:0: "
        "CUBLAS_STATUS_NOT_INITIALIZED 1\n");
}

TEST_CASE("algorithm: a problem is printed in row-major terms") {
  LibraryProblem one = problem(bf16, 64, 32, 16);
  CHECK(to_string(one) == "bf16 64 x 16 by 16 x 32");
  one.transposes_a = true;
  std::swap(one.a.length, one.a.lines);
  one.batch = 3;
  CHECK(to_string(one) == "3 of bf16 64 x 16 by 16 x 32");
}
