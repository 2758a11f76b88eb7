#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/graph/print.hpp>
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
    static Tensor run(const std::vector<nn::Linear>& layers, const Tensor& x) {
      return layers[0](observe(layers[1](x), "y"));
    }
  };
  const std::vector<nn::Linear> layers{{4, 2}, {3, 4}};
  Names names;
  auto f = compile(Call::run, {.backend = Backend::eager});
  {
    const ScopedValueObserver scope(&names);
    f(layers, ones({2, 3}));
  }
  REQUIRE(names.list.size() == 3);
  CHECK(names.list[0].rfind("1||f32[", 0) == 0);
  CHECK(names.list[1].rfind("|y|f32[", 0) == 0);
  CHECK(names.list[2].rfind("0||f32[", 0) == 0);
}
