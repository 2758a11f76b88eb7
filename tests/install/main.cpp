// A program of somebody who installed sinter. The header-only form takes a part of the headers: all
// of them are compiled for the other.

#ifdef SINTER_COMPILED
#include <sinter/sinter.hpp>
#else
#include <sinter/base/hash.hpp>
#endif

int main() { return sinter::detail::hash_of("sinter") == sinter::detail::Hash{} ? 1 : 0; }
