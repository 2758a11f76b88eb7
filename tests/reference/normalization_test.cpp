// test: moved
// softmax and the norms, against torch.

#include <doctest/doctest.h>

#include "reference.hpp"

namespace {

using namespace reference;

using In = const Inputs&;
using Opt = const Options&;

const Table table{
    "normalization",
    {
        {"softmax", [](In x, Opt o) -> Outputs { return softmax(x[0], o.integer(0)); }},
        {"log_softmax", [](In x, Opt o) -> Outputs { return log_softmax(x[0], o.integer(0)); }},
        {"layer_norm",
         [](In x, Opt o) -> Outputs {
           if (x.size() == 1) return layer_norm_over(x[0], o.integer(0), o.number(1));
           if (x.size() == 2) return layer_norm(x[0], x[1], o.number(1));
           return layer_norm(x[0], x[1], x[2], o.number(1));
         }},
        {"rms_norm", [](In x, Opt o) -> Outputs { return rms_norm(x[0], x[1], o.number(0)); }},
        {"softmin", [](In x, Opt o) -> Outputs { return softmin(x[0], o.integer(0)); }},
        {"normalize",
         [](In x, Opt o) -> Outputs { return normalize(x[0], o.number(0), o.integer(1)); }},
        {"cosine_similarity",
         [](In x, Opt o) -> Outputs { return cosine_similarity(x[0], x[1], o.integer(0)); }},
        {"pairwise_distance",
         [](In x, Opt o) -> Outputs { return pairwise_distance(x[0], x[1], o.number(0)); }},
        {"local_response_norm",
         [](In x, Opt o) -> Outputs { return local_response_norm(x[0], o.integer(0)); }},
        {"instance_norm",
         [](In x, Opt o) -> Outputs {
           return instance_norm(x[0], std::nullopt, std::nullopt, x[1], x[2], true, 0.1,
                                o.number(0));
         }},
        {"batch_norm",
         [](In x, Opt o) -> Outputs {
           return batch_norm(x[0], x[1], x[2], x[3], x[4], false, 0.1, o.number(1));
         }},
        {"batch_norm_train",
         [](In x, Opt o) -> Outputs {
           return batch_norm(x[0], std::nullopt, std::nullopt, x[1], x[2], true, 0.1, o.number(0));
         }},
        {"group_norm",
         [](In x, Opt o) -> Outputs {
           if (x.size() == 1) return group_norm(x[0], o.integer(0), {}, {}, o.number(1));
           return group_norm(x[0], o.integer(0), x[1], x[2], o.number(1));
         }},
    }};

}  // namespace

REFERENCE_TESTS("normalization", table);
