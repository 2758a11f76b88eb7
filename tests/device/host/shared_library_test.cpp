#include <doctest/doctest.h>

#include <string>
#include <utility>

#include <sinter/device/host/shared_library.hpp>

using namespace sinter;
using namespace sinter::detail;

TEST_CASE("shared_library: opens the first existing path and finds its functions") {
  const SharedLibrary library({"libnot_there.so", "libm.so.6"});

  double (*cosine)(double) = nullptr;
  REQUIRE(library);
  REQUIRE(library.find("cos", cosine));

  CHECK(cosine(0.0) == 1.0);
  CHECK(library.reason() == "");
  CHECK(library.symbol("no_such_function") == nullptr);
}

TEST_CASE("shared_library: has the reason why it could not be opened") {
  const SharedLibrary library({"libnot_there.so", "/nonexistent/libm.so"});

  CHECK_FALSE(library);
  CHECK(library.reason().find("libnot_there.so") != std::string::npos);
  CHECK(library.symbol("cos") == nullptr);
}

TEST_CASE("shared_library: a missing toolkit library reports the first name that was tried") {
  const SharedLibrary library = toolkit_library({"libno_such_tool.so", "libno_such_tool.so.1"});
  CHECK_FALSE(library);
  CHECK(library.reason().find("libno_such_tool.so:") == 0);
  CHECK(toolkit_library({"libno_such_tool.so", "libm.so.6"}));
}

TEST_CASE("shared_library: moves") {
  SharedLibrary first({"libm.so.6"});
  SharedLibrary second = std::move(first);
  SharedLibrary third;
  third = std::move(second);

  CHECK(third.symbol("cos") != nullptr);
}
