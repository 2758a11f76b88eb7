// expect: the name of a dimension has at most 23 characters
#include <sinter/trace/ops/typed/tensor.hpp>

using namespace sinter;

using Batch = TensorOf<float, "a_name_of_24_characters_">;
