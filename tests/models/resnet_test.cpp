// ResNet and ResNeXt: their parameters, modes and errors. filled_test.cpp compares their figures.

#include <sinter/models/resnet.hpp>

#include "message_of.hpp"
#include "models/reference.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("ResNet: has the parameters of torchvision") {
  CHECK(nn::parameter_count(models::resnet18()) == 11689512);
  CHECK(nn::parameter_count(models::resnet34()) == 21797672);
  CHECK(nn::parameter_count(models::resnet50()) == 25557032);
  CHECK(nn::parameter_count(models::resnet101()) == 44549160);
  CHECK(nn::parameter_count(models::resnext50_32x4d()) == 25028904);
  CHECK(nn::parameter_count(models::resnext101_32x8d()) == 88791336);
  CHECK(nn::parameter_count(models::resnext101_64x4d()) == 83455272);
}

TEST_CASE("ResNet: const models are for evaluation") {
  auto net = models::ResNet({.layers = {1, 1, 1, 1}, .num_classes = 3});
  const models::ResNet& same = net;
  CHECK(message_of<ValueError>([&] {
          same(zeros({2, 3, 32, 32}));
        }).find("eval") != std::string::npos);
  nn::eval(net);
  CHECK(to_string(same(zeros({2, 3, 32, 40})).shape()) == to_string(Shape{2, 3}));
}

TEST_CASE("ResNet: wrong options and images") {
  CHECK(message_of<ValueError>([] { models::resnet18(0); }).find("num_classes") !=
        std::string::npos);
  CHECK(message_of<ValueError>([] {
          models::ResNet({.layers = {2, 0, 2, 2}});
        }).find("layers") != std::string::npos);
  CHECK(message_of<ValueError>([] { models::ResNet({.groups = 32}); }).find("bottleneck") !=
        std::string::npos);
  auto net = models::resnet18();
  CHECK(message_of<ShapeError>([&] {
          net(zeros({3, 32, 32}));
        }).find("(batch, 3") != std::string::npos);
}
