#pragma once
// What the examples of errors share: they run a program that is wrong, and one that is right.

#include <sinter/sinter.hpp>

#include <cstdio>
#include <initializer_list>
#include <string>

struct Mistake {
  const char* section;        ///< Of docs/errors.md, which its error has to name.
  sinter::Tensor (*wrong)();  ///< Throws.
  sinter::Tensor (*right)();  ///< Does what was meant.
};

/// True if reading what `program` gives throws an error that names `section`.
inline bool throws(sinter::Tensor (*program)(), const std::string& section) {
  try {
    sum(program().to(sinter::f64)).item<double>();
  } catch (const sinter::UserError& error) {
    std::printf("%s\n\n", error.what());
    return std::string(error.what()).ends_with("docs/errors.md#" + section);
  }
  return false;
}

/// Prints the errors; 0 if all programs did as they should.
inline int run(std::initializer_list<Mistake> mistakes) {
  int surprises = 0;
  for (const Mistake& mistake : mistakes) {
    surprises += !throws(mistake.wrong, mistake.section);
    surprises += throws(mistake.right, mistake.section);
  }
  return surprises;
}
