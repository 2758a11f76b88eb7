#pragma once

#include <sinter/models/attention.hpp>
#include <sinter/models/resnet.hpp>

namespace sinter::inline SINTER_ABI::models {

namespace detail {

// A convolution without bias whose output keeps its size but for the stride, as torchvision
// initialises it.
SINTER_INLINE nn::Conv2d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel,
                                     std::int64_t stride, std::int64_t groups, Where where) {
  nn::Conv2d result(in, out, kernel,
                    {.stride = stride, .padding = kernel / 2, .groups = groups, .bias = false},
                    where);
  nn::init::kaiming_normal_(
      result.weight, {.mode = nn::init::Fan::out, .nonlinearity = nn::init::Nonlinearity::relu},
      where);
  return result;
}

// Both forms of the calls: blocks that update their statistics, and const ones.
template <class Block>
Tensor run_block(Block& block, const Tensor& x) {
  const Tensor inner = relu(block.bn1(block.conv1(x)));
  Tensor result = block.bn2(block.conv2(inner));
  if (block.conv3) result = (*block.bn3)((*block.conv3)(relu(result)));
  const Tensor shortcut = block.downsample ? (*block.downsample)(x) : x;
  return relu(result + shortcut);
}

template <class Net>
Tensor run_resnet(Net& net, const Operand& images) {
  require_images("ResNet", images, 3, 0);
  const Tensor start = relu(net.bn1(net.conv1(images)));
  Tensor x = max_pool2d(start, 3, {.stride = 2, .padding = 1});
  for (auto* const stage : {&net.layer1, &net.layer2, &net.layer3, &net.layer4}) {
    for (auto& block : *stage) x = block(x);
  }
  return net.fc(mean(x, {2, 3}));
}

// Torch's factor between the widths of a block's inner and last convolution.
SINTER_INLINE std::int64_t expansion(const ResNetOptions& options) {
  return options.bottleneck ? 4 : 1;
}

SINTER_INLINE nn::ModuleList<ResNetBlock> stage(std::int64_t in, int number,
                                                const ResNetOptions& options, Where where) {
  const std::int64_t planes = std::int64_t{64} << number, out = planes * expansion(options);
  nn::ModuleList<ResNetBlock> result;
  for (std::int64_t i = 0; i < options.layers[static_cast<std::size_t>(number)]; ++i) {
    const std::int64_t stride = i == 0 && number > 0 ? 2 : 1;
    result.emplace_back(i == 0 ? in : out, planes, stride, options, where);
  }
  return result;
}

}  // namespace detail

SINTER_INLINE ResNetBlock::ResNetBlock(std::int64_t in, std::int64_t planes, std::int64_t stride,
                                       const ResNetOptions& options, Where where) {
  const std::int64_t out = planes * detail::expansion(options);
  if (options.bottleneck) {
    const std::int64_t width = planes * options.width_per_group / 64 * options.groups;
    conv1 = detail::convolution(in, width, 1, 1, 1, where);
    conv2 = detail::convolution(width, width, 3, stride, options.groups, where);
    conv3 = detail::convolution(width, out, 1, 1, 1, where);
    bn1 = nn::BatchNorm2d(width, {}, where);
    bn2 = nn::BatchNorm2d(width, {}, where);
    bn3 = nn::BatchNorm2d(out, {}, where);
  } else {
    conv1 = detail::convolution(in, planes, 3, stride, 1, where);
    conv2 = detail::convolution(planes, planes, 3, 1, 1, where);
    bn1 = nn::BatchNorm2d(planes, {}, where);
    bn2 = nn::BatchNorm2d(planes, {}, where);
  }
  if (stride == 1 && in == out) return;
  downsample.emplace(detail::convolution(in, out, 1, stride, 1, where),
                     nn::BatchNorm2d(out, {}, where));
}

SINTER_INLINE Tensor ResNetBlock::forward(Operand x) {
  return detail::run_block(*this, x.tensor());
}
SINTER_INLINE Tensor ResNetBlock::operator()(Operand x) const {
  return detail::run_block(*this, x.tensor());
}

SINTER_INLINE ResNet::ResNet(const ResNetOptions& options, Where where)
    : conv1(detail::convolution(3, 64, 7, 2, 1, where)), bn1(64, {}, where) {
  for (const std::int64_t count : options.layers) {
    detail::require_positive("ResNet", {{"layers", count}}, where);
  }
  detail::require_positive("ResNet",
                           {{"num_classes", options.num_classes},
                            {"groups", options.groups},
                            {"width_per_group", options.width_per_group}},
                           where);
  if (!options.bottleneck && (options.groups != 1 || options.width_per_group != 64)) {
    throw ValueError({.op = "ResNet",
                      .what = "blocks of two convolutions have neither groups nor a width",
                      .facts = {{"groups", to_string(Extent(options.groups))},
                                {"width_per_group", to_string(Extent(options.width_per_group))}},
                      .rule = "without .bottleneck, groups == 1 and width_per_group == 64",
                      .fix = "set .bottleneck = true",
                      .where = where});
  }
  const std::int64_t factor = detail::expansion(options);
  layer1 = detail::stage(64, 0, options, where);
  layer2 = detail::stage(64 * factor, 1, options, where);
  layer3 = detail::stage(128 * factor, 2, options, where);
  layer4 = detail::stage(256 * factor, 3, options, where);
  fc = nn::Linear(512 * factor, options.num_classes, {}, where);
}

SINTER_INLINE Tensor ResNet::forward(Operand images) { return detail::run_resnet(*this, images); }
SINTER_INLINE Tensor ResNet::operator()(Operand images) const {
  return detail::run_resnet(*this, images);
}

SINTER_INLINE ResNet resnet18(std::int64_t classes, Where where) {
  return ResNet({.layers = {2, 2, 2, 2}, .num_classes = classes}, where);
}
SINTER_INLINE ResNet resnet34(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 6, 3}, .num_classes = classes}, where);
}
SINTER_INLINE ResNet resnet50(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 6, 3}, .bottleneck = true, .num_classes = classes}, where);
}
SINTER_INLINE ResNet resnet101(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 23, 3}, .bottleneck = true, .num_classes = classes}, where);
}
SINTER_INLINE ResNet resnext50_32x4d(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 6, 3},
                 .bottleneck = true,
                 .num_classes = classes,
                 .groups = 32,
                 .width_per_group = 4},
                where);
}
SINTER_INLINE ResNet resnext101_32x8d(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 23, 3},
                 .bottleneck = true,
                 .num_classes = classes,
                 .groups = 32,
                 .width_per_group = 8},
                where);
}
SINTER_INLINE ResNet resnext101_64x4d(std::int64_t classes, Where where) {
  return ResNet({.layers = {3, 4, 23, 3},
                 .bottleneck = true,
                 .num_classes = classes,
                 .groups = 64,
                 .width_per_group = 4},
                where);
}

}  // namespace sinter::inline SINTER_ABI::models
