// test: deep cost=60
// AlexNet, ResNet and ResNeXt against torchvision's, in training.

#include <sinter/models/alexnet.hpp>
#include <sinter/models/resnet.hpp>

#include "models/reference.hpp"

using namespace reference_models;

TEST_CASE("AlexNet: outputs and gradients are those of torch") {
  auto alexnet = models::AlexNet(10);
  compare_filled("alexnet", alexnet);
}

TEST_CASE("ResNet: outputs and gradients are those of torch") {
  auto net = models::ResNet({.layers = {2, 1, 1, 1}, .num_classes = 10});
  compare_filled("resnet", net);
}

TEST_CASE("ResNeXt: outputs and gradients are those of torch") {
  auto net = models::ResNet({.layers = {2, 1, 1, 1},
                             .bottleneck = true,
                             .num_classes = 10,
                             .groups = 32,
                             .width_per_group = 4});
  compare_filled("resnext", net, 0.01);  // its million ReLUs flip with any order of sums
}
