"""Models as courses teach them: each written from its formulas, with what its gradient should be."""

# pyright: reportRedeclaration=false, reportOperatorIssue=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportAttributeAccessIssue=false
from __future__ import annotations

import enum
import functools
import itertools
import math
import random
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from users_checks import agrees_with_python

import ccc


def check_logistic_regression_with_batches() -> None:
    rng = np.random.default_rng(7)

    @dataclass
    class Model:
        w: np.ndarray
        b: float

        def logits(self, X):
            return X @ self.w + self.b

        def loss(self, X, y, l2=1e-2):
            z = self.logits(X)
            return np.mean(np.logaddexp(0.0, z) - y * z) + l2 * np.sum(self.w**2)

    def batches(X, y, size, seed):
        order = np.random.default_rng(seed).permutation(len(X))
        for start in range(0, len(X), size):
            chosen = order[start : start + size]
            yield X[chosen], y[chosen]

    X = np.concatenate([rng.normal(-1.0, 1.0, (30, 2)), rng.normal(1.0, 1.0, (30, 2))])
    y = np.repeat([0.0, 1.0], 30)
    model = Model(np.zeros(2), 0.0)
    step = ccc.value_with_gradient(Model.loss, wrt="self")
    for epoch in range(20):
        for xb, yb in batches(X, y, 16, epoch):
            _, g = step(model, xb, yb)
            model = Model(model.w - 0.5 * g.w, model.b - 0.5 * g.b)
    assert np.mean((model.logits(X) > 0) == (y == 1)) > 0.85
    p = 1.0 / (1.0 + np.exp(-model.logits(X)))
    _, g = step(model, X, y)
    assert np.allclose(g.w, X.T @ (p - y) / len(y) + 2e-2 * model.w)


def check_gaussian_mixture_likelihood_and_em() -> None:
    rng = np.random.default_rng(7)
    xs = np.concatenate([rng.normal(-2.0, 0.5, 40), rng.normal(1.0, 1.0, 60)])

    def log_density(x, mean, log_sd):
        return -0.5 * ((x - mean) / np.exp(log_sd)) ** 2 - log_sd - 0.5 * math.log(2.0 * math.pi)

    def log_likelihood(params, xs):
        logits, means, log_sds = params["logits"], params["means"], params["log_sds"]
        log_w = logits - np.log(np.sum(np.exp(logits)))
        total = 0.0
        for x in xs:
            parts = [log_w[k] + log_density(x, means[k], log_sds[k]) for k in range(2)]
            top = max(parts)
            total += top + math.log(sum(math.exp(p - top) for p in parts))
        return total

    params = {"logits": np.zeros(2), "means": np.array([-1.0, 0.5]), "log_sds": np.zeros(2)}
    agrees_with_python(log_likelihood, params, xs[::5])
    before = -np.inf
    for _ in range(60):
        w = np.exp(params["logits"]) / np.sum(np.exp(params["logits"]))
        dens = np.exp(log_density(xs[:, None], params["means"], params["log_sds"])) * w
        r = dens / dens.sum(axis=1, keepdims=True)
        n = r.sum(axis=0)
        means = r.T @ xs / n
        sds = np.sqrt(np.sum(r * (xs[:, None] - means) ** 2, axis=0) / n)
        params = {"logits": np.log(n / len(xs)), "means": means, "log_sds": np.log(sds)}
        now = log_likelihood(params, xs)
        assert now >= before - 1e-9
        before = now
    g = ccc.gradient(log_likelihood, wrt="params")(params, xs)
    assert all(np.max(np.abs(v)) < 0.5 for v in g.values())


