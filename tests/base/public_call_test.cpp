#include <doctest/doctest.h>

#include <string>

#include <sinter/base/error.hpp>
#include <sinter/base/public_call.hpp>

using namespace sinter;
using namespace sinter::detail;

namespace {

std::string first_line(const Report& report) {
  const std::string text = ShapeError(report).what();
  return text.substr(0, text.find('\n'));
}

const Report too_many{.op = "shape", .what = "too many dimensions"};

}  // namespace

TEST_CASE("public_call: an error names the outermost function that is noted, and its line") {
  const Where outer = Where::current();
  const Where inner = Where::current();
  CHECK(first_line(too_many) == "shape: too many dimensions");
  {
    const PublicCall stack("stack", outer);
    const PublicCall unsqueeze("unsqueeze", inner);

    const ShapeError error(too_many);

    CHECK(std::string(error.what()).rfind("stack: too many dimensions", 0) == 0);
    CHECK(error.where().line() == outer.line());
  }
  CHECK(first_line(too_many) == "shape: too many dimensions");
}

TEST_CASE("public_call: the module of a call is named") {
  const std::string path = "encoder.embed";
  const PublicCall call(CalledFunction{"nn::Embedding", Where::current(), &path});

  const std::string text = ShapeError(too_many).what();

  CHECK(text.find("\n  in    encoder.embed") != std::string::npos);
}

TEST_CASE("public_call: callbacks are not part of the call, which is noted again after them") {
  const PublicCall call("scaled_dot_product_attention", Where::current());
  {
    const OutsidePublicCalls callback;
    CHECK(first_line(too_many) == "shape: too many dimensions");
    const PublicCall matmul("matmul", Where::current());
    CHECK(first_line(too_many) == "matmul: too many dimensions");
  }
  CHECK(first_line(too_many) == "scaled_dot_product_attention: too many dimensions");
}
