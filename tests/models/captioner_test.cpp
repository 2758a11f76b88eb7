// Captions of images, against the same modules in torch.

#include <sinter/models/captioner.hpp>

#include "message_of.hpp"
#include "models/small.hpp"

using namespace reference_models;
using errors::message_of;

TEST_CASE("Captioner: outputs and gradients are those of torch") {
  auto captioner = small_captioner();
  compare("captioner", captioner, Form::eager);
}

TEST_CASE("Captioner: encode() once, decode() token by token") {
  const auto captioner = small_captioner();
  const Tensor images = randn({2, 3, 8, 8}), ids = randint(24, {2, 5});
  const Tensor encoded = captioner.encode(images);
  CHECK(distance(captioner.decode(ids, encoded), captioner(images, ids)) < 1e-6);
  const Tensor other = captioner(randn({2, 3, 8, 8}), ids);
  CHECK(distance(captioner(images, ids), other) > 1e-5);
}

TEST_CASE("Captioner: the decoder needs cross attention") {
  CHECK(message_of<ValueError>([] { small_captioner(false); }).find("add_cross_attention = true") !=
        std::string::npos);
}
