"""JAX on the problems of problems.hpp, on its GPU: "<clock> jit <problem> <sizes>"."""

import jax
import jax.numpy as jnp
import peer
import sample
from jax import nn

jax.config.update("jax_default_matmul_precision", "highest")
has_gpu = jax.default_backend() == "gpu"


class JaxSample(sample.Sample):
    def wait(self, result):
        jax.block_until_ready(result)


def random(*shape, dtype=jnp.float32):
    return jax.random.normal(jax.random.key(sum(shape)), shape, dtype)


def called(function, *arguments):
    """A case that is one function of arrays."""
    run = jax.jit(function)
    return lambda: run(*arguments)


def pointwise(n):
    return called(lambda x, y: nn.gelu(x * y + 1, approximate=False) * x, random(n), random(n))


def softmax(m, n):
    return called(lambda x: nn.softmax(x, -1), random(m, n))


def norm(x, w, b):
    mean = x.mean(-1, keepdims=True)
    variance = x.var(-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * w + b


def layer_norm(m, n):
    return called(norm, random(m, n), random(n), random(n))


def layer_norm_gradients(m, n):
    def both(x, w, b, g):
        y, pull = jax.vjp(norm, x, w, b)
        return y, pull(g)

    return called(both, random(m, n), random(n), random(n), random(m, n))


def adamw_of(values, gradients, state, rate=1e-3, decay=1e-2):
    """The values and state after a step; state is the number of the step and both moments."""
    count, first, second = state
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)

    def update(p, m, v):
        root = jnp.sqrt(v / (1 - 0.999**count)) + 1e-8
        return p * (1 - rate * decay) - rate * m / (1 - 0.9**count) / root

    return jax.tree.map(update, values, first, second), (count, first, second)


def stepping(step, *state):
    """A case whose calls go on from what the last one gave, in the same memory."""
    run, held = jax.jit(step, donate_argnums=tuple(range(len(state)))), [state]

    def body():
        held[0] = run(*held[0])
        return held[0]

    return body


def zeros_like(values):
    return jax.tree.map(jnp.zeros_like, values)


def adamw(count, m, n):
    values = [random(m, n) for _ in range(count)]
    gradients = [random(m, n) for _ in range(count)]
    state = (jnp.float32(0), zeros_like(values), zeros_like(values))
    return stepping(lambda values, state: adamw_of(values, gradients, state), values, state)


def product(m, n, k):
    x, w = random(m, k, dtype=jnp.bfloat16), random(n, k, dtype=jnp.bfloat16)
    return called(lambda x, w, b: nn.gelu(x @ w.T + b), x, w, random(n, dtype=jnp.bfloat16))


def attention(batch, heads, length, width, causal=False):
    q, k, v = (random(batch, length, heads, width, dtype=jnp.bfloat16) for _ in range(3))
    implementation = "cudnn" if has_gpu else None
    return called(
        lambda q, k, v: nn.dot_product_attention(q, k, v, is_causal=causal,
                                                 implementation=implementation), q, k, v)


def linear(m, n):
    return random(m, n) / m**0.5, random(n)


def layers(depth):
    first = linear(10, 10)
    blocks = [(linear(10, 10), linear(10, 10)) for _ in range(depth)]

    def model(first, blocks, x):
        h = x @ first[0] + first[1]
        for (w1, b1), (w2, b2) in blocks:
            h = nn.relu(nn.sigmoid(nn.relu(h @ w1 + b1)) @ w2 + b2)
        return h

    return called(model, first, blocks, random(10, 10))


def digits(steps):
    x, y = random(64, 64), jax.random.randint(jax.random.key(1), (64,), 0, 10)
    network = [linear(64, 128), linear(128, 128), linear(128, 10)]

    def loss_of(network):
        h = x
        for w, b in network[:-1]:
            h = nn.gelu(h @ w + b, approximate=False)
        scores = nn.log_softmax(h @ network[-1][0] + network[-1][1])
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    def step(network, state):
        return adamw_of(network, jax.grad(loss_of)(network), state)

    once = stepping(step, network, (jnp.float32(0), zeros_like(network), zeros_like(network)))

    def body():
        for _ in range(steps):
            result = once()
        return result

    return body


class Cases:
    TABLE = {
        "pointwise": pointwise,
        "softmax": softmax,
        "layer_norm": layer_norm,
        "layer_norm_gradients": layer_norm_gradients,
        "adamw": adamw,
        "product": product,
        "attention": attention,
        "attention_causal": lambda *sizes: attention(*sizes, causal=True),
        "layers": layers,
        "digits": digits,
    }

    def __contains__(self, name):
        clock, mode, problem, _ = name.split(" ")
        return has_gpu and clock != "events" and mode == "jit" and problem in self.TABLE

    def __getitem__(self, name):
        def prepare():
            clock, _, problem, sizes = name.split(" ")
            return sample.Body(self.TABLE[problem](*map(int, sizes.split("x"))), clock)

        return prepare


if __name__ == "__main__":
    peer.serve(Cases(), lambda threads: None, sampler=JaxSample)