def check_hidden_markov_model() -> None:
    rng = np.random.default_rng(7)

    class Weather(enum.IntEnum):
        SUN = 0
        RAIN = 1

    @dataclass
    class HMM:
        start: np.ndarray
        move: np.ndarray
        emit: np.ndarray

        @staticmethod
        def softmax(z):
            e = np.exp(z - np.max(z, axis=-1, keepdims=True))
            return e / np.sum(e, axis=-1, keepdims=True)

        def forward(self, seen):
            alpha = self.softmax(self.start) * self.softmax(self.emit)[:, seen[0]]
            log_p = 0.0
            for s in seen[1:]:
                scale = np.sum(alpha)
                log_p += np.log(scale)
                alpha = (alpha / scale) @ self.softmax(self.move) * self.softmax(self.emit)[:, s]
            return log_p + np.log(np.sum(alpha))

    def by_paths(model, seen):
        a, m, e = (HMM.softmax(z) for z in (model.start, model.move, model.emit))
        total = 0.0
        for path in itertools.product(Weather, repeat=len(seen)):
            p = a[path[0]] * e[path[0], seen[0]]
            for (i, j), s in zip(itertools.pairwise(path), seen[1:], strict=True):
                p *= m[i, j] * e[j, s]
            total += p
        return math.log(total)

    model = HMM(np.array([0.3, -0.2]), np.array([[0.5, -0.5], [0.0, 1.0]]), rng.normal(size=(2, 3)))
    seen = [0, 2, 1, 1, 0]
    assert abs(model.forward(seen) - by_paths(model, seen)) < 1e-12
    agrees_with_python(lambda m, s: m.forward(s), model, seen)


def check_viterbi_score() -> None:
    log_move = np.log(np.array([[0.7, 0.3], [0.4, 0.6]]))

    def best_path(log_emit, seen):
        scores = {state: log_emit[state, seen[0]] for state in range(2)}
        back = []
        for s in seen[1:]:
            following, chosen = {}, {}
            for j in range(2):
                i, score = max(((i, scores[i] + log_move[i, j]) for i in range(2)), key=lambda t: t[1])
                following[j] = score + log_emit[j, s]
                chosen[j] = i
            scores = following
            back.append(chosen)
        return max(scores.values())

    agrees_with_python(best_path, np.log(np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])), (0, 1, 2, 2))


def check_character_rnn() -> None:
    rng = np.random.default_rng(7)
    text = "hello world, hello ccc"
    vocabulary = sorted(set(text))
    index = {c: i for i, c in enumerate(vocabulary)}
    size, hidden = len(vocabulary), 5

    def one_hot(i):
        v = np.zeros(size)
        v[i] = 1.0
        return v

    def loss(params, text):
        h = np.zeros(hidden)
        total = 0.0
        for now, following in zip(text[:-1], text[1:], strict=True):
            h = np.tanh(params["Wxh"] @ one_hot(index[now]) + params["Whh"] @ h + params["bh"])
            y = params["Why"] @ h + params["by"]
            y = y - np.max(y)
            total -= y[index[following]] - np.log(np.sum(np.exp(y)))
        return total / (len(text) - 1)

    params = {"Wxh": rng.normal(size=(hidden, size)) * 0.3, "Whh": rng.normal(size=(hidden, hidden)) * 0.3,
              "Why": rng.normal(size=(size, hidden)) * 0.3, "bh": np.zeros(hidden), "by": np.zeros(size)}
    agrees_with_python(loss, params, text[:8])


def check_skip_gram_with_negatives() -> None:
    rng = np.random.default_rng(7)
    words = "the cat sat on the mat the dog sat on the log".split()
    counts = Counter(words)
    index = {word: i for i, (word, _) in enumerate(counts.most_common())}
    pairs = [(index[words[i]], index[words[j]]) for i in range(len(words))
             for j in range(max(0, i - 1), min(len(words), i + 2)) if i != j]
    draw = random.Random(0)
    negatives = [[draw.randrange(len(index)) for _ in range(2)] for _ in pairs]

    def log_sigmoid(z):
        return -np.logaddexp(0.0, -z)

    def loss(vectors, pairs, negatives):
        inner, outer = vectors
        total = 0.0
        for (center, context), wrong in zip(pairs, negatives, strict=True):
            total -= log_sigmoid(inner[center] @ outer[context])
            for k in wrong:
                total -= log_sigmoid(-(inner[center] @ outer[k]))
        return total / len(pairs)

    vectors = (rng.normal(size=(len(index), 3)) * 0.5, rng.normal(size=(len(index), 3)) * 0.5)
    agrees_with_python(loss, vectors, pairs, negatives)


