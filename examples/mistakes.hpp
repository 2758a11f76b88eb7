#pragma once
// Shared by the examples of errors: runs a program that fails, and the corrected one.

#include <sinter/sinter.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>

struct Mistake {
  const char* section;        ///< Section of docs/errors.md that the error must name.
  sinter::Tensor (*wrong)();  ///< Throws.
  sinter::Tensor (*right)();  ///< The corrected program.
};

/// True if reading the result of `program` throws an error that names `section`.
inline bool throws(sinter::Tensor (*program)(), const std::string& section) {
  try {
    sum(program().to(sinter::f64)).item<double>();
  } catch (const sinter::UserError& error) {
    std::printf("%s\n\n", error.what());
    return std::string(error.what()).ends_with("docs/errors.md#" + section);
  }
  return false;
}

/// Prints the errors; returns 0 if all programs behaved as expected.
inline int run(std::initializer_list<Mistake> mistakes) {
  int surprises = 0;
  for (const Mistake& mistake : mistakes) {
    surprises += !throws(mistake.wrong, mistake.section);
    surprises += throws(mistake.right, mistake.section);
  }
  return surprises;
}
