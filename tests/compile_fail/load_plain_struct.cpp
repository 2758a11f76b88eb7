// expect: sinter::io::load\(path, module\) requires a module
#include <sinter/io/checkpoint.hpp>

struct Plain {
  int steps = 0;
};

void load(Plain& plain) { sinter::io::load("plain.safetensors", plain); }
