#include <doctest/doctest.h>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/pass/merge_movements.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

const Extent n = Extent::symbol(0);

// The last lines of the graph that writes one input and moves it, after the pass.
template <class Write>
std::string after_pass(const Shape& shape, const Write& write) {
  Graph graph;
  Builder build(graph);
  const Value x = build.input({f32, shape});
  graph.outputs = {write(build, x)};
  return to_string(pass::merge_movements(pass::merge_movements(graph)));
}

}  // namespace

TEST_CASE("merge_movements: a reshape of a reshape is one, and none if it comes back") {
  CHECK(after_pass({n, 6},
                   [](Builder& build, Value x) {
                     return build.reshape(build.reshape(x, {n, 3, 2}), {3 * n, 2});
                   }) ==
        "%0: f32[s0, 6] = input\n"
        "%1: f32[3*s0, 2] = reshape %0\n"
        "return %1\n");
  CHECK(after_pass({n, 6},
                   [](Builder& build, Value x) {
                     return build.reshape(build.reshape(x, {6 * n}), {n, 6});
                   }) ==
        "%0: f32[s0, 6] = input\n"
        "return %0\n");
}

TEST_CASE("merge_movements: an expand of an expand is one") {
  CHECK(after_pass({1, 1},
                   [](Builder& build, Value x) {
                     return build.expand(build.expand(x, {n, 1}), {n, 4});
                   }) ==
        "%0: f32[1, 1] = input\n"
        "%1: f32[s0, 4] = expand %0\n"
        "return %1\n");
}

TEST_CASE("merge_movements: a permute of a permute is one, and none if it comes back") {
  CHECK(after_pass({2, 3, n},
                   [](Builder& build, Value x) {
                     return build.permute(build.permute(x, {1, 2, 0}), {1, 0, 2});
                   }) ==
        "%0: f32[2, 3, s0] = input\n"
        "%1: f32[s0, 3, 2] = permute %0 axes=[2, 1, 0]\n"
        "return %1\n");
  CHECK(after_pass({2, 3, n},
                   [](Builder& build, Value x) {
                     return build.permute(build.permute(x, {1, 2, 0}), {2, 0, 1});
                   }) ==
        "%0: f32[2, 3, s0] = input\n"
        "return %0\n");
}

TEST_CASE("merge_movements: axes flipped twice are not flipped") {
  CHECK(after_pass({2, n, 1},
                   [](Builder& build, Value x) {
                     return build.flip(build.flip(x, {0, 1, 2}), {1});
                   }) ==
        "%0: f32[2, s0, 1] = input\n"
        "%1: f32[2, s0, 1] = flip %0 axes=[0]\n"
        "return %1\n");
  CHECK(after_pass({2, n},
                   [](Builder& build, Value x) {
                     return build.flip(build.flip(x, {0, 1}), {0, 1});
                   }) ==
        "%0: f32[2, s0] = input\n"
        "return %0\n");
}

TEST_CASE("merge_movements: paddings with one value add up, and those by nothing go away") {
  CHECK(after_pass({4},
                   [](Builder& build, Value x) {
                     return build.pad(build.pad(x, {n}, {1}, constant(0)), {2}, {0}, constant(0));
                   }) ==
        "%0: f32[4] = input\n"
        "%1: f32[s0 + 7] = pad %0 low=[s0 + 2] high=[1] value=0\n"
        "return %1\n");
  CHECK(after_pass(
            {4}, [](Builder& build, Value x) { return build.pad(x, {n - n}, {0}, constant(0)); }) ==
        "%0: f32[4] = input\n"
        "return %0\n");
  CHECK(after_pass({4}, [](Builder& build, Value x) {
          return build.pad(build.pad(x, {1}, {1}, constant(0)), {2}, {0}, constant(1));
        }).find("pad %1") != std::string::npos);
}

TEST_CASE("merge_movements: a slice of a slice is one, with the product of the steps") {
  CHECK(after_pass({20},
                   [](Builder& build, Value x) {
                     return build.slice(build.slice(x, {2}, {3}, {6}), {1}, {2}, {2});
                   }) ==
        "%0: f32[20] = input\n"
        "%1: f32[2] = slice %0 start=[5] step=[6]\n"
        "return %1\n");
}

TEST_CASE("merge_movements: a slice that takes everything, or what a pad surrounds, is not there") {
  CHECK(after_pass({n}, [](Builder& build, Value x) { return build.slice(x, {0}, {1}, {n}); }) ==
        "%0: f32[s0] = input\n"
        "return %0\n");
  CHECK(after_pass({n},
                   [](Builder& build, Value x) {
                     return build.slice(build.pad(x, {2}, {n}, constant(0)), {2}, {1}, {n});
                   }) ==
        "%0: f32[s0] = input\n"
        "return %0\n");
  CHECK(after_pass({n}, [](Builder& build, Value x) {
          return build.slice(build.pad(x, {2}, {2}, constant(0)), {1}, {1}, {n});
        }).find("slice %1") != std::string::npos);
}

TEST_CASE("merge_movements: a slice that lies in one part of a concatenation is one of that part") {
  const auto of_two = [](Shape start, AxisList step, Shape shape) {
    return after_pass({n, 4}, [&](Builder& build, Value x) {
      const Value y = build.elementwise(Op::neg, {x});
      return build.slice(build.concatenate(Vector<Value>{x, y}, 1), start, step, shape);
    });
  };
  CHECK(of_two({0, 0}, {1, 1}, {n, 4}) ==
        "%0: f32[s0, 4] = input\n"
        "return %0\n");
  CHECK(of_two({0, 5}, {1, 2}, {n, 2}) ==
        "%0: f32[s0, 4] = input\n"
        "%1: f32[s0, 4] = neg %0\n"
        "%2: f32[s0, 2] = slice %1 start=[0, 1] step=[1, 2]\n"
        "return %2\n");
  CHECK(of_two({0, 3}, {1, 1}, {n, 2}).find("concatenate") != std::string::npos);
}

TEST_CASE("merge_movements: concatenations of concatenations are one, without what is empty") {
  const auto merged = [](std::int64_t inner_axis, std::vector<int> empty) {
    return after_pass({n, n}, [&](Builder& build, Value x) {
      Vector<Value> parts{build.concatenate(Vector<Value>{x, x}, inner_axis)};
      for (const int extent : empty) {
        Shape shape{n, n};
        shape[1] = extent;
        parts.push_back(build.constant(constant(1), {f32, shape}));
      }
      parts.push_back(inner_axis == 1 ? x : parts[0]);
      return build.concatenate(parts, 1);
    });
  };
  CHECK(merged(1, {}).find("f32[s0, 3*s0] = concatenate %0 %0 %0 axis=1") != std::string::npos);
  CHECK(merged(1, {0}).find("f32[s0, 3*s0] = concatenate %0 %0 %0 axis=1") != std::string::npos);
  CHECK(merged(0, {}).find("= concatenate %1 %1 axis=1") != std::string::npos);
}
