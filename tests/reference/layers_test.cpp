// test: moved
// Layers and their functions, against torch.

#include <doctest/doctest.h>
#include <sinter/layers.hpp>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

template <class Layer>
Outputs transposed(In x, Opt o) {
  Layer layer;
  layer.weight = x[1], layer.bias = x[2];
  layer.stride = o.integers(0), layer.padding = o.integers(1);
  layer.output_padding = o.integers(2), layer.groups = o.integer(3);
  layer.dilation = o.integers(4);
  return layer(x[0]);
}

BagMode bag_mode(Opt o) {
  return o.text(0) == "sum" ? BagMode::sum : o.text(0) == "max" ? BagMode::max : BagMode::mean;
}

nn::EmbeddingBag bag(In x, Opt o) {
  nn::EmbeddingBag layer;
  layer.weight = x[1], layer.mode = bag_mode(o);
  if (o.has(1)) layer.padding_idx = o.integer(1);
  layer.include_last_offset = o.count() > 2 && o.flag(2);
  return layer;
}

template <class Layer>
Outputs padded(In x, Opt o) {
  return Layer(o.integers(0))(x[0]);
}

template <class Layer>
Outputs padded_by(In x, Opt o) {
  return Layer(o.integers(0), o.number(1))(x[0]);
}

// A loss of `inputs` inputs, whose only option is the reduction.
template <class Layer>
Outputs reduced(Layer layer, In x, Opt o) {
  layer.reduction = o.reduction(0);
  if constexpr (requires { layer(x[0], x[1], x[2]); }) {
    return layer(x[0], x[1], x[2]);
  } else {
    return layer(x[0], x[1]);
  }
}

const std::vector<Row> spatial{
    {"ConvTranspose1d", transposed<nn::ConvTranspose1d>},
    {"ConvTranspose2d", transposed<nn::ConvTranspose2d>},
    {"ConvTranspose3d", transposed<nn::ConvTranspose3d>},
    {"ZeroPad1d", padded<nn::ZeroPad1d>},
    {"ZeroPad2d", padded<nn::ZeroPad2d>},
    {"ZeroPad3d", padded<nn::ZeroPad3d>},
    {"ReflectionPad1d", padded<nn::ReflectionPad1d>},
    {"ReflectionPad2d", padded<nn::ReflectionPad2d>},
    {"ReflectionPad3d", padded<nn::ReflectionPad3d>},
    {"ReplicationPad1d", padded<nn::ReplicationPad1d>},
    {"ReplicationPad2d", padded<nn::ReplicationPad2d>},
    {"ReplicationPad3d", padded<nn::ReplicationPad3d>},
    {"CircularPad1d", padded<nn::CircularPad1d>},
    {"CircularPad2d", padded<nn::CircularPad2d>},
    {"CircularPad3d", padded<nn::CircularPad3d>},
    {"ConstantPad1d", padded_by<nn::ConstantPad1d>},
    {"ConstantPad2d", padded_by<nn::ConstantPad2d>},
    {"ConstantPad3d", padded_by<nn::ConstantPad3d>},
    {"PixelShuffle", [](In x, Opt o) -> Outputs { return nn::PixelShuffle{o.integer(0)}(x[0]); }},
    {"PixelUnshuffle",
     [](In x, Opt o) -> Outputs { return nn::PixelUnshuffle{o.integer(0)}(x[0]); }},
};

const std::vector<Row> of_bags{
    {"embedding_bag", [](In x, Opt o) -> Outputs { return bag(x, o)(x[0]); }},
    {"embedding_bag_offsets", [](In x, Opt o) -> Outputs { return bag(x, o)(x[0], x[2]); }},
    {"embedding_bag_weighted",
     [](In x, Opt) -> Outputs {
       return embedding_bag(x[0], x[1], {.mode = BagMode::sum, .per_sample_weights = x[2]});
     }},
};

const std::vector<Row> losses{
    {"CrossEntropyLoss",
     [](In x, Opt o) -> Outputs {
       return nn::CrossEntropyLoss{.weight = detach(x[2]),
                                   .ignore_index = o.integer(0),
                                   .label_smoothing = o.number(1),
                                   .reduction = o.reduction(2)}(x[0], x[1]);
     }},
    {"NLLLoss",
     [](In x, Opt o) -> Outputs {
       return nn::NLLLoss{.weight = detach(x[2]),
                          .ignore_index = o.integer(0),
                          .reduction = o.reduction(1)}(x[0], x[1]);
     }},
    {"MSELoss", [](In x, Opt o) -> Outputs { return reduced(nn::MSELoss(), x, o); }},
    {"L1Loss", [](In x, Opt o) -> Outputs { return reduced(nn::L1Loss(), x, o); }},
    {"SmoothL1Loss",
     [](In x, Opt o) -> Outputs { return reduced(nn::SmoothL1Loss{.beta = 0.4}, x, o); }},
    {"HuberLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::HuberLoss{.delta = 0.4}, x, o); }},
    {"KLDivLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::KLDivLoss{.log_target = true}, x, o); }},
    {"BCELoss",
     [](In x, Opt o) -> Outputs {
       return nn::BCELoss{.weight = detach(x[2]), .reduction = o.reduction(0)}(x[0], x[1]);
     }},
    {"BCEWithLogitsLoss",
     [](In x, Opt o) -> Outputs {
       return nn::BCEWithLogitsLoss{.weight = detach(x[2]),
                                    .reduction = o.reduction(0),
                                    .pos_weight = detach(x[3])}(x[0], x[1]);
     }},
    {"PoissonNLLLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::PoissonNLLLoss{.full = true}, x, o); }},
    {"GaussianNLLLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::GaussianNLLLoss{.full = true}, x, o); }},
    {"CosineEmbeddingLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::CosineEmbeddingLoss{.margin = 0.2}, x, o); }},
    {"HingeEmbeddingLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::HingeEmbeddingLoss{.margin = 0.7}, x, o); }},
    {"MarginRankingLoss",
     [](In x, Opt o) -> Outputs { return reduced(nn::MarginRankingLoss{.margin = 0.2}, x, o); }},
    {"SoftMarginLoss", [](In x, Opt o) -> Outputs { return reduced(nn::SoftMarginLoss(), x, o); }},
    {"TripletMarginLoss",
     [](In x, Opt o) -> Outputs {
       return reduced(nn::TripletMarginLoss{.margin = 0.8, .swap = true}, x, o);
     }},
};

const Table table{"layers", joined({spatial, of_bags, losses}), Share::few};

}  // namespace

REFERENCE_TESTS("layers", table);
