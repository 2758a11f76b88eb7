#include "by_hand.hpp"

#include <cmath>

namespace {

// A function that takes T, for each T.
template <auto function, class T>
void loop(const T* __restrict x, T* __restrict out, std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end; ++i) out[i] = function(x[i]);
}

template <auto function>
constexpr Loops loops(const char* name) {
  return {name, loop<function, float>, loop<function, double>};
}

}  // namespace

const Loops loops_by_hand[function_count] = {
    loops<[](auto x) { return std::exp(x); }>("exp"),
    loops<[](auto x) { return std::expm1(x); }>("expm1"),
    loops<[](auto x) { return std::log(x); }>("log"),
    loops<[](auto x) { return std::log1p(x); }>("log1p"),
    loops<[](auto x) { return std::sin(x); }>("sin"),
    loops<[](auto x) { return std::cos(x); }>("cos"),
    loops<[](auto x) { return std::tanh(x); }>("tanh"),
    loops<[](auto x) { return std::atan(x); }>("atan"),
    loops<[](auto x) { return std::erf(x); }>("erf"),
    loops<[](auto x) { return std::sqrt(x); }>("sqrt"),
    loops<[](auto x) { return std::pow(x, x); }>("pow"),
    loops<[](auto x) { return 1 / (1 + std::exp(-x)); }>("sigmoid"),
};
