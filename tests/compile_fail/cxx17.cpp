// expect: sinter requires C\+\+20
// options: -std=c++17
#include <sinter/sinter.hpp>
