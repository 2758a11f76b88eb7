#pragma once

#include <sinter/models/alexnet.hpp>
#include <sinter/models/attention.hpp>

namespace sinter::inline SINTER_ABI::models {

SINTER_INLINE AlexNet::AlexNet(std::int64_t classes, double dropout, Where where)
    : features{nn::Conv2d(3, 64, 11, {.stride = 4, .padding = 2}, where),
               nn::ReLU(),
               nn::MaxPool2d(3, {.stride = 2}),
               nn::Conv2d(64, 192, 5, {.padding = 2}, where),
               nn::ReLU(),
               nn::MaxPool2d(3, {.stride = 2}),
               nn::Conv2d(192, 384, 3, {.padding = 1}, where),
               nn::ReLU(),
               nn::Conv2d(384, 256, 3, {.padding = 1}, where),
               nn::ReLU(),
               nn::Conv2d(256, 256, 3, {.padding = 1}, where),
               nn::ReLU(),
               nn::MaxPool2d(3, {.stride = 2})},
      avgpool(6) {
  detail::require_positive("AlexNet", {{"classes", classes}}, where);
  classifier = {
      nn::Dropout(dropout, where),         nn::Linear(256 * 6 * 6, 4096, {}, where), nn::ReLU(),
      nn::Dropout(dropout, where),         nn::Linear(4096, 4096, {}, where),        nn::ReLU(),
      nn::Linear(4096, classes, {}, where)};
  nn::eval(*this);
}

SINTER_INLINE Tensor AlexNet::forward(Operand images) const {
  detail::require_images("AlexNet", images, 3, 0);
  return classifier(flatten(avgpool(features(images)), 1));
}

}  // namespace sinter::inline SINTER_ABI::models
