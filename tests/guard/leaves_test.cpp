#include <doctest/doctest.h>
#include <sinter/guard/leaves.hpp>
#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/ops/typed/tensor.hpp>

#include <map>
#include <optional>

#include "trace/testing.hpp"

using namespace testing;

namespace {

enum class Kind : std::uint8_t { first, second };

struct Inner {
  Tensor weight;
  float factor = 1;
  SINTER_MODULE(Inner, weight, factor)
};

struct Outer {
  std::vector<Inner> layers;
  std::map<std::string, Tensor> table;
  std::optional<Tensor> bias;
  nn::Buffer mean;
  Scalar rate = 0.5f;
  Kind kind = Kind::first;
  std::string name = "outer";
  bool flag = false;
  SINTER_MODULE(Outer, layers, table, bias, mean, rate, kind, name, flag)
};

struct Cache {
  Tensor keys;
  float step = 1;  // a number, though functions of optimizers have this name
  SINTER_MODULE(Cache, keys, step)
};

struct Layer {
  Tensor weight = vector({1});
  Cache cache;
  Tensor gain = vector({2});
  SINTER_MODULE(Layer, weight, cache, gain)
  template <class T>
  T forward(const T& x) const {
    return x * weight;
  }
};

struct Rule {
  Tensor mean;
  SINTER_MODULE(Rule, mean)
  template <class M>
  void step(M&, const Tensor&) {}
};

struct Model {
  std::vector<Layer> layers;
  Rule rule;
  Cache cache;
  SINTER_MODULE(Model, layers, rule, cache)
};

Outer example() {
  Outer outer;
  outer.layers.push_back({vector({1, 2}), 2.0f});
  outer.layers.push_back({vector({3, 4}), 3.0f});
  outer.table["key"] = vector({5});
  outer.mean = vector({6});
  return outer;
}

template <class T>
Hash structure_of(T& value) {
  guard::Leaves leaves;
  guard::collect(value, leaves);
  return leaves.structure.result();
}

// The hash of `change(example())`.
template <class Change>
Hash changed(Change change) {
  Outer outer = example();
  change(outer);
  return structure_of(outer);
}

}  // namespace

TEST_CASE("leaves: are the tensors of a value, in the order of its members, with their names") {
  Outer outer = example();
  guard::Leaves leaves;
  guard::collect(outer, leaves);
  std::vector<std::string> names;
  Vector<guard::PlainValue> plain;
  guard::collect_names(outer, "model", names, plain);
  const std::vector<std::string> expected{"model.layers.0.weight", "model.layers.1.weight",
                                          "model.table.key", "model.mean", "model.rate"};
  CHECK(names == expected);
  REQUIRE(leaves.list.size() == expected.size());
  CHECK(leaves.list[0].tensor == &outer.layers[0].weight);
  CHECK(leaves.list[2].tensor == &outer.table["key"]);
  for (const guard::Leaf& leaf : leaves.list) {
    CHECK(leaf.is_mutable);
    CHECK_FALSE(leaf.is_parameter);
  }
}

TEST_CASE(
    "leaves: what a layer or an optimizer has is a parameter, what other structs have is data") {
  Model model{.layers = {Layer(), Layer()}, .rule = {}, .cache = {}};
  model.layers[0].cache.keys = model.layers[1].cache.keys = vector({1});
  model.cache.keys = model.rule.mean = vector({2});
  guard::Leaves leaves;
  guard::collect(model, leaves);
  Vector<bool> found;
  for (const guard::Leaf& leaf : leaves.list) found.push_back(leaf.is_parameter);
  // weight, keys and gain of each layer, then the mean of the optimizer, and the keys of the model
  CHECK(found == Vector<bool>{true, false, true, true, false, true, true, false});
}

TEST_CASE("leaves: of a const value are immutable, and sizes of arguments may vary") {
  Tensor x = vector({1});
  const Tensor y = x;
  guard::Leaves leaves;
  guard::collect(x, leaves);
  guard::collect(y, leaves);
  CHECK(leaves.list[0].is_mutable);
  CHECK_FALSE(leaves.list[1].is_mutable);
  CHECK_FALSE(leaves.list[0].is_parameter);
}

TEST_CASE("leaves: plain values are named with what they are") {
  const Outer outer = example();
  std::vector<std::string> names;
  Vector<guard::PlainValue> plain;
  guard::collect_names(outer, "model", names, plain);
  const auto value_of = [&](const std::string& name) {
    for (const guard::PlainValue& value : plain) {
      if (value.name == name) return value.value;
    }
    return std::string("absent");
  };
  CHECK(value_of("model.layers.0.factor") == "2");
  CHECK(value_of("model.layers") == "2 elements");
  CHECK(value_of("model.kind") == "0");
  CHECK(value_of("model.name") == "\"outer\"");
  CHECK(value_of("model.flag") == "false");
}

TEST_CASE("leaves: the hash covers every plain value, length, key and presence") {
  const Hash base = changed([](Outer&) {});
  CHECK(changed([](Outer&) {}) == base);
  CHECK(changed([](Outer& outer) { outer.layers[1].factor = 4; }) != base);
  CHECK(changed([](Outer& outer) { outer.layers.pop_back(); }) != base);
  CHECK(changed([](Outer& outer) { outer.bias = vector({1}); }) != base);
  CHECK(changed([](Outer& outer) { outer.kind = Kind::second; }) != base);
  CHECK(changed([](Outer& outer) { outer.name = "other"; }) != base);
  CHECK(changed([](Outer& outer) { outer.flag = true; }) != base);
  CHECK(changed([](Outer& outer) { outer.mean = Tensor(); }) != base);
  CHECK(changed([](Outer& outer) {
          outer.table["other"] = outer.table["key"];
          outer.table.erase("key");
        }) != base);
}

TEST_CASE("leaves: the hash does not see elements, sizes or Scalars") {
  const Hash base = changed([](Outer&) {});
  CHECK(changed([](Outer& outer) { outer.layers[0].weight = vector({1, 2, 3}); }) == base);
  CHECK(changed([](Outer& outer) { outer.rate = 7; }) == base);
}

TEST_CASE("leaves: of a typed tensor carry its dimensions; an undefined one is no leaf") {
  const TensorOf<float, "batch", 2> x = tensor({1, 2}, {1, 2});
  const TensorOf<float, 2> nothing;
  guard::Leaves leaves;
  guard::collect(x, leaves);
  guard::collect(nothing, leaves);
  REQUIRE(leaves.list.size() == 1);
  CHECK(std::string(leaves.list[0].dims[0].name) == "batch");
  CHECK(leaves.list[0].dims[1].size == 2);
}

TEST_CASE("leaves: modules are known to a recorder by their addresses") {
  Outer outer = example();
  Recorder recorder;
  guard::name_modules(outer, recorder);
  const std::string* const name =
      recorder.module_name(&outer.layers[1], &sinter::detail::type_tag<Inner>);
  REQUIRE(name != nullptr);
  CHECK(*name == "layers.1");
}
