r"""Reserve the room a formula will need, so that the page does not move when it is drawn.

Formulas are drawn in the reader's browser after the text is shown. Until then the raw TeX would
take several times the room of the formula, and everything below would jump. The sizes here are
estimates in em, from the widths of the letters in MathJax's font and TeX's rules of spacing; the
style sheet applies them only until the formulas are drawn.
"""

import html
import re

TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
INLINE = re.compile(r'<span class="math([^"]*)">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="math([^"]*)"([^>]*)>(.*?)\\\[(.*?)\\\]</div>', re.DOTALL)
FRACTION = re.compile(r"\\[dt]?frac|\\binom")
SCRIPT = 0.71  # size of an exponent, an index, or a part of a fraction in the text
PADDING = 0.6  # above and below a displayed formula, in companion.css


def _widths(text: str) -> dict[str, float]:
    pairs = iter(text.split())
    return {token: int(hundredths) / 100 for token, hundredths in zip(pairs, pairs, strict=True)}


WIDTHS = _widths(
    r"a 53 b 43 c 43 d 52 e 47 f 55 g 48 h 58 i 34 j 41 k 52 l 30 m 88 n 60 o 48 p 50 q 46 r 45"
    r" s 47 t 36 u 57 v 48 w 72 x 57 y 49 z 46 A 75 B 76 C 76 D 83 E 76 F 75 G 79 H 89 I 50 J 63"
    r" K 89 L 68 M 105 N 89 O 76 P 75 Q 79 R 76 S 64 T 70 U 77 V 77 W 105 X 85 Y 76 Z 72 ( 39 ) 39"
    r" [ 28 ] 28 | 28 / 50 ! 28 , 45 ; 45 . 28 ' 19 \{ 50 \} 50 \alpha 64 \beta 57 \gamma 54"
    r" \delta 44 \epsilon 41 \varepsilon 47 \eta 50 \theta 47 \kappa 58 \lambda 58 \mu 60 \nu 53"
    r" \pi 57 \rho 52 \sigma 57 \tau 52 \phi 60 \varphi 65 \psi 65 \omega 62 \Delta 83 \Theta 78"
    r" \Lambda 69 \Pi 75 \Phi 72 \Omega 72 \ell 42 \infty 100 \sum 123 \prod 111 \int 78 \dots 134"
    r" \ldots 134 \cdots 134 \lceil 44 \rceil 44 \lfloor 44 \rfloor 44 \sqrt 85 \operatorname 10"
    r" \log 140 \ln 90 \exp 160 \max 190 \min 175 \sup 150 \inf 135 \arg 145 \Pr 120 \tanh 210"
    r" \, 17 \: 22 \; 28 \quad 100 \qquad 200 \left 0 \right 0 \big 0 \Big 0 \bigl 0 \bigr 0"
    r" \Bigl 0 \Bigr 0 \bigg 0 \hat 0 \widehat 0 \tilde 0 \widetilde 0 \bar 0 \vec 0 \overline 0"
    r" \underline 0 \mathrm 0 \mathbf 0 \mathbb 0 \mathcal 0 \mathsf 0 \boldsymbol 0 \text 0"
    r" \textbf 0 \textit 0 \displaystyle 0 \textstyle 0 \limits 0 \nolimits 0 \! 0 \label 0 & 0 } 0"
)
RELATIONS = _widths(
    r"= 78 < 78 > 78 : 28 \le 78 \leq 78 \ge 78 \geq 78 \ne 78 \neq 78 \approx 78 \in 67"
    r" \notin 67 \sim 78 \propto 78 \subset 78 \subseteq 78 \equiv 78 \to 100 \mapsto 100 \mid 28"
    r" \Rightarrow 100 \iff 178"
)
OPERATORS = _widths(
    r"+ 78 - 78 * 50 \cdot 28 \times 78 \pm 78 \oplus 78 \setminus 50 \cup 67 \cap 67 \wedge 67"
)
OTHER_SYMBOL = 0.52


def reserve(body: str) -> str:
    """Write the estimated width or height of every formula of a page into its style."""
    body = INLINE.sub(_inline, body)
    return DISPLAY.sub(_display, body)


def _inline(match: re.Match[str]) -> str:
    style = f"--room:{width(html.unescape(match[2])):.2f}em"
    if FRACTION.search(match[2]):
        style += ";--rise:1.6em"  # taller than a line of text
    return f'<span class="math{match[1]}" style="{style}">\\({match[2]}\\)</span>'


def _display(match: re.Match[str]) -> str:
    style = f'style="--room:{height(html.unescape(match[4])):.2f}em"'
    return f'<div class="math{match[1]}" {style}{match[2]}>{match[3]}\\[{match[4]}\\]</div>'


def height(tex: str) -> float:
    """Estimate the height of a displayed formula: the sum over its rows, and the space around."""
    rows = [row for row in re.split(r"\\\\(?:\[[^]]*\])?", tex) if row.strip()]
    return sum(_row_height(row) for row in rows) + 0.3 * (len(rows) - 1) + PADDING


def _row_height(row: str) -> float:
    if re.search(r"\\(?:sum|prod)", row):
        return 2.95
    return 2.3 if FRACTION.search(row) else 1.1


def width(tex: str) -> float:
    """Estimate the width of a formula in the line."""
    tokens = [token for token in TOKEN.findall(tex) if not token.isspace()]
    return _sequence(tokens, 0, None, spaced=True)[0]


def _sequence(tokens: list[str], at: int, stop: str | None, *, spaced: bool) -> tuple[float, int]:
    """Width of the tokens up to `stop`, and the position after it.

    Signs have space around them unless `spaced` is false, as in exponents and fractions.
    """
    total, unary = 0.0, True
    script_end, script = -1, 0.0  # where the last exponent or index ended, and its width
    while at < len(tokens) and tokens[at] != stop:
        token = tokens[at]
        if token in ("^", "_"):
            inner, end = _argument(tokens, at + 1, spaced=False)
            before = script if script_end == at else 0.0  # x_a^b: one above the other
            script_end, script = end, max(SCRIPT * inner + 0.06, before)
            total, at = total + script - before, end
        elif FRACTION.fullmatch(token):
            above, at = _argument(tokens, at + 1, spaced=False)
            below, at = _argument(tokens, at, spaced=False)
            total += SCRIPT * max(above, below) + 0.34
        elif token in (r"\begin", r"\end"):
            at = _argument(tokens, at + 1, spaced=False)[1]
        elif token in OPERATORS or token in RELATIONS:
            space = 0.56 if token in RELATIONS else 0.44
            total += (RELATIONS | OPERATORS)[token] + space * (spaced and not unary)
            at += 1
        else:
            inner, at = _argument(tokens, at, spaced=spaced)
            total += inner
        unary = token in RELATIONS or token in OPERATORS or token in "([,"
    return total, at + 1


def _argument(tokens: list[str], at: int, *, spaced: bool) -> tuple[float, int]:
    """Width of one token or one braced group, and the position after it."""
    if at >= len(tokens):
        return 0.0, at
    token = tokens[at]
    if token == "{":
        return _sequence(tokens, at + 1, "}", spaced=spaced)
    known = WIDTHS | RELATIONS | OPERATORS
    return known.get(token, OTHER_SYMBOL), at + 1
