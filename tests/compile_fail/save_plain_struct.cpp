// expect: sinter::io::save\(path, module\) requires a module
#include <sinter/io/checkpoint.hpp>

struct Plain {
  int steps = 0;
};

void save(const Plain& plain) { sinter::io::save("plain.safetensors", plain); }
