// Has the definitions of what it includes.

#include "unit_two.hpp"

#include <cstdio>
#include <string>

#include "unit_one.hpp"

namespace {

int expect(bool holds, const char* what) {
  if (!holds) std::printf("does not hold between two units: %s\n", what);
  return holds ? 0 : 1;
}

// The line of the error of unit one, caught here; 0 if it is not caught as what it is.
unsigned line_of_caught_error() {
  try {
    unit_one::fail(sinter::Where::current());
  } catch (const sinter::ShapeError& error) {
    return error.where().line();
  } catch (...) {
  }
  return 0;
}

}  // namespace

int unit_two::failures() {
  return expect(unit_one::hash_of("text") == sinter::detail::hash_of("text"), "hashes are equal") +
         expect(line_of_caught_error() != 0, "errors are caught by their type");
}
