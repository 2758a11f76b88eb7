#include <doctest/doctest.h>
#include <sinter/codegen/cpp/prelude/arithmetic.hpp>
#include <sinter/codegen/cpp/prelude/erf.hpp>
#include <sinter/codegen/cpp/prelude/float_bits.hpp>
#include <sinter/codegen/cpp/prelude/half.hpp>
#include <sinter/codegen/cpp/prelude/math.hpp>
#include <sinter/codegen/cpp/prelude/memory.hpp>
#include <sinter/codegen/cpp/prelude/near_zero.hpp>
#include <sinter/codegen/cpp/prelude/power.hpp>
#include <sinter/codegen/cpp/prelude/random.hpp>
#include <sinter/codegen/cpp/prelude/transpose.hpp>
#include <sinter/codegen/cpp/prelude/trigonometric.hpp>
#include <sinter/codegen/text/helper.hpp>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

TEST_CASE("helper: every helper compiles for every type and number of lanes") {
  std::string words;
  const std::vector<int> lanes{1, 2, 4, 8, 16};
  words += calls_of(codegen::detail::cpp_memory_helpers, lanes, false);
  words += calls_of(codegen::detail::cpp_arithmetic_helpers, lanes);
  words += calls_of(codegen::detail::cpp_math_helpers, lanes);
  words += calls_of(codegen::detail::cpp_trigonometric_helpers, lanes);
  words += calls_of(codegen::detail::cpp_half_helpers, lanes, false);
  words += calls_of(codegen::detail::cpp_near_zero_helpers, lanes);
  words += calls_of(codegen::detail::cpp_float_bits_helpers, lanes);
  words += calls_of(codegen::detail::cpp_erf_helpers, lanes, false);
  words += calls_of(codegen::detail::cpp_power_helpers, lanes);
  words += calls_of(codegen::detail::cpp_transpose_helpers, {1});
  words += calls_of(codegen::detail::cpp_random_helpers, {1, 4, 8, 16}, false);
  const Source source{Language::cpp, "", words, {}};
  const std::string text = codegen::cpp_prelude({&source, 1});

  CHECK_NOTHROW(kernels::HostLibrary(text, {"-O0"}));
#if defined(__x86_64__)
  // The assembler checks only functions that are emitted; wide ones need AVX-512.
  std::string kept = text;
  const std::string_view dropped = "static inline __attribute__((always_inline))";
  kept.replace(kept.find(dropped), dropped.size(), "static __attribute__((used))");
  CHECK_NOTHROW(kernels::HostLibrary(kept, {"-O0", "-mno-avx512f"}));
#endif
}