def check_convolution_by_loops() -> None:
    rng = np.random.default_rng(7)

    def conv(image, kernel, stride=1):
        n, m = kernel.shape
        rows, cols = (image.shape[0] - n) // stride + 1, (image.shape[1] - m) // stride + 1
        out = np.zeros((rows, cols))
        for i in range(rows):
            for j in range(cols):
                patch = image[i * stride : i * stride + n, j * stride : j * stride + m]
                out[i, j] = np.sum(patch * kernel)
        return out

    def pool(x, k=2):
        out = []
        for i in range(0, x.shape[0] - k + 1, k):
            row = []
            for j in range(0, x.shape[1] - k + 1, k):
                row.append(np.max(x[i : i + k, j : j + k]))
            out.append(row)
        return np.array(out)

    def network(params, image):
        x = np.maximum(conv(image, params["k1"]), 0.01 * conv(image, params["k1"]))
        x = pool(x)
        x = np.tanh(conv(x, params["k2"]))
        return np.sum(x.ravel() * params["w"]) ** 2

    params = {"k1": rng.normal(size=(3, 3)), "k2": rng.normal(size=(2, 2)), "w": rng.normal(size=4)}
    agrees_with_python(network, params, rng.normal(size=(8, 8)))


def check_autoencoder_finds_the_main_direction() -> None:
    rng = np.random.default_rng(7)

    class Layer:
        def __init__(self, n, m, seed):
            self.W = np.random.default_rng(seed).normal(size=(n, m)) * 0.3

        def __call__(self, x):
            return x @ self.W

    class Autoencoder:
        def __init__(self):
            self.encoder = Layer(3, 1, 0)
            self.decoder = Layer(1, 3, 1)

        def loss(self, X):
            return np.mean(np.sum((self.decoder(self.encoder(X)) - X) ** 2, axis=1))

    direction = np.array([2.0, -1.0, 0.5]) / math.sqrt(5.25)
    X = rng.normal(size=(80, 1)) * 2.0 * direction + 0.05 * rng.normal(size=(80, 3))
    X = X - X.mean(axis=0)
    net = Autoencoder()
    slope = ccc.gradient(Autoencoder.loss, wrt="self")
    for _ in range(400):
        g = slope(net, X)
        net.encoder.W = net.encoder.W - 0.03 * g.encoder.W
        net.decoder.W = net.decoder.W - 0.03 * g.decoder.W
    found = net.decoder.W[0] / np.linalg.norm(net.decoder.W)
    assert abs(abs(found @ direction) - 1.0) < 1e-2


def check_variational_autoencoder_loss() -> None:
    rng = np.random.default_rng(7)

    def elbo(params, x, noise):
        match params:
            case {"enc": (W, b), "dec": (V, c)}:
                h = np.tanh(x @ W + b)
                mean, log_var = h[:, :2], h[:, 2:]
                z = mean + np.exp(0.5 * log_var) * noise
                logits = z @ V + c
                fit = np.sum(x * logits - np.logaddexp(0.0, logits))
                kl = -0.5 * np.sum(1.0 + log_var - mean**2 - np.exp(log_var))
                return (kl - fit) / len(x)
            case _:
                raise ValueError("no encoder")

    params = {"enc": (rng.normal(size=(5, 4)) * 0.4, np.zeros(4)), "dec": (rng.normal(size=(2, 5)) * 0.4, np.zeros(5))}
    x = (rng.random((6, 5)) > 0.5).astype(float)
    agrees_with_python(elbo, params, x, rng.normal(size=(6, 2)))


