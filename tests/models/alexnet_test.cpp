// AlexNet: its parameters, shapes and errors. filled_test.cpp compares its figures.

#include <sinter/models/alexnet.hpp>

#include "message_of.hpp"
#include "models/reference.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("AlexNet: has the parameters of torchvision") {
  CHECK(nn::parameter_count(models::AlexNet()) == 61100840);
  const auto alexnet = models::AlexNet(7);
  CHECK(to_string(alexnet(zeros({2, 3, 64, 70})).shape()) == to_string(Shape{2, 7}));
}

TEST_CASE("AlexNet: wrong options and images") {
  CHECK(message_of<ValueError>([] { models::AlexNet(0); }).find("classes") != std::string::npos);
  CHECK(message_of<ValueError>([] { models::AlexNet(10, 1.5); }) != "no error");
  const auto alexnet = models::AlexNet(7);
  CHECK(message_of<ShapeError>([&] {
          alexnet(zeros({2, 64, 64, 3}));
        }).find("(batch, 3") != std::string::npos);
}
