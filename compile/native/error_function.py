"""The error function and its complement as formulas.

    erf x = x P(x²) for |x| < 3/4, else 1 - erfc x
    erfc x = e^(-x²) Q(q) / (1 + 2x) for x >= 3/4, q = (x - k) / (x + k), which maps the half line to an interval

`Q` is fitted twice: on 3/4 <= x <= 6 with small absolute error of erfc, which is all that `1 - erfc x` needs, and on
3/4 <= x <= 28 with small relative error, where `x²` has two doubles. `P` and `Q` are minimax polynomials, found by
Remez' exchange in 60 digits and then rounded to doubles.
"""

from __future__ import annotations

from ccc.compile.native.exponentials import exp, exp_of_sum
from ccc.compile.native.formula import Formula, Value

P_COEFFICIENTS = (
    0.1283791670955126, -0.37612638903183715, 0.11283791670952632, -0.026866170644436842, 0.005223977615516812,
    -0.0008548326195134432, 0.00012055289824684686, -1.4924202728388155e-05, 1.6430781156980321e-06,
    -1.5940877687086615e-07, 1.1475381369850015e-08,
)  # fmt: skip
"""erf x / x - 1 in x², for |x| <= 3/4."""

Q_NEAR, Q_FAR = 2.0, 3.5
Q_NEAR_COEFFICIENTS = (
    1.2769783815525293, -0.09276382658574193, -0.16603039761596247, 0.16405128002387687, -0.05422000095613087,
    -0.008034013837256904, 0.008722659272265012, 0.0012713154057370907, -0.0014570804321578845,
    -0.00045499450022397397, 0.00020762861550996964, 0.00016193393876469007, 2.5073627099568873e-05,
    -5.780427017160615e-06,
)  # fmt: skip
"""(1 + 2x) e^(x²) erfc x in (x - 2) / (x + 2), for 3/4 <= x <= 6."""

Q_FAR_COEFFICIENTS = (
    1.2423492448711544, -0.14000918013761934, -0.01055559633222145, 0.09751909515324833, -0.11508959815995964,
    0.08798315382527022, -0.048823325834558076, 0.019099330935734807, -0.0042150198103364, -0.0003022678261707293,
    0.0005643835927041392, -0.00012151256912051112, -4.277795004823213e-05, 2.426054911869385e-05,
    2.3144649042518434e-06, -3.8101671198211605e-06, -1.7012967929421444e-08, 5.870793897292821e-07,
    -3.7732272009111054e-08, -7.437489149146546e-08, 1.450061476619811e-08,
)  # fmt: skip
"""(1 + 2x) e^(x²) erfc x in (x - 7/2) / (x + 7/2), for 3/4 <= x <= 28."""


def erf_near_zero(f: Formula, x: Value) -> Value:
    return f.fma(x, f.polynomial(x * x, P_COEFFICIENTS), x)


def erf(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    far = (a > 6.0).where(6.0, a)
    q = f.steady_polynomial((far - Q_NEAR) / (far + Q_NEAR), Q_NEAR_COEFFICIENTS)
    tail = exp(f, -(far * far)) * q / f.fma(far, 2.0, 1.0)
    return f.signed_like((a < 0.75).where(erf_near_zero(f, a), 1.0 - tail), x)


def erfc(f: Formula, x: Value) -> Value:
    a = f.magnitude(x)
    far = (a > 28.0).where(28.0, a)
    q = f.steady_polynomial((far - Q_FAR) / (far + Q_FAR), Q_FAR_COEFFICIENTS)
    divisor, divisor_low = f.fast_two_sum(far + far, 1.0)
    inverse = 1.0 / divisor
    ratio = q * inverse
    p, p_low = f.two_product(ratio, divisor)
    ratio_low = (((q - p) - p_low) - ratio * divisor_low) * inverse
    square, low = f.two_product(far, far)
    tail = exp_of_sum(f, -square, -low, (ratio, ratio_low))
    tail = (x < 0.0).where(2.0 - tail, tail)
    return (a < 0.75).where(1.0 - erf_near_zero(f, x), tail)
