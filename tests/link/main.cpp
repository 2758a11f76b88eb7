// Built with sinter::compiled, and linked with units that are built header-only.

#include <sinter/sinter.hpp>

#include <cstdio>

#include "unit_two.hpp"

int main() {
  try {
    throw sinter::ShapeError({.op = "main", .what = "failed on purpose"});
  } catch (const sinter::UserError&) {
    return unit_two::failures();
  }
}
