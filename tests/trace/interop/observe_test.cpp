#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/sinter.hpp>
#include <sinter/trace/interop/observe.hpp>
#include <sinter/trace/module/scope.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Names : ValueObserver {
  void observe(const std::string& path, std::string_view name, const Tensor& value,
               Where where) override {
    list.push_back(text(path, "|", name, "|", value.type(), "|", where.line() != 0));
  }
  std::vector<std::string> list{};
};

}  // namespace

TEST_CASE("observe: is the value itself, and tells the observer of its thread") {
  const Tensor x = ones({2, 3});
  CHECK(observe(x, "x").lazy() == x.lazy());
  Names names;
  {
    const ScopedValueObserver scope(&names);
    CHECK(observe(x, "x").lazy() == x.lazy());
    CHECK(observe(2.5f, "number").item<float>() == 2.5f);
  }
  CHECK(observe(x, "later").lazy() == x.lazy());
  CHECK(names.list == std::vector<std::string>{"|x|f32[2, 3]|true", "|number|f32[]|true"});
}

TEST_CASE("observe: modules tell their results by their paths") {
  struct Call {
    static Tensor run(const nn::Linear& layer, const Tensor& x) { return observe(layer(x), "y"); }
  };
  Names names;
  auto f = compile(Call::run, {.backend = Backend::eager});
  {
    const ScopedValueObserver scope(&names);
    f(nn::Linear(3, 4), ones({2, 3}));
  }
  CHECK(names.list == std::vector<std::string>{"||f32[2, 4]|true", "|y|f32[2, 4]|true"});
}
