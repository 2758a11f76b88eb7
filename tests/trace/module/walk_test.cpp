#include "testing.hpp"

#include <sinter/trace/module/walk.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

#include <array>
#include <map>
#include <optional>
#include <span>
#include <tuple>

using namespace testing;

namespace {

enum class Kind : std::uint8_t { one, two };

struct Inner {
  Tensor weight;
  SINTER_MODULE(Inner, weight)
};

struct Outer {
  std::vector<Inner> layers{Inner(), Inner()};
  std::optional<Tensor> bias;
  std::tuple<int, Scalar> pair;
  TensorOf<float, 2> typed;
  nn::Buffer running;
  Kind kind = Kind::two;
  std::string name = "x";
  SINTER_MODULE(Outer, layers, bias, pair, typed, running, kind, name)
};

// Writes down what it is shown.
struct Log {
  void tensor(auto&, const LeafName& name) { add("tensor", name); }
  void typed(auto&, const LeafName& name) { add("typed", name); }
  void scalar(auto&, const LeafName& name) { add("scalar", name); }
  void buffer(auto&, const LeafName& name) { add("buffer", name); }
  void plain(const auto&, const LeafName& name) { add("plain", name); }
  void structure(std::size_t n, const LeafName& name) {
    add("structure" + std::to_string(n), name);
  }
  void key(const auto&, const LeafName& name) { add("key", name); }
  void module(auto&, const LeafName& name) { add("module", name); }
  void add(const std::string& kind, const LeafName& name) {
    lines += kind + " " + to_string(name) + "\n";
  }

  std::string lines;
};

std::string log_of(auto value) {
  Log log;
  walk(value, log, {});
  return log.lines;
}

}  // namespace

TEST_CASE("walk: shows every leaf of a module once, by name") {
  CHECK(log_of(Outer()) ==
        "module \n"
        "structure2 layers\n"
        "module layers.0\n"
        "tensor layers.0.weight\n"
        "module layers.1\n"
        "tensor layers.1.weight\n"
        "structure0 bias\n"
        "plain pair.0\n"
        "scalar pair.1\n"
        "typed typed\n"
        "buffer running\n"
        "plain kind\n"
        "plain name\n");
}

TEST_CASE("walk: maps show their keys, tuples and arrays their positions") {
  CHECK(log_of(std::map<std::string, Tensor>{{"b", Tensor()}, {"a", Tensor()}}) ==
        "structure2 \nkey \ntensor a\nkey \ntensor b\n");
  CHECK(log_of(std::array<Tensor, 2>()) == "structure2 \ntensor 0\ntensor 1\n");
  CHECK(log_of(std::pair<Tensor, int>()) == "tensor 0\nplain 1\n");
  CHECK(log_of(std::optional<Inner>(Inner())) == "structure1 \nmodule \ntensor weight\n");
}

TEST_CASE("walk: what is empty has no leaves") {
  CHECK(log_of([] {}) == "");
}

TEST_CASE("Buffer: is read and updated as the tensor that it holds") {
  nn::Buffer buffer = vector({1, 2, 3});
  buffer += 1;
  buffer *= vector({2, 2, 4});
  buffer -= buffer[0];
  buffer /= 2;
  CHECK(buffer.to_vector<float>() == std::vector{0.0f, 1.0f, 6.0f});
  CHECK(buffer[{Slice{1, 2}}].item<int>() == 1);
  CHECK((-buffer).to_vector<float>() == std::vector{-0.0f, -1.0f, -6.0f});
  CHECK(buffer.shape() == buffer.value.shape());
  CHECK(buffer.size(-1) == 3);
  MISTAKE(ShapeError, buffer += ones({4}), "do not broadcast", "f32[4]");
}

TEST_CASE("owns_elements: tensors of a view belong to others, its numbers are only read") {
  CHECK(owns_elements<std::vector<Tensor>>());
  CHECK(owns_elements<std::span<const float>>());
  CHECK(owns_elements<std::string_view>());
  CHECK_FALSE(may_be_member<std::span<Tensor>>());
  CHECK_FALSE(may_be_member<std::span<const Tensor>>());
  CHECK_FALSE(may_be_member<std::initializer_list<Tensor>>());
}

TEST_CASE("LeafName: joins names with dots") {
  const LeafName model{nullptr, "model"}, layers{&model, "layers"}, third{&layers, {}, 3};
  CHECK(to_string(LeafName{&third, "weight"}) == "model.layers.3.weight");
  CHECK(to_string(LeafName{}) == "");
}

TEST_CASE("LeafVisitor: looks at nothing, and is the base of those that look at something") {
  struct Count : LeafVisitor {
    void tensor(const Tensor&, const LeafName&) { ++tensors; }
    int tensors = 0;
  } count;
  const Outer outer;
  walk(outer, count, {});
  CHECK(count.tensors == 2);
}
