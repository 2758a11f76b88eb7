#pragma once
// ResNet and ResNeXt, with the parameters of torchvision.

#include <array>     // std::array
#include <optional>  // std::optional

#include <sinter/sinter.hpp>

namespace sinter::inline SINTER_ABI::models {

struct ResNetOptions {
  std::array<std::int64_t, 4> layers{2, 2, 2, 2};  ///< The number of blocks of each stage.
  bool bottleneck = false;  ///< Blocks of three convolutions (50 layers and more); else of two.
  std::int64_t num_classes = 1000;
  std::int64_t groups = 1;            ///< Of the 3 x 3 convolutions of bottlenecks.
  std::int64_t width_per_group = 64;  ///< Of bottlenecks: in the first stage.
};

/// Two or three convolutions and a shortcut around them.
struct ResNetBlock {
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::Conv2d conv2;
  nn::BatchNorm2d bn2;
  std::optional<nn::Conv2d> conv3;  ///< Of a bottleneck.
  std::optional<nn::BatchNorm2d> bn3;
  std::optional<nn::Sequential<nn::Conv2d, nn::BatchNorm2d>> downsample;  ///< Of the shortcut.
  SINTER_MODULE(ResNetBlock, conv1, bn1, conv2, bn2, conv3, bn3, downsample)

  ResNetBlock() = default;
  ResNetBlock(std::int64_t in, std::int64_t planes, std::int64_t stride,
              const ResNetOptions& options, Where where);

  Tensor forward(Operand x);
  Tensor operator()(Operand x) const;
};

/// In training, batch norms update their running statistics, so the model must not be const; after
/// nn::eval(model) it may be.
///
/// Shapes   (batch, 3, height, width) -> (batch, num_classes), logits
/// Throws   ValueError if options are less than 1; ShapeError if the images do not fit
/// Source   https://docs.pytorch.org/vision/stable/models/resnet.html
struct ResNet {
  nn::Conv2d conv1;
  nn::BatchNorm2d bn1;
  nn::ModuleList<ResNetBlock> layer1, layer2, layer3, layer4;
  nn::Linear fc;
  SINTER_MODULE(ResNet, conv1, bn1, layer1, layer2, layer3, layer4, fc)

  explicit ResNet(const ResNetOptions& options = {}, Where where = Where::current());

  Tensor forward(Operand images);
  Tensor operator()(Operand images) const;
};

ResNet resnet18(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnet34(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnet50(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnet101(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnext50_32x4d(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnext101_32x8d(std::int64_t classes = 1000, Where where = Where::current());
ResNet resnext101_64x4d(std::int64_t classes = 1000, Where where = Where::current());

}  // namespace sinter::inline SINTER_ABI::models

#ifdef SINTER_DEFINITIONS
#include <sinter/models/resnet.ipp>
#endif
