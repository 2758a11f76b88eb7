// Activations by name.

#include <sinter/models/activation.hpp>

#include "message_of.hpp"
#include "models/reference.hpp"

using namespace reference_models;
using errors::message_of;

namespace {

models::Activate named(const std::string& name) { return {name, "hidden_act", "Bert", {}}; }

}  // namespace

TEST_CASE("Activate: names of config.json") {
  const Tensor x = linspace(-3, 3, 7);
  CHECK(distance(named("gelu")(x), gelu(x)) == 0);
  CHECK(distance(named("quick_gelu")(x), x * sigmoid(1.702 * x)) < 1e-6);
  for (const char* const name : {"gelu_new", "gelu_fast", "gelu_pytorch_tanh"}) {
    CHECK(distance(named(name)(x), gelu(x, Gelu::tanh)) == 0);
  }
  CHECK(distance(named("gelu")(x), gelu(x, Gelu::tanh)) > 1e-5);
  CHECK(distance(named("silu")(x), silu(x)) == 0);
  CHECK(distance(named("swish")(x), silu(x)) == 0);
  CHECK(distance(named("relu")(x), relu(x)) == 0);
  CHECK(distance(named("sigmoid")(x), sigmoid(x)) == 0);
  CHECK(distance(named("tanh")(x), tanh(x)) == 0);
  const std::string message = message_of<ValueError>([] { named("GELU"); });
  CHECK(message.find("quick_gelu") != std::string::npos);
  CHECK(message.find("hidden_act") != std::string::npos);
}
