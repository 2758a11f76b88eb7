#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "message_of.hpp"

using namespace sinter;

namespace {

struct SummaryBlock {
  nn::Linear up, down;
  nn::LayerNorm norm;
  SINTER_MODULE(SummaryBlock, up, down, norm)
  Tensor forward(const Tensor& x) const { return norm(down(relu(up(x))) + x); }
};

struct SummaryNet {
  nn::Linear in{784, 64};
  std::vector<SummaryBlock> layers{{{64, 256}, {256, 64}, {64}}, {{64, 256}, {256, 64}, {64}}};
  nn::BatchNorm1d bn{64};
  nn::Linear head{64, 10}, unused{3, 3};
  SINTER_MODULE(SummaryNet, in, layers, bn, head, unused)
  Tensor forward(Operand x) {
    Tensor h = in(x);
    for (SummaryBlock& block : layers) h = block(h);
    return head(bn(h));
  }
};

// Results that are no tensors, a layer that is called twice, groups, and a loop.
struct SummaryConv {
  nn::Conv2d a{3, 16, 3, {.padding = 1}}, b{16, 16, 3, {.padding = 1, .groups = 16}};
  nn::LSTM lstm{16, 32};
  nn::MultiheadAttention attention{32, 4};
  nn::Linear twice{32, 32};
  SINTER_MODULE(SummaryConv, a, b, lstm, attention, twice)
  Tensor forward(Operand x) const {
    const Tensor h = permute(mean(b(a(x)), 3), {2, 0, 1});
    const Tensor y = lstm(h).output;
    return twice(twice(attention(y, y, y)));
  }
};

// The line of the table that begins with `name`.
std::string row_of(const std::string& table, const std::string& name) {
  for (std::size_t at = 0; at < table.size();) {
    const std::size_t end = std::min(table.find('\n', at), table.size());
    std::string line = table.substr(at, end - at);
    line.erase(0, line.find_first_not_of(' '));
    if (line.rfind(name + " ", 0) == 0) return line;
    at = end + 1;
  }
  return "";
}

// What stands behind the type in the line of a module, without the spaces that align columns.
std::string numbers_of(const std::string& table, const std::string& name) {
  const std::string line = row_of(table, name);
  std::string result;
  for (const char c : line.substr(std::min(line.find(" f32["), line.size()))) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  }
  return result;
}

}  // namespace

TEST_CASE("summary: shapes, parameters, multiply-adds and bytes by module") {
  const SummaryNet net;
  const std::string table = summary(net, TensorSpec{{32, 784}});
  INFO(table);
  const auto row = [&](const char* name) { return numbers_of(table, name); };
  CHECK(table.find("117,462      3,723,264         1,280\n") <
        table.find("  in "));  // the whole module
  CHECK(row("in") == "f32[32, 64] 50,240 1,605,632 8,192");
  CHECK(row("layers.1") == "f32[32, 64] 33,216 1,048,576 8,192");
  CHECK(row("norm") == "f32[32, 64] 128 - 8,192");
  CHECK(row("bn") == "f32[32, 64] 128 - 8,192");
  CHECK(row("unused") == "");
  CHECK(row_of(table, "unused").find("nn::Linear") != std::string::npos);
  CHECK(table.find("117,462 parameters, 459 KiB; buffers 520 bytes\n"
                   "3,723,264 multiply-adds for f32[32, 784]\n"
                   "inputs 98 KiB, ") != std::string::npos);
}

TEST_CASE("summary: dynamic sizes are symbols, and nothing changes the module") {
  const SummaryNet net;
  const std::vector<float> before = net.bn.running_mean->value.to_vector<float>();
  const std::string table = summary(net, TensorSpec{{32, 784}}.dynamic(0));
  CHECK(row_of(table, "head").find("f32[s0, 10]") != std::string::npos);
  CHECK(table.find("3,723,264 multiply-adds for f32[32, 784]") != std::string::npos);
  CHECK(net.bn.running_mean->value.to_vector<float>() == before);
}

TEST_CASE("summary: convolutions, loops, structs as results, and modules that run twice") {
  const std::string table = summary(SummaryConv(), TensorSpec{{4, 3, 8, 8}});
  INFO(table);
  const auto row = [&](const char* name) { return numbers_of(table, name); };
  CHECK(row("a") == "f32[4, 16, 8, 8] 448 110,592 16,384");
  CHECK(row("b") == "f32[4, 16, 8, 8] 160 36,864 16,384");
  // 8 steps of 4 rows: 4 gates of 32 from 16 inputs and 32 states.
  CHECK(row("lstm") == "f32[8, 4, 32] 6,400 196,608 4,096");
  CHECK(row("twice") == "f32[8, 4, 32] x 2 1,056 65,536 8,192");
  CHECK(row("attention").find("f32[8, 4, 32] 4,224 147,456") == 0);
}

TEST_CASE("summary: inputs that do not fit are errors with the line and the module") {
  const std::string message = errors::message_of<ShapeError>([] {
    static_cast<void>(summary(SummaryNet(), TensorSpec{{32, 783}}));
  });
  INFO(message);
  CHECK(message.find("linear: the input does not fit the weight") == 0);
  CHECK(message.find("in    in\n") != std::string::npos);
  CHECK(message.find("summary_test.cpp:") != std::string::npos);
  const std::string alone = errors::message_of<ShapeError>([] {
    static_cast<void>(summary(nn::Linear(3, 4), TensorSpec{{32, 783}}));
  });
  CHECK(alone.find("summary_test.cpp:") != std::string::npos);
}
