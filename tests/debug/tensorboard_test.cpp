// test: deep
// TensorBoard itself reads what SummaryWriter wrote. SINTER_TEST_PYTHON names a Python that has
// the package tensorboard.

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <sinter/compile/unit/temporary_file.hpp>
#include <sinter/debug/writers.hpp>
#include <sinter/sinter.hpp>

#include "skip.hpp"

using namespace sinter;

namespace {

const char* const program = R"(
import sys
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
a = EventAccumulator(sys.argv[1], size_guidance={'scalars': 0, 'histograms': 0, 'tensors': 0})
a.Reload()
s = a.Scalars('loss/train')
print(len(s), s[0].step, s[0].value, s[99].step, s[99].value)
h = a.Histograms('weights')[0].histogram_value
print(h.min, h.max, h.num, sum(h.bucket), h.sum)
i = a.Images('input')[0]
print(i.width, i.height, i.encoded_image_string[:4])
print(a.Tensors('note/text_summary')[0].tensor_proto.string_val[0].decode())
)";

}  // namespace

TEST_CASE("tensorboard: reads scalars, histograms, images and texts") {
  const char* const chosen = std::getenv("SINTER_TEST_PYTHON");
  const std::string python = chosen == nullptr ? "python3" : chosen;
  if (std::system((python + " -c 'import tensorboard' 2> /dev/null").c_str()) != 0) {
    SINTER_SKIP("there is no tensorboard: pip install tensorboard, and set SINTER_TEST_PYTHON");
  }
  const detail::compiler::TemporaryDirectory folder;
  SummaryWriter writer(folder.path());
  for (int step = 0; step < 100; ++step) writer.add_scalar("loss/train", 1.0 / (step + 1), step);
  writer.add_histogram("weights", arange(0, 100, 1), 3);
  writer.add_image("input", full({3, 4, 7}, 0.5f), 1);
  writer.add_text("note", "**bold**", 2);
  std::ofstream(folder.path() + "/read.py") << program;
  std::FILE* const pipe = popen(
      (python + " " + folder.path() + "/read.py " + folder.path() + " 2> /dev/null").c_str(), "r");
  std::string seen;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) seen += static_cast<char>(c);
  pclose(pipe);
  CHECK(seen ==
        "100 0 1.0 99 0.009999999776482582\n0.0 99.0 100.0 100.0 4950.0\n7 4 b'\\x89PNG'\n"
        "**bold**\n");
}
