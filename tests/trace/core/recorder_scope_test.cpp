#include "testing.hpp"

#include <sinter/trace/core/recorder.hpp>
#include <sinter/trace/core/recorder_scope.hpp>

using namespace testing;

TEST_CASE("recorder scope: a recorder is that of the thread while the scope lives, and no longer") {
  Recorder outer, inner;
  CHECK_FALSE(is_recording());
  {
    const RecorderScope scope(&outer);
    CHECK(current_recorder() == &outer);
    {
      const RecorderScope nested(&inner);
      CHECK(current_recorder() == &inner);
      const RecorderScope none(nullptr);
      CHECK_FALSE(is_recording());
    }
    CHECK(current_recorder() == &outer);
  }
  CHECK_FALSE(is_recording());
}

TEST_CASE("recorder scope: modules are named by where they are and what they are") {
  Recorder recorder;
  const int type = 0, other_type = 0;
  const double module = 0;
  name_module(recorder, &module, &type, "layers.3");
  REQUIRE(recorder.module_name(&module, &type) != nullptr);
  CHECK(*recorder.module_name(&module, &type) == "layers.3");
  CHECK(recorder.module_name(&module, &other_type) == nullptr);
  CHECK(intern("layers.3") == recorder.module_name(&module, &type));
}
