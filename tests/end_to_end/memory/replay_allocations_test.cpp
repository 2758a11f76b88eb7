// test: alone
// Heap allocations of a replay: only its results.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <new>

#include "cuda_emulator/emulator.hpp"
#include "jit/support.hpp"

// If it inlines the operators below, g++ warns about mismatched malloc and free.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

using namespace testing;

namespace {

thread_local std::int64_t heap_allocations = 0;

// Heap allocations per value: values are recycled, except under a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int of_a_value = 1;
#else
constexpr int of_a_value = 0;
#endif

}  // namespace

// All forms are replaced, so that none of a sanitizer's own is mixed in.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++heap_allocations;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new(std::size_t size) {
  if (void* const memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace {

struct Parameters {
  std::vector<Tensor> values{};
  SINTER_MODULE(Parameters, values)
  Tensor forward(const Tensor& x) const { return mul(x, values.front()); }
};

struct Counter {
  Tensor total = zeros({8});
  SINTER_MODULE(Counter, total)
  Tensor forward(const Tensor& x) {
    total += x;
    return total * 2.0f;
  }
};

Tensor ready(const Tensor& x) {
  elements_of(x);
  return x;
}

// The allocations of one call, after a few warm-up calls.
template <class Body>
std::int64_t allocations_of(Body body) {
  for (int i = 0; i < 5; ++i) body();
  const std::int64_t before = heap_allocations;
  body();
  return heap_allocations - before;
}

}  // namespace

TEST_CASE("replay allocations: a child replays" * doctest::skip()) {
  REQUIRE_FALSE(jit::checks());
  auto one = compile([](const Tensor& value) { return sin(value); });
  const Tensor x = ready(ones({8}));
  Tensor result;
  // The list of the result's elements; the elements themselves are recycled memory.
  CHECK(allocations_of([&] { result = one(x); }) <= 1 + of_a_value);

  Parameters parameters;
  for (int i = 0; i < 1000; ++i) parameters.values.push_back(ready(ones({8})));
  auto many = compile(parameters);
  CHECK(allocations_of([&] { result = many(x); }) <= 1 + of_a_value);

  Counter counter;
  ready(counter.total);
  auto count = compile(counter);
  CHECK(allocations_of([&] { result = count(x); }) <= 1 + of_a_value);
  CHECK(near(counter.total, Numbers(8, 6)));
}

namespace {

// Replaces `member` by a function whose heap allocations are not counted.
template <auto member>
void leave_out(CudaDriver& table) {
  static auto real = table.*member;
  real = table.*member;
  table.*member = [](auto... arguments) {
    const std::int64_t before = heap_allocations;
    const auto result = real(arguments...);
    heap_allocations = before;
    return result;
  };
}

// Runs the test case `name` in a child process without SINTER_CHECK, which traces each replay once
// more, and SINTER_VERIFY, which hashes each segment.
bool runs_alone(const std::string& name) {
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      text("SINTER_CHECK=0 SINTER_VERIFY=0 '", program, "' --test-case='", name, "' --no-skip");
  return std::system(command.c_str()) == 0;
}

}  // namespace

TEST_CASE("replay allocations: a child replays on a GPU" * doctest::skip()) {
  REQUIRE_FALSE(jit::checks());
  const emulator::Emulator machine;
  const CudaDriver* const emulated = cuda_driver();
  CudaDriver table = *emulated;
  leave_out<&CudaDriver::set_context>(table);
  leave_out<&CudaDriver::launch>(table);
  leave_out<&CudaDriver::launch_graph>(table);
  leave_out<&CudaDriver::set_kernel_node>(table);
  replace_cuda_driver(&table);
  {
    const ScopedDevice scope(cuda());
    const CompileOptions graphs{.mode = Mode::reduce_overhead};
    auto few = compile([](const Tensor& value) { return sin(value); }, graphs);
    auto many = compile(
        [](const Tensor& value) {
          Tensor result = value;
          for (int i = 0; i < 20; ++i) result = cumsum(sin(result), 0);
          return result;
        },
        graphs);
    Counter counter;
    ready(counter.total);
    auto count = compile(counter, graphs);
    const Tensor x = ready(ones({8}));
    Tensor result;
    const std::int64_t of_few = allocations_of([&] { result = few(x); });
    const std::int64_t of_many = allocations_of([&] { result = many(x); });
    const std::int64_t of_count = allocations_of([&] { result = count(x); });
    CAPTURE(of_few);
    CAPTURE(of_many);
    CAPTURE(of_count);
    CHECK(many.stats().launches >= 20);
    CHECK(of_few <= 4 + 4 * of_a_value);
    CHECK(of_many == of_few);
    CHECK(of_count <= of_few + 1 + of_a_value);
    CHECK(near(counter.total, Numbers(8, 6)));
  }
  replace_cuda_driver(emulated);
}

TEST_CASE("replay allocations: a replay allocates only its results") {
  CHECK(runs_alone("replay allocations: a child replays"));
}

// ThreadSanitizer does not know the fibers of an emulated GPU.
#ifndef __SANITIZE_THREAD__
TEST_CASE(
    "replay allocations: the allocations of a graph replay do not grow with its "
    "kernels") {
  CHECK(runs_alone("replay allocations: a child replays on a GPU"));
}
#endif

TEST_CASE("replay allocations: a child traces on every call" * doctest::skip()) {
  REQUIRE_FALSE(jit::checks());
  const Tensor y = ready(ones({8})), x = ready(ones({8}));
  const auto links = [&](int count) {
    auto open = compile([&y, count](const Tensor& start) {
      Tensor value = start;
      for (int i = 0; i < count; ++i) value = sin(value * y);
      return value;
    });
    Tensor result;
    return allocations_of([&] { result = open(x); });
  };
  const std::int64_t fixed = links(20);
  CAPTURE(fixed);
  CHECK(fixed < 40 + 40 * of_a_value);
  CHECK(links(40) <= fixed + 2 + 40 * of_a_value);
}

TEST_CASE(
    "replay allocations: heap use of a function traced on every call does not grow with its "
    "operations") {
  CHECK(runs_alone("replay allocations: a child traces on every call"));
}
