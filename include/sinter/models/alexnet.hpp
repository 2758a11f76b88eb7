#pragma once
// AlexNet, with the parameters of torchvision.

#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

/// Dropout is off until nn::train(model).
///
/// Shapes   (batch, 3, height, width) -> (batch, classes), logits; torchvision's images are 224 x
///          224, the smallest are 63 x 63
/// Throws   ValueError unless classes >= 1; ShapeError if the images do not fit
/// Source   https://docs.pytorch.org/vision/stable/models/alexnet.html
struct AlexNet {
  nn::Sequential<nn::Conv2d, nn::ReLU, nn::MaxPool2d, nn::Conv2d, nn::ReLU, nn::MaxPool2d,
                 nn::Conv2d, nn::ReLU, nn::Conv2d, nn::ReLU, nn::Conv2d, nn::ReLU, nn::MaxPool2d>
      features;
  nn::AdaptiveAvgPool2d avgpool;
  nn::Sequential<nn::Dropout, nn::Linear, nn::ReLU, nn::Dropout, nn::Linear, nn::ReLU, nn::Linear>
      classifier;
  SINTER_MODULE(AlexNet, features, avgpool, classifier)

  explicit AlexNet(std::int64_t classes = 1000, double dropout = 0.5,
                   Where where = Where::current());

  Tensor forward(Operand images) const;
};

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/alexnet.ipp>
#endif
