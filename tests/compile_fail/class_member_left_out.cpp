// expect: requires every member of Type
#include <sinter/nn/linear.hpp>

class Mlp {
 public:
  explicit Mlp(int width) : hidden(width, width), head(width, 1) {}
  sinter::Tensor forward(const sinter::Tensor& x) const { return head(hidden(x)); }
  sinter::nn::Linear hidden, head;
  SINTER_MODULE(Mlp, hidden)
};

sinter::Tensor run(const Mlp& mlp, const sinter::Tensor& x) { return mlp(x); }
