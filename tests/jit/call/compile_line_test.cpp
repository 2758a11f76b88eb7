// Operations without a line of their own, because the library calls them, get the line of
// compile().

#include <doctest/doctest.h>
#include <sinter/sinter.hpp>

#include "jit/support.hpp"

using namespace testing;

namespace {

// True if the kernels have source lines, all of them `line` of this file.
template <class F>
bool all_at(const F& compiled, unsigned line) {
  bool found = false;
  for (const KernelInfo& kernel : compiled.explain().kernels) {
    for (const Where& where : kernel.lines) {
      found = where.line() == line && contains(where.file_name(), "compile_line_test.cpp");
      if (!found) return false;
    }
  }
  return found;
}

}  // namespace

TEST_CASE("compile_line: is the line of a compiled module, not of the library") {
  const Tensor x = ones({4, 3});
  const auto layer = compile(nn::Linear(3, 2)), again = compile(nn::Linear(3, 2));
  layer(x), again(x);
  CHECK(all_at(layer, __LINE__ - 2));
  const auto list = compile(nn::Sequential{nn::Linear(3, 2), nn::ReLU{}});
  list(x);
  CHECK(all_at(list, __LINE__ - 2));
  const auto pure = compile(assume_pure(nn::Linear(3, 2)));
  pure(x);
  CHECK(all_at(pure, __LINE__ - 2));
  const auto steps = compile(nn::GRU(3, 2));
  steps(reshape(x, {4, 1, 3}));
  CHECK(all_at(steps, __LINE__ - 2));
  const auto samples = compile(vmap(nn::Linear(3, 2)));
  samples(x);
  CHECK(all_at(samples, __LINE__ - 2));
  const auto kept = compile(checkpoint(nn::Linear(3, 2)));
  kept(x);
  CHECK(all_at(kept, __LINE__ - 2));
  const auto slope = compile(grad([](Operand v) { return sum({exp(v), v.where}); }));
  slope(ones({3}));
  CHECK(all_at(slope, __LINE__ - 2));
}

TEST_CASE("compile_line: also for operands, Where arguments and faults in the data") {
  const auto f = compile([](Operand x) { return exp(x) + 1.0f; });
  f(ones({3}));
  CHECK(all_at(f, __LINE__ - 2));
  const auto g = compile([](const Tensor& x, Where at = Where::current()) { return exp({x, at}); });
  g(ones({3}));
  CHECK(all_at(g, __LINE__ - 2));
  const auto rows = compile(nn::Embedding(5, 3));
  const std::string line = text("compile_line_test.cpp:", __LINE__ - 1);
  for (const std::int64_t bad : {5, 6}) {
    const Tensor index = full({2}, bad, i64);
    CHECK(contains(message_of<IndexError>([&] { rows(index).to_vector<float>(); }), line));
  }
  const ScopedStance eager(Stance::force_eager);
  CHECK(
      contains(message_of<IndexError>([&] { rows(full({2}, 7, i64)).to_vector<float>(); }), line));
}
