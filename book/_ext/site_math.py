r"""Reserve the room a formula will need, so that the page does not move when it is drawn.

Formulas are drawn in the reader's browser after the text is shown. Until then the raw TeX would
take several times the room of the formula, and everything below would jump. The sizes here are
estimates in em, from the usual widths of the letters; the style sheet applies them only until the
formula is drawn. An error of a few per cent costs a line break at most.
"""

import html
import re

TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|\s+|.", re.DOTALL)
INLINE = re.compile(r'<span class="math([^"]*)">\\\((.*?)\\\)</span>', re.DOTALL)
DISPLAY = re.compile(r'<div class="math([^"]*)"([^>]*)>(.*?)\\\[(.*?)\\\]</div>', re.DOTALL)
PADDING = 0.6  # above and below a displayed formula, in companion.css
SCRIPT = 0.71  # size of an exponent, an index, or a part of a fraction in the text


def _tokens(text: str) -> set[str]:
    return set(text.split())


NO_WIDTH = _tokens(
    r"\left \right \big \Big \bigl \bigr \Bigl \Bigr \bigg \hat \widehat \tilde \widetilde \bar"
    r" \vec \overline \underline \mathrm \mathbf \mathbb \mathcal \mathsf \boldsymbol \text"
    r" \textbf \textit \displaystyle \textstyle \limits \nolimits \! \label &"
)
RELATIONS = _tokens(
    r"= < > : \le \leq \ge \geq \ne \neq \approx \in \notin \sim \propto \subset \subseteq \equiv"
    r" \Rightarrow \Leftrightarrow \iff"
)
OPERATORS = _tokens(r"+ - * \cdot \times \pm \oplus \setminus \cup \cap \circ \wedge \vee")
SPACES = {r"\,": 0.17, r"\:": 0.22, r"\;": 0.28, r"\ ": 0.25, r"\quad": 1.0, r"\qquad": 2.0}
WIDE = {r"\sum": 1.25, r"\prod": 1.15, r"\int": 0.8, r"\dots": 1.3, r"\ldots": 1.3, r"\cdots": 1.3}
WIDE |= {r"\infty": 1.0, r"\operatorname": 0.1, r"\sqrt": 0.85, r"\mid": 0.83, r"\to": 1.56}
WIDE |= {r"\mapsto": 1.56, r"\varepsilon": 0.47, r"\epsilon": 0.41, r"\ell": 0.42}
NAMES = _tokens(r"\log \ln \exp \max \min \sup \inf \arg \Pr \tanh \sinh \cosh \det \dim")


def reserve(body: str) -> str:
    """Write the estimated width or height of every formula of a page into its style."""
    body = INLINE.sub(_inline, body)
    return DISPLAY.sub(_display, body)


def _inline(match: re.Match[str]) -> str:
    room = width(html.unescape(match[2]))
    return f'<span class="math{match[1]}" style="--room:{room:.2f}em">\\({match[2]}\\)</span>'


def _display(match: re.Match[str]) -> str:
    room = height(html.unescape(match[4]))
    style = f'style="--room:{room:.2f}em"'
    return f'<div class="math{match[1]}" {style}{match[2]}>{match[3]}\\[{match[4]}\\]</div>'


def height(tex: str) -> float:
    """Estimate the height of a displayed formula: the sum over its rows, and the space around."""
    rows = [row for row in re.split(r"\\\\(?:\[[^]]*\])?", tex) if row.strip()]
    return sum(_row_height(row) for row in rows) + 0.3 * (len(rows) - 1) + PADDING


def _row_height(row: str) -> float:
    if re.search(r"\\(?:sum|prod)", row):
        return 2.95
    if re.search(r"\\(?:d?frac|binom)", row):
        return 2.3
    return 1.1


def width(tex: str) -> float:
    """Estimate the width of a formula in the line."""
    tokens = [token for token in TOKEN.findall(tex) if not token.isspace()]
    return _sequence(tokens, 0, stop=None)[0]


def _sequence(tokens: list[str], at: int, stop: str | None) -> tuple[float, int]:
    """Width of the tokens up to `stop`, and the position after it."""
    total, scripts = 0.0, (-1, 0.0)  # where the last exponent or index ended, and its width
    while at < len(tokens) and tokens[at] != stop:
        token = tokens[at]
        if token in ("^", "_"):
            inner, end = _argument(tokens, at + 1)
            inner *= SCRIPT
            before = scripts[1] if scripts[0] == at else 0.0  # x_a^b: one above the other
            total += max(inner, before) - before
            scripts, at = (end, max(inner, before)), end
        elif token in (r"\frac", r"\dfrac", r"\tfrac", r"\binom"):
            above, at = _argument(tokens, at + 1)
            below, at = _argument(tokens, at)
            total += SCRIPT * max(above, below) + 0.24
        elif token in (r"\begin", r"\end"):
            at = _argument(tokens, at + 1)[1]
        else:
            inner, at = _argument(tokens, at)
            total += inner
    return total, at + 1


def _argument(tokens: list[str], at: int) -> tuple[float, int]:
    """Width of one token or one braced group, and the position after it."""
    if at >= len(tokens):
        return 0.0, at
    if tokens[at] == "{":
        return _sequence(tokens, at + 1, stop="}")
    return _symbol(tokens[at]), at + 1


def _symbol(token: str) -> float:
    if token in NO_WIDTH or token == "}":
        return 0.0
    if token in RELATIONS:
        return 1.33
    if token in OPERATORS:
        return 1.22
    if token in NAMES:
        return 0.47 * (len(token) - 1) + 0.15
    for table in (SPACES, WIDE):
        if token in table:
            return table[token]
    if token in "()[]|.,;'!/" or token.startswith("\\l") or token.startswith("\\r"):
        return 0.39
    if token.isdigit():
        return 0.5
    return 0.74 if token.isupper() else 0.52
