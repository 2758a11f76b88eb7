// expect: sinter::nn::train\(module\) requires a module
#include <sinter/nn/mode.hpp>

struct Plain {
  bool training = true;
};

void stop(Plain& plain) { sinter::nn::train(plain, false); }
