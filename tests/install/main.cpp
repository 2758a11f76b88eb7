// A program of somebody who installed sinter.

#include <sinter/sinter.hpp>

int main() { return sinter::hash_of("sinter") == sinter::Hash{} ? 1 : 0; }