def check_policy_gradient_on_a_corridor() -> None:

    class Corridor:
        def __init__(self, length=5):
            self.length = length
            self.at = 0

        def step(self, action):
            self.at = max(0, self.at + (1 if action else -1))
            done = self.at >= self.length
            return self.at, (1.0 if done else -0.1), done

    def episode(theta, seed):
        env, dice = Corridor(), random.Random(seed)
        states, actions, rewards = [], [], []
        state = 0
        for _ in range(30):
            action = int(dice.random() < 1.0 / (1.0 + math.exp(-theta[min(state, 4)])))
            states.append(min(state, 4))
            actions.append(action)
            state, reward, done = env.step(action)
            rewards.append(reward)
            if done:
                break
        return states, actions, rewards

    def surrogate(theta, states, actions, returns):
        total = 0.0
        for s, a, r in zip(states, actions, returns, strict=True):
            p = 1.0 / (1.0 + math.exp(-theta[s]))
            total += r * math.log(p if a else 1.0 - p)
        return total

    theta = [0.0] * 5
    climb = ccc.gradient(surrogate, wrt="theta")
    for seed in range(150):
        states, actions, rewards = episode(theta, seed)
        returns = list(itertools.accumulate(reversed(rewards)))[::-1]
        g = climb(theta, states, actions, returns)
        theta = [t + 0.1 * d for t, d in zip(theta, g, strict=True)]
    assert all(t > 0.3 for t in theta)
    states, actions, rewards = episode(theta, 0)
    agrees_with_python(surrogate, theta, states, actions, rewards)


def check_attention_head() -> None:
    rng = np.random.default_rng(7)

    @dataclass(frozen=True)
    class Head:
        query: np.ndarray
        key: np.ndarray
        value: np.ndarray
        causal: bool = field(default=True, metadata={"static": True})

        def __call__(self, x):
            q, k, v = x @ self.query, x @ self.key, x @ self.value
            scores = q @ k.T / math.sqrt(q.shape[-1])
            if self.causal:
                scores = np.where(np.tri(len(x)) > 0, scores, -1e9)
            weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
            return weights / weights.sum(axis=-1, keepdims=True) @ v

    head = Head(*[rng.normal(size=(4, 3)) * 0.5 for _ in range(3)])
    agrees_with_python(lambda h, x: np.sum(h(x) ** 3), head, rng.normal(size=(5, 4)))
    x = rng.normal(size=(5, 4))
    changes = ccc.jacobian(lambda x: np.sum(head(x), axis=1))(x)
    assert np.allclose(changes[0, 1:], 0.0) and np.any(changes[4, 0] != 0.0)


def check_soft_decision_tree() -> None:

    @dataclass
    class Leaf:
        value: float

    @dataclass
    class Split:
        feature: int
        threshold: float
        left: Leaf | Split
        right: Leaf | Split

    def predict(tree, x):
        match tree:
            case Leaf(value):
                return value
            case Split(feature, threshold, left, right):
                p = 1.0 / (1.0 + math.exp(-(x[feature] - threshold) * 4.0))
                return (1.0 - p) * predict(left, x) + p * predict(right, x)

    tree = Split(0, 0.3, Leaf(1.0), Split(1, -0.2, Leaf(2.0), Leaf(-1.0)))
    slope = ccc.gradient(lambda t, x: predict(t, x), wrt=0)(tree, (0.5, 0.1))
    h = 1e-6
    up, down = (predict(Split(0, 0.3 + d, tree.left, tree.right), (0.5, 0.1)) for d in (h, -h))
    assert abs(slope.threshold - (up - down) / (2.0 * h)) < 1e-8
    p = [1.0 / (1.0 + math.exp(-4.0 * d)) for d in (0.2, 0.3)]
    assert abs(slope.right.right.value - p[0] * p[1]) < 1e-12


