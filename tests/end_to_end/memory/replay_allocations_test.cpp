// test: alone
// What a replay takes from the heap: nothing but its results.

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <new>

#include "cuda_emulator/emulator.hpp"
#include "jit/support.hpp"

// Where it sees the two below through an inlined one, g++ takes malloc and free for a mistake.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

using namespace testing;

namespace {

thread_local std::int64_t heap_allocations = 0;

// The memory of values is kept for the next ones, but for what a sanitizer is to see.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int of_a_value = 1;
#else
constexpr int of_a_value = 0;
#endif

}  // namespace

// All of them, so that a sanitizer sees none of its own among them.
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

// Of one call, after some that find out what there is to find out.
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
  // The list of the elements of the result, which are recycled memory themselves.
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

// Puts a function in the place of `member`, what that takes from the heap not being counted.
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

// Runs `name`, a case of this program, without what the tests run with: SINTER_CHECK records each
// replay once more, SINTER_VERIFY computes the hash of each segment.
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

TEST_CASE("replay allocations: a replay takes nothing from the heap but its results") {
  CHECK(runs_alone("dispatch: a child replays"));
}

// ThreadSanitizer would have to be told of the stacks of an emulated GPU.
#ifndef __SANITIZE_THREAD__
TEST_CASE(
    "replay allocations: what a graph of a GPU takes from the heap does not grow with its "
    "kernels") {
  CHECK(runs_alone("dispatch: a child replays on a GPU"));
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
    "dispatch: heap use of a function traced on every call does not grow with its operations") {
  CHECK(runs_alone("dispatch: a child traces on every call"));
}
