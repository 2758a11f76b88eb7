// Graph breaks and functions traced on every call: what they are, how to see and avoid them.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <vector>

using namespace sinter;

// A read on the host: the operations before and after it are two graphs.
Tensor toy(const Tensor& a, const Tensor& b_in) {
  Tensor b = b_in;
  const Tensor x = a / (abs(a) + 1);
  if (sum(b) < 0) b = b * -1;
  return x * b;
}

// The same in one graph.
Tensor toy_in_one(const Tensor& a, const Tensor& b) {
  return a / (abs(a) + 1) * where(sum(b) < 0, b * -1, b);
}

// The host sees every loss, without a break.
Tensor watched(const Tensor& x) {
  const Tensor loss = mean(square(x));
  print(loss);
  host([](const Tensor& value) {
    if (value.item<float>() > 100) std::puts("diverges");
  })(loss);
  return loss * 2.0f;
}

bool near(const Tensor& a, const Tensor& b) { return static_cast<bool>(all(abs(a - b) < 1e-5f)); }

int main() {
  const Tensor a = arange(8).to(f32) - 3.5f, b = arange(8).to(f32) * 0.5f - 3.0f;
  bool right = true;

  const auto broken = compile(toy, {.name = "toy"});
  right = right && near(broken(a, b), toy(a, b)) && near(broken(a, b * -1.0f), toy(a, b * -1.0f));
  for (const Break& found : broken.explain().breaks) {
    std::printf("break at line %u: %s\n", found.where.line(), found.reason.c_str());
  }
  std::printf("%d graphs\n", static_cast<int>(broken.stats().graphs));

  const auto whole = compile(toy_in_one, {.fullgraph = true});
  right = right && near(whole(a, b), toy(a, b));
  std::printf("%d graph, %d breaks\n", static_cast<int>(whole.stats().graphs),
              static_cast<int>(whole.stats().breaks));

  // Traced on every call, so that it sees current values of its captures.
  Tensor weight = ones({8});
  std::vector<Tensor> history;
  const auto open = compile([&](const Tensor& x) {
    const Tensor h = x * weight;
    history.push_back(h);
    return sum(h);
  });
  for (int i = 1; i <= 3; ++i) {
    weight = full({8}, static_cast<float>(i));
    right = right && near(open(a), sum(a * weight));
  }
  right = right && history.size() == 3 && near(history[1], a * 2.0f);
  std::printf("%d recordings, %d recompiles\n", static_cast<int>(open.stats().recordings),
              static_cast<int>(open.stats().recompiles));

  // A promise: the captures do not change.
  const auto pure = compile(assume_pure([weight](const Tensor& x) { return sum(x * weight); }));
  for (int i = 0; i < 3; ++i) pure(a);
  std::printf("%d recording\n", static_cast<int>(pure.stats().recordings));

  // The size depends on the data: dynamic from the second recording on.
  const auto positive = compile([](const Tensor& x) {
    const auto count = sum(x > 0).item<std::int64_t>();
    return sort(x[x > 0], 0).values[Slice{0, count / 2 + 1}];
  });
  for (int i = 1; i < 20; ++i) {
    const Tensor x = arange(24).to(f32) - static_cast<float>(i);
    const std::int64_t count = 23 - i;
    right = right && near(positive(x), arange(count / 2 + 1).to(f32) + 1.0f);
  }
  std::printf("%d recompiles\n", static_cast<int>(positive.stats().recompiles));

  const auto looks = compile(watched);
  looks(full({4}, 2.0f));
  looks(full({4}, 20.0f));

  // A host function between two graphs.
  const auto on_host = disable([](const Tensor& x) {
    std::vector<float> elements = x.to_vector<float>();
    for (float& element : elements) element = element > 0 ? 1.0f : -1.0f;
    return from_vector(elements, {8});
  });
  const auto with_host = compile([on_host](const Tensor& x) { return on_host(x * 2.0f) + 1.0f; });
  right = right && near(with_host(a), sign(a) + 1.0f);

  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
