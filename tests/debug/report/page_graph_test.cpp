#include <doctest/doctest.h>
#include <sinter/debug/report/page.hpp>
#include <sinter/debug/report/page_graph.hpp>

#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

// That it works is tested in a browser: see browser_test.cpp.
TEST_CASE("report page: pages have page_graph") {
  const std::string script(page_graph());
  CHECK(contains(script, "class GraphView"));
  CHECK_FALSE(contains(script, "</"));
  CHECK(contains(report_page("{}"), script));
}
