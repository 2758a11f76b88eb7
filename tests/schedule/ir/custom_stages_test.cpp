#include <doctest/doctest.h>
#include <sinter/schedule/ir/custom_stages.hpp>

using namespace sinter::detail;

TEST_CASE("custom_stages: compiled sinter has all of them") {
  const CustomStages& stages = custom_stages();
  CHECK((stages.resolve != nullptr));
  CHECK((stages.lower != nullptr));
  CHECK((stages.function != nullptr));
  CHECK((stages.user_functions != nullptr));
  CHECK((stages.load_or_compile != nullptr));
  CHECK((stages.run != nullptr));
  CHECK((stages.interpret != nullptr));
  CHECK((stages.evaluate_text != nullptr));
}