def check_optimisers_as_closures() -> None:

    def sgd(rate):
        def update(w, g):
            return w - rate * g

        return update

    def momentum(rate, keep=0.9):
        speed = 0.0

        def update(w, g):
            nonlocal speed
            speed = keep * speed - rate * g
            return w + speed

        return update

    def adam(rate, b1=0.9, b2=0.999):
        m = v = 0.0
        t = 0

        def update(w, g):
            nonlocal m, v, t
            t += 1
            m, v = b1 * m + (1.0 - b1) * g, b2 * v + (1.0 - b2) * g * g
            return w - rate * (m / (1.0 - b1**t)) / (math.sqrt(v / (1.0 - b2**t)) + 1e-8)

        return update

    def trained(rate, kind):
        update = {"sgd": sgd, "momentum": momentum, "adam": adam}[kind](rate)
        w = 3.0
        for _ in range(8):
            w = update(w, 2.0 * (w - 1.0) + 0.1 * math.sin(5.0 * w))
        return (w - 1.0) ** 2

    for kind in ("sgd", "momentum", "adam"):
        agrees_with_python(trained, 0.05, kind)


def check_naive_bayes_with_counts() -> None:
    texts = [("spam", "win money now"), ("ham", "see you now"), ("spam", "money money win"), ("ham", "you win")]
    documents = [(label, text.split()) for label, text in texts]

    def log_evidence(alpha, documents):
        counts: dict[str, Counter] = defaultdict(Counter)
        for label, words in documents:
            counts[label].update(words)
        vocabulary = sorted({w for _, words in documents for w in words})
        total = 0.0
        for label, words in documents:
            size = sum(counts[label].values())
            for word in words:
                total += math.log((counts[label][word] + alpha) / (size + alpha * len(vocabulary)))
        return total

    agrees_with_python(log_evidence, 0.7, documents)


def check_ensemble_with_a_window_of_losses() -> None:

    def weights(rate, losses):
        recent: deque = deque(maxlen=3)
        w = [1.0, 1.0]
        for pair in losses:
            recent.append(pair)
            mean = [sum(p[k] for p in recent) / len(recent) for k in range(2)]
            w = [wk * math.exp(-rate * m) for wk, m in zip(w, mean, strict=True)]
            total = sum(w)
            w = [wk / total for wk in w]
        return w[0] * 3.0 + w[1] ** 2

    agrees_with_python(weights, 0.4, [(0.5, 1.0), (0.2, 0.1), (1.5, 0.3), (0.9, 0.8), (0.1, 0.7)])


def check_layers_composed() -> None:
    rng = np.random.default_rng(7)
    def dense(W, b) -> Callable:
        return lambda x: x @ W + b

    def residual(inner: Callable) -> Callable:
        return lambda x: x + inner(x)

    def compose(*layers: Callable) -> Callable:
        return functools.reduce(lambda f, g: lambda x: g(f(x)), layers)

    def loss(params, x):
        (W1, b1), (W2, b2) = params
        return np.sum(compose(dense(W1, b1), np.tanh, residual(dense(W2, b2)), np.tanh)(x) ** 2)

    params = [(rng.normal(size=(3, 4)), np.zeros(4)), (rng.normal(size=(4, 4)), np.ones(4))]
    agrees_with_python(loss, params, rng.normal(size=(2, 3)))


def check_schedule_as_a_generator() -> None:

    def warm_up_then_decay(peak, steps):
        k = 0
        while True:
            yield peak * min(1.0, (k + 1) / steps) * 0.9 ** max(0, k - steps)
            k += 1

    def trained(peak, steps):
        rates = warm_up_then_decay(peak, steps)
        w = 2.0
        for _ in range(12):
            w -= next(rates) * (w**3 - w)
        return w * w

    agrees_with_python(trained, 0.2, 4)


def check_triplets_from_a_stream() -> None:
    rng = np.random.default_rng(7)

    def triplets(points: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
        for i, j in itertools.combinations(range(len(points)), 2):
            for k in range(len(points)):
                if k not in (i, j) and i % 2 == j % 2 != k % 2:
                    yield points[i], points[j], points[k]

    def loss(W, points):
        return sum(max(0.0, np.sum((a - p) ** 2) - np.sum((a - n) ** 2) + 1.0) for a, p, n in triplets(points @ W))

    agrees_with_python(loss, rng.normal(size=(3, 2)), rng.normal(size=(5, 3)))
