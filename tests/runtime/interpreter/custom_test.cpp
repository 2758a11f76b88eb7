#include <doctest/doctest.h>

#include <functional>

#include <sinter/base/error.hpp>
#include <sinter/runtime/interpreter/custom.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

struct Calls : HostKernel {
  using Raw = std::span<const RawTensor>;
  explicit Calls(std::function<void(Raw, Raw)> f) : function(std::move(f)) {}
  void operator()(Raw in, Raw out) const override { function(in, out); }
  std::function<void(Raw, Raw)> function;
};

// Calls `function` on three numbers and two results, with SINTER_CHECK or without.
std::vector<float> called(std::function<void(Calls::Raw, Calls::Raw)> function, bool checks) {
  float x[3] = {1, 2, 3}, y[64] = {};
  const CustomCode code{.name = "test::f", .call = make_shared_ptr<const Calls>(function)};
  const runtime::CustomArgument in[]{{f32, {3}, x}}, out[]{{f32, {2}, y}};
  const bool before = std::exchange(checks_custom(), checks);
  try {
    runtime::call_custom(code, in, out);
  } catch (...) {
    checks_custom() = before;
    throw;
  }
  checks_custom() = before;
  return {y, y + 2};
}

}  // namespace

TEST_CASE("custom: a host function gets the memory and the shapes") {
  const auto function = [](Calls::Raw in, Calls::Raw out) {
    out[0].data<float>()[0] = static_cast<float>(in[0].numel());
    out[0].data<float>()[1] = in[0].data<float>()[2];
  };
  CHECK(called(function, false) == std::vector<float>{3, 3});
  CHECK(called(function, true) == std::vector<float>{3, 3});
}

TEST_CASE("custom: writes outside of the results are found under SINTER_CHECK") {
  const auto behind = [](Calls::Raw, Calls::Raw out) { out[0].data<float>()[2] = 1; };
  const auto operand = [](Calls::Raw in, Calls::Raw) { in[0].data<float>()[0] = 5; };
  CHECK_NOTHROW(called(behind, false));
  for (const auto& [function, what] :
       {std::pair<std::function<void(Calls::Raw, Calls::Raw)>, std::string>{behind, "result 0"},
        {operand, "operand 0"}}) {
    try {
      called(function, true);
      FAIL_CHECK("nothing was thrown");
    } catch (const ValueError& error) {
      CHECK(std::string(error.what()).find(what) != std::string::npos);
      CHECK(std::string(error.what()).find("test::f") != std::string::npos);
    }
  }
}

TEST_CASE("custom: shapes are those of the call") {
  const TensorType types[]{{i64, {Extent::symbol(0), 3}}};
  const auto arguments = runtime::custom_arguments(types, [](Extent) { return std::int64_t{5}; });
  REQUIRE(arguments.size() == 1);
  CHECK(arguments[0].shape[0] == 5);
  CHECK(arguments[0].shape[1] == 3);
}
