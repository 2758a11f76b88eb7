#include <doctest/doctest.h>
#include <sinter/codegen/cpp/emit_cpp.hpp>
#include <sinter/codegen/cpp/prelude/math.hpp>

#include <bit>
#include <cmath>
#include <limits>

#include "cases.hpp"
#include "harness.hpp"
#include "operations.hpp"

using namespace kernels;

namespace {

const std::vector<Op> functions = operations::floating_functions();
constexpr int widths[] = {512, 256, 128, 0};

// In ulps of the exact result.
template <class T>
long double distance(T is, long double wanted) {
  if (std::isnan(wanted) || std::isnan(is)) return std::isnan(wanted) && std::isnan(is) ? 0 : 1e30L;
  const T nearest = static_cast<T>(wanted);
  if (is == nearest) return 0;
  if (std::isinf(nearest) || std::isinf(is)) {
    const T largest = std::copysign(std::numeric_limits<T>::max(), nearest);
    return is == largest || nearest == largest ? 1 : 1e30L;
  }
  int exponent = 0;
  std::frexp(nearest, &exponent);
  const int last =
      std::max(exponent, std::numeric_limits<T>::min_exponent) - std::numeric_limits<T>::digits;
  return std::abs(static_cast<long double>(is) - wanted) / std::ldexp(1.0L, last);
}

template <class T>
std::vector<T> samples() {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::vector<T> all;
  for (const T edge : {T(0),
                       Limits::infinity(),
                       Limits::max(),
                       Limits::min(),
                       Limits::denorm_min(),
                       Limits::epsilon(),
                       T(1),
                       T(0.63),
                       T(0.93),
                       T(4),
                       T(65536),
                       T(88.72),
                       T(87.3),
                       T(103.97),
                       T(104),
                       T(17.4),
                       T(0.41421356),
                       T(0.29289322),
                       T(709.78),
                       T(745.1),
                       T(746),
                       T(1.5707963),
                       T(3.1415926535897932)}) {
    all.insert(all.end(), {edge, -edge});
  }
  all.push_back(Limits::quiet_NaN());
  constexpr Bits step = (~Bits(0) / 30011) | 1;
  for (Bits i = 0; i < 30011; ++i) all.push_back(std::bit_cast<T>(static_cast<Bits>(i * step)));
  for (int i = 0; i < 20000; ++i) all.push_back(static_cast<T>(i - 10000) * T(0.0031));
  for (int i = 0; i < 5000; ++i) all.push_back(static_cast<T>(i) * T(1.5707963267948966));
  for (int i = 0; i < 3000; ++i) all.push_back(T(1) + static_cast<T>(i - 1500) * Limits::epsilon());
  return all;
}

Kernel kernel_of(Op op, DType dtype) {
  Sizes sizes({0}, true);
  KernelBuilder b(text(op, "_", dtype), VectorAxis::grid);
  const Extent n = b.symbol();
  const auto x = b.argument(dtype, Access::read, n), y = b.argument(dtype, Access::write, n);
  const Extent i = b.grid(n);
  b.stage();
  b.store(y, i, b.compute(op, dtype, {b.load(x, i)}));
  return b.kernel;
}

template <class T>
void check_all(const HostLibrary& library, DType dtype) {
  const std::vector<T> x = samples<T>();
  const long size = static_cast<long>(x.size());
  for (const Op op : functions) {
    std::vector<long double> wanted;
    for (const T one : x) wanted.push_back(operations::exact<long double>(op, one));
    for (const int bits : widths) {
      std::vector<T> y(x.size(), std::numeric_limits<T>::quiet_NaN());
      void* buffers[] = {const_cast<T*>(x.data()), y.data()};
      Context context;
      library.function(
          codegen::emit_cpp(kernel_of(op, dtype), {.target = {.vectors = {.bits = bits}}}).name)(
          buffers, &size, &context, 0, 1);
      std::size_t worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (distance(y[i], wanted[i]) > distance(y[worst], wanted[worst])) worst = i;
      }
      MESSAGE(op, " ", dtype, " ", bits, ": ",
              static_cast<double>(distance(y[worst], wanted[worst])), " ulp at ", x[worst]);
      INFO(op, "(", x[worst], ") is ", y[worst], " in ", bits, " bits");
      CHECK(distance(y[worst], wanted[worst]) <= 2);
    }
  }
}

}  // namespace

TEST_CASE("cpp_math: functions are within 2 ulp of the exact result, for all kinds of numbers") {
  Vector<Source> sources;
  for (const DType dtype : {f32, f64}) {
    for (const Op op : functions) {
      for (const int bits : widths)
        sources.push_back(
            codegen::emit_cpp(kernel_of(op, dtype), {.target = {.vectors = {.bits = bits}}}));
    }
  }
  std::string all = codegen::cpp_prelude(sources);
  for (const Source& source : sources) all += source.text;
  const HostLibrary library(all);

  check_all<float>(library, f32);
  check_all<double>(library, f64);
}
