// test: moved
// Values are checked against torch in reference/layers_test.cpp; here, options, buffers and counts.

#include <sinter/nn/function/loss.hpp>
#include <sinter/sinter.hpp>

#include "trace/testing.hpp"

using namespace testing;

namespace {

const CrossEntropyOptions smoothed{.ignore_index = 1, .label_smoothing = 0.1};

/// A classifier with its loss.
struct Classifier {
  nn::Linear head{4, 3};
  nn::CrossEntropyLoss loss{.weight = vector({1, 2, 3})};
  SINTER_MODULE(Classifier, head, loss)
};

// The kernels of a loss and of its gradient.
std::pair<std::int64_t, std::int64_t> kernels(const nn::CrossEntropyLoss& loss) {
  const Tensor x = sin(counting({64, 100})), target = arange(64);
  const auto value = compile([](const nn::CrossEntropyLoss& l, const Tensor& logits,
                                const Tensor& t) { return l(logits, t); });
  const auto gradient =
      compile([](const nn::CrossEntropyLoss& l, const Tensor& logits, const Tensor& t) {
        const auto [total, slope] =
            value_and_grad([&](const Tensor& y) { return l(y, t); })(logits);
        return std::pair{total, slope};
      });
  value(loss, x, target), gradient(loss, x, target);
  return {value.stats().kernels, gradient.stats().kernels};
}

}  // namespace

TEST_CASE("losses: are the functions with fixed options") {
  const Tensor x = sin(counting({3, 4})), target = integers({0, 1, 3});
  const nn::CrossEntropyLoss loss({.ignore_index = 1, .label_smoothing = 0.1});
  CHECK(alike(loss(x, target), cross_entropy(x, target, smoothed)));
  CHECK(alike(nn::MSELoss{.reduction = Reduction::sum}(x, cos(x)), sum(square(x - cos(x)))));
  CHECK(alike(nn::MSELoss(Reduction::sum)(x, cos(x)), sum(square(x - cos(x)))));
  CHECK(nn::CrossEntropyLoss().ignore_index == -100);
  CHECK(nn::TripletMarginLoss().margin == 1);
}

TEST_CASE("losses: weights of classes are buffers, which are saved and not trained") {
  Classifier model;
  CHECK(nn::named_parameters(model).size() == 2);
  CHECK(nn::named_buffers(model).size() == 1);
  CHECK(nn::named_buffers(model)[0].first == "loss.weight");
  CHECK(nn::named_buffers(nn::CrossEntropyLoss()).empty());
}

TEST_CASE("losses: smoothing and ignored targets cost no kernel") {
  if (is_checked_later) return;  // the counts are those of the host
  const auto plain = kernels({});
  CHECK(plain == std::pair<std::int64_t, std::int64_t>{1, 1});
  CHECK(kernels({.ignore_index = 3, .label_smoothing = 0.1}) == plain);
}

TEST_CASE("losses: mistakes name the line of the caller") {
  const Tensor x = ones({3, 4}), target = integers({0, 1, 3});
  MISTAKE(ShapeError, nn::CrossEntropyLoss{.weight = ones({3})}(x, target), "f32[3]", "f32[3, 4]");
  MISTAKE(DTypeError, nn::NLLLoss()(x, ones({3})), "nll_loss: ", "f32[3]");
  MISTAKE(ValueError, nn::CrossEntropyLoss{.label_smoothing = 2}(x, target), "label_smoothing");
  MISTAKE(ValueError, nn::HuberLoss{.delta = 0}(x, x), "delta > 0");
  MISTAKE(ShapeError, nn::BCELoss()(x, ones({3})), "binary_cross_entropy: ", "f32[3]");
}
