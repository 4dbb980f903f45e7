"""Formulas that JupyterLab finds in a report, and those of them that are prose between two dollars.

It cuts formulas out of Markdown first (`removeMath` of @jupyterlab/rendermime, which spares code);
then MathJax looks at each text of the rendered page, where `\\$` and `&#36;` are dollars, too.
"""

import html
import re

import nbformat

CODE = re.compile(r"^(`{3,}|~{3,}).*?^\1|(`+)[^`\n].*?\2|<(code|pre)\b.*?</\3>", re.S | re.M)
FORMULA = re.compile(r"(\$\$?)((?:(?!\n\s*\n)[^$])+)\1(\d?)")
NAMES = re.compile(r"\\text\{.*?\}|_\{.*?\}|\\[A-Za-z]+")

# texts in which JupyterLab shows a formula, or none
KNOWN = {
    "blinds of $50 and $100": True,
    r"\$50 and \$100": True,
    "&#36;50 and &#36;100": True,
    "<span>$</span>50 and <span>$</span>100": True,
    "| won | lost |\n| ---: | ---: |\n| $1 | $2 |": True,
    "<span>&#36;</span>50 and <span>&#36;</span>100": False,
    "`$50 and $100`": False,
    "```\n$50 and $100\n```": False,
    "$50\n\n$100": False,
    "$50": False,
    "$$x_1$$": True,
}


def formulas(text: str, markdown: bool = True) -> list[tuple[str, str]]:
    """Formulas in Markdown or HTML, each with the digit that follows its end."""
    text = CODE.sub("", text)
    rendered = html.unescape("\n\n".join(re.split(r"<[^>]*>", text))).replace("\\$", "$")
    source = text.replace("\\$", "") if markdown else ""
    return [found[1:] for found in FORMULA.findall(f"{source}\n\n{rendered}")]


def prose_in_formulas(path) -> list[str]:
    """Formulas of a report that hold a word or the border of a table's cell, or end at a price."""
    shown = []
    for cell in nbformat.read(path, as_version=4).cells:
        shown += [output.get("data", {}) for output in cell.get("outputs", [])]
        shown += [{"text/markdown": cell.source}] * (cell.cell_type == "markdown")
    kinds = ("text/markdown", "text/html")
    texts = [(data[kind], kind == kinds[0]) for data in shown for kind in kinds if kind in data]
    found = [pair for text in texts for pair in formulas(*text)]
    return [body for body, end in found if end or re.search(r"[A-Za-z]{2}|\|", NAMES.sub("", body))]
