#include <doctest/doctest.h>
#include <sinter/debug/report/page.hpp>
#include <sinter/debug/report/page_layout.hpp>

#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

// That it works is tested in a browser: see browser_test.cpp.
TEST_CASE("report page: pages have page_layout") {
  const std::string script(page_layout());
  CHECK(contains(script, "function layout(graph)"));
  CHECK_FALSE(contains(script, "</"));
  CHECK(contains(report_page("{}"), script));
}
