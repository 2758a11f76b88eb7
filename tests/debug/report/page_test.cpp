#include <doctest/doctest.h>
#include <sinter/debug/report/page.hpp>

#include "debug/report/json_value.hpp"
#include "jit/support.hpp"

using namespace testing;
using namespace sinter::detail::debug;

TEST_CASE("report page: it is one file that loads nothing") {
  const std::string page = report_page("{\"summary\": {}}\n");
  CHECK(contains(page, "<!doctype html>"));
  CHECK(count(page, "http") == 1);  // the namespace of SVG
  CHECK(count(page, "src=") == 0);
  CHECK(count(page, "@import") == 0);
  CHECK(count(page, "url(") == count(page, "url(#arrow)"));
  CHECK(count(page, "</script>") == 2);
}

TEST_CASE("report page: facts cannot end their element") {
  const std::string page = report_page("{\"a\": \"</script><b>\"}\n");
  CHECK(count(page, "</script>") == 2);
  CHECK(facts_in(page)["a"].text == "</script><b>");
}

TEST_CASE("report page: the index has a row for each function") {
  const std::string page =
      index_page({{"001_f.html", "{\"name\": \"f\"}"}, {"002_g.html", "{\"name\": \"g\"}"}});
  const Json index = facts_in(page)["index"];
  REQUIRE(index.list.size() == 2);
  CHECK(index[1]["file"].text == "002_g.html");
  CHECK(index[1]["summary"]["name"].text == "g");
}
