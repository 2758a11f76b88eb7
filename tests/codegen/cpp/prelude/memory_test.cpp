#include <doctest/doctest.h>
#include <sinter/base/fault.hpp>
#include <sinter/base/half.hpp>
#include <sinter/codegen/cpp/prelude/memory.hpp>
#include <sinter/codegen/text/helper_text.hpp>

#include <bit>
#include <cmath>
#include <vector>

#include "harness.hpp"
#include "texts.hpp"

using namespace kernels;

namespace {

const kernels::HostLibrary& library() {
  static const auto& result = *new kernels::HostLibrary([] {
    const std::string body = R"(
extern "C" void half_of(const float* x, unsigned short* y) {
  store_u16x16(y, f16_of_f32x16(load_f32x16(x)));
  store_u16x16(y + 16, bf16_of_f32x16(load_f32x16(x)));
}
extern "C" void float_of(const unsigned short* x, float* y) {
  store_f32x16(y, f32_of_f16x16(load_u16x16(x)));
  store_f32x16(y + 16, f32_of_bf16x16(load_u16x16(x)));
}
extern "C" unsigned short one_half(float x) { return f16_of_f32(x); }
extern "C" void copy(long lanes, const float* x, float* y) {
  store_part_f32x16(lanes, y, load_part_f32x16(lanes, x));
}
extern "C" void stream(const float* x, float* y) {
  stream_f32x16(true, y, load_f32x16(x));
  stream_end();
}
extern "C" void copy_bytes(long lanes, const unsigned char* x, unsigned char* y) {
  store_part_u8x16(lanes, y, load_part_u8x16(lanes, x));
}
extern "C" long bind(long v, long bound, long check, long position, Context* context) {
  return bind_i64(context, check, position, v, bound);
}
extern "C" bool divisors(long lanes, const int* x, int* y) {
  const i32x16 v = load_part_i32x16(lanes, x);
  store_part_i32x16(lanes, y, nonzero_i32x16(v));
  return has_zero_i32x16(v);
}
extern "C" bool small_divisors(const unsigned char* x, unsigned char* y) {
  store_u8x16(y, nonzero_u8x16(load_u8x16(x)));
  return has_zero_u8x16(load_u8x16(x));
}
extern "C" long begin(long extent, long step, long thread, long threads) {
  return share(extent, step, thread, threads);
}
)";
    const Source source{Language::cpp, "", body, {}};
    return codegen::cpp_prelude({&source, 1}) + body;
  }());
  return result;
}

template <class Result, class... T>
Result call(const char* name, T... values) {
  return reinterpret_cast<Result (*)(T...)>(library().symbol(name))(values...);
}

// Copies each number of lanes between memory with other elements on both sides.
template <class T>
void check_parts(const HostLibrary& compiled, const std::string& type, long lanes) {
  using Copy = void (*)(long, const T*, T*);
  const auto copy = reinterpret_cast<Copy>(compiled.symbol("copy_" + type));
  for (long live = 0; live <= lanes; ++live) {
    std::vector<T> from(static_cast<std::size_t>(lanes + 2), T(7)), to(from.size(), T(9));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i + 11);
    copy(live, from.data() + 1, to.data() + 1);
    bool right = true;
    for (long i = -1; i <= lanes; ++i) {
      const auto at = static_cast<std::size_t>(i + 1);
      right = right && to[at] == (i >= 0 && i < live ? from[at] : T(9));
    }
    INFO(type, ": ", live, " lanes");
    CHECK(right);
  }
}

bool is_nan(std::uint16_t bits, std::uint16_t infinity) { return (bits & 0x7fff) > infinity; }

}  // namespace

TEST_CASE("cpp_memory: every 16-bit number is converted to the equal f32") {
  for (std::uint32_t first = 0; first < 0x10000; first += 16) {
    std::uint16_t x[16];
    float y[32];
    for (std::uint32_t i = 0; i < 16; ++i) x[i] = static_cast<std::uint16_t>(first + i);
    call<void>("float_of", static_cast<const std::uint16_t*>(x), static_cast<float*>(y));
    for (int i = 0; i < 16; ++i) {
      half h;
      bfloat16 b;
      h.bits = b.bits = x[i];
      const bool same_half =
          std::bit_cast<std::uint32_t>(float(h)) == std::bit_cast<std::uint32_t>(y[i]);
      REQUIRE((same_half || is_nan(x[i], 0x7c00)));
      REQUIRE(std::bit_cast<std::uint32_t>(float(b)) == std::bit_cast<std::uint32_t>(y[16 + i]));
    }
  }
}

TEST_CASE("cpp_memory: f32 is rounded to 16 bits as by the library") {
  for (std::uint32_t i = 0; i < 40000; i += 16) {
    float x[16];
    std::uint16_t y[32];
    for (std::uint32_t j = 0; j < 16; ++j) x[j] = std::bit_cast<float>((i + j) * 107374u);
    call<void>("half_of", static_cast<const float*>(x), static_cast<std::uint16_t*>(y));
    for (int j = 0; j < 16; ++j) {
      INFO(x[j]);
      const half h(x[j]);
      REQUIRE((y[j] == h.bits || (std::isnan(x[j]) && is_nan(y[j], 0x7c00))));
      REQUIRE(
          (y[16 + j] == bfloat16(x[j]).bits || (std::isnan(x[j]) && is_nan(y[16 + j], 0x7f80))));
      REQUIRE(call<std::uint16_t>("one_half", x[j]) == y[j]);
    }
  }
}

