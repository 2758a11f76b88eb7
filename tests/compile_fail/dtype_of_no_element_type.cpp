// expect: requires T to be one of sinter::ElementTypes
#include <sinter/base/dtype.hpp>

auto dtype = sinter::dtype_of<char32_t>;
