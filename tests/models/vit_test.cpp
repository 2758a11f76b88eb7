// Vision transformers against torchvision's.

#include <sinter/models/vit.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("VisionTransformer: outputs and gradients are those of torch") {
  auto vit = models::VisionTransformer(small_vit());
  compare("vit", vit, Form::eager);
}

TEST_CASE("VisionTransformer: has the parameters of torchvision") {
  CHECK(nn::parameter_count(models::vit_b_16()) == 86567656);
  CHECK(nn::parameter_count(models::vit_b_32()) == 88224232);
  CHECK(nn::parameter_count(models::vit_l_16()) == 304326632);
  const auto vit = models::vit_b_16();
  std::vector<std::string> layers;
  for (const auto& [name, layer] : vit.encoder.layers) layers.push_back(name);
  REQUIRE(layers.size() == 12);
  CHECK(layers[2] == "encoder_layer_2");
  CHECK(layers[11] == "encoder_layer_11");
}

TEST_CASE("VisionTransformer: without a head it gives the class token") {
  models::ViTOptions options = small_vit();
  options.num_labels = 0;
  options.qkv_bias = false;
  const auto vit = models::VisionTransformer(options);
  const Tensor images = randn({2, 3, 8, 8});
  CHECK(distance(vit(images), vit.encode(images)[{all, 0}]) < 1e-6);
  CHECK(nn::parameter_count(models::VisionTransformer(small_vit())) ==
        nn::parameter_count(vit) + 5 * 17 + 2 * 48);
}

TEST_CASE("VisionTransformer: wrong options and images") {
  models::ViTOptions options = small_vit();
  options.patch_size = 3;
  CHECK(message_of<ValueError>([&] {
          models::VisionTransformer{options};
        }).find("image_size % patch_size == 0") != std::string::npos);
  options = small_vit();
  options.num_attention_heads = 0;
  CHECK(message_of<ValueError>([&] {
          models::VisionTransformer{options};
        }).find("num_attention_heads") != std::string::npos);
  const auto vit = models::VisionTransformer(small_vit());
  CHECK(message_of<ShapeError>([&] {
          vit(zeros({2, 3, 9, 8}));
        }).find("8, 8") != std::string::npos);
  CHECK(message_of<ShapeError>([&] {
          vit(zeros({2, 1, 8, 8}));
        }).find("channels first") != std::string::npos);
}
