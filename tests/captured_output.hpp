#pragma once
// Captures what a test writes to stdout or stderr.

#include <unistd.h>  // dup, dup2

#include <cstdio>  // std::tmpfile
#include <string>  // std::string

namespace testing {

/// What `body` writes to `stream`.
template <class Body>
std::string written_to(std::FILE* stream, Body body) {
  std::FILE* const file = std::tmpfile();
  std::fflush(stream);
  const int descriptor = fileno(stream), saved = dup(descriptor);
  dup2(fileno(file), descriptor);
  body();
  std::fflush(stream);
  dup2(saved, descriptor);
  close(saved);
  std::rewind(file);
  std::string result;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) result += static_cast<char>(c);
  std::fclose(file);
  return result;
}

/// What `body` writes to standard error.
template <class Body>
std::string said(Body body) {
  return written_to(stderr, body);
}

}  // namespace testing