TEST_CASE("cpp_memory: partial loads and stores touch only their lanes") {
  for (long lanes = 1; lanes <= 16; ++lanes) {
    std::vector<float> x(static_cast<std::size_t>(lanes), 2.5f), y(16, -1.0f);
    call<void>("copy", lanes, static_cast<const float*>(x.data()), y.data());
    std::vector<unsigned char> a(static_cast<std::size_t>(lanes), 7), b(16, 9);
    call<void>("copy_bytes", lanes, static_cast<const unsigned char*>(a.data()), b.data());
    for (std::size_t i = 0; i < 16; ++i) {
      CHECK(y[i] == (i < x.size() ? 2.5f : -1.0f));
      CHECK(b[i] == (i < a.size() ? 7 : 9));
    }
  }
}

TEST_CASE("cpp_memory: non-temporal stores work at aligned and unaligned addresses") {
  alignas(64) float x[16], y[48];
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i);
  for (const int offset : {0, 3, 16, 32}) {
    for (float& one : y) one = -1;
    call<void>("stream", static_cast<const float*>(x), y + offset);
    for (int i = 0; i < 48; ++i) {
      CHECK(y[i] == (i >= offset && i < offset + 16 ? x[i - offset] : -1));
    }
  }
}

TEST_CASE(
    "cpp_memory: the fault of the first check and element is stored, and the index becomes 0") {
  Fault fault;
  static_assert(sizeof(Fault) == sizeof(Context));
  CHECK(call<long>("bind", 4l, 5l, 3l, 0l, &fault) == 4);
  CHECK(call<long>("bind", -5l, 5l, 3l, 1l, &fault) == 0);
  CHECK(fault.number == 0);
  const auto is = [&](std::int64_t number, std::int64_t value, std::int64_t position) {
    return fault.number == number && fault.value == value && fault.position == position &&
           fault.bound == 5 && fault.lock == 0;
  };
  CHECK(call<long>("bind", -6l, 5l, 3l, 8l, &fault) == 0);
  CHECK(is(3, -6, 8));
  CHECK(call<long>("bind", 77l, 5l, 3l, 9l, &fault) == 0);  // a later element
  CHECK(call<long>("bind", 78l, 5l, 4l, 2l, &fault) == 0);  // a later check
  CHECK(is(3, -6, 8));
  CHECK(call<long>("bind", 5l, 5l, 3l, 7l, &fault) == 0);
  CHECK(is(3, 5, 7));
  CHECK(call<long>("bind", 9l, 5l, 1l, 70l, &fault) == 0);
  CHECK(is(1, 9, 70));
}

TEST_CASE("cpp_memory: a divisor of 0 is found, and replaced by 1") {
  std::int32_t x[16], y[16];
  for (int i = 0; i < 16; ++i) x[i] = 5 - i;
  CHECK(call<bool>("divisors", 16l, &x[0], &y[0]));
  for (int i = 0; i < 16; ++i) CHECK(y[i] == (i == 5 ? 1 : 5 - i));
  x[5] = -2147483647 - 1;
  CHECK_FALSE(call<bool>("divisors", 16l, &x[0], &y[0]));
  CHECK(y[5] == x[5]);
  unsigned char a[16], b[16];
  for (int i = 0; i < 16; ++i) a[i] = static_cast<unsigned char>(250 + i);
  CHECK(call<bool>("small_divisors", &a[0], &b[0]));
  for (int i = 0; i < 16; ++i) CHECK(b[i] == (i == 6 ? 1 : a[i]));
}

TEST_CASE("cpp_memory: threads divide an extent in multiples of the step, without gaps") {
  for (const long extent : {0l, 1l, 15l, 16l, 100l, 1000l}) {
    for (const long threads : {1l, 2l, 3l, 64l}) {
      CHECK(call<long>("begin", extent, 16l, 0l, threads) == 0);
      CHECK(call<long>("begin", extent, 16l, threads, threads) == extent);
      for (long thread = 0; thread < threads; ++thread) {
        const long begin = call<long>("begin", extent, 16l, thread, threads);
        CHECK((begin % 16 == 0 || begin == extent));
      }
    }
  }
}

TEST_CASE("cpp_memory: a part of a vector is read and written, and no element besides") {
  std::string body;
  for (const std::string type : {"u8x32", "u8x16", "u8x4", "u16x32", "u16x16", "u16x8", "i32x16",
                                 "f32x16", "f32x8", "f32x4", "i64x4", "f64x8", "f64x4", "f64x2"}) {
    const std::string c(codegen::parse_vector_type(type).type->c_name);
    body += "extern \"C\" void copy_" + type + "(long lanes, const " + c + "* x, " + c +
            "* y) {\n  store_part_" + type + "(lanes, y, load_part_" + type + "(lanes, x));\n}\n";
  }
  const Source source{Language::cpp, "", body, {}};
  const HostLibrary compiled(codegen::cpp_prelude({&source, 1}) + body);
  for (const long lanes : {32, 16, 4}) {
    check_parts<unsigned char>(compiled, text("u8x", lanes), lanes);
  }
  for (const long lanes : {32, 16, 8}) {
    check_parts<unsigned short>(compiled, text("u16x", lanes), lanes);
  }
  check_parts<int>(compiled, "i32x16", 16);
  for (const long lanes : {16, 8, 4}) check_parts<float>(compiled, text("f32x", lanes), lanes);
  check_parts<long>(compiled, "i64x4", 4);
  for (const long lanes : {8, 4, 2}) check_parts<double>(compiled, text("f64x", lanes), lanes);
}
