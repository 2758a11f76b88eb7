#pragma once
// What the second unit tells a program that was built with another form of sinter.

namespace unit_two {

/// The number of things that do not work between the two units; each is printed.
int failures();

}  // namespace unit_two
