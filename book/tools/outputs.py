"""What executed cells may show, and what of the machine is taken out before it is published."""

import base64
import io
import re
from pathlib import Path

import nbformat
from PIL import Image

ADDRESS = re.compile(r" at 0x[0-9a-f]{6,}")


def place(cell: nbformat.NotebookNode) -> str:
    """Where a cell stands, for a message: its number among the code cells and its line."""
    mark = cell.metadata["ldp"]
    return f"code cell {mark['code_cell']} (line {mark['line'] + 1})"


def texts(cell: nbformat.NotebookNode) -> list[str]:
    """All text that a cell's outputs put on the page."""
    found = []
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            found.append(output.text)
        elif "data" in output:
            found += [str(v) for mime, v in output.data.items() if mime.startswith("text/")]
    return found


def images(cell: nbformat.NotebookNode) -> int:
    """Number of images that a cell shows."""
    shown = [o.data for o in cell.get("outputs", []) if "data" in o]
    return sum(any(mime.startswith("image/") for mime in data) for data in shown)


def first_fault(notebook: nbformat.NotebookNode, root: Path) -> tuple[str, str] | None:
    """First output that must not be published: a warning, an address, a path, a mute figure."""
    for cell in notebook.cells:
        if cell.cell_type != "code" or "ldp" not in cell.metadata:
            continue
        if message := _fault(cell, root):
            return place(cell), message
    return None


def _fault(cell: nbformat.NotebookNode, root: Path) -> str | None:
    for output in cell.outputs:
        if output.output_type == "stream" and output.name == "stderr":
            return f"the cell wrote to stderr: {output.text.strip()}"
    for text in texts(cell):
        if ADDRESS.search(text):
            return f"the cell shows a memory address: {ADDRESS.search(text).group().strip()}"
        if str(root) in text or str(Path.home()) + "/" in text:
            return "the cell shows a path of this machine"
    options = cell.metadata.get("mystnb", {})
    if images(cell) and not options.get("image", {}).get("alt"):
        return "the cell shows an image without alternative text (mystnb: image: alt)"
    return None


def strip(notebook: nbformat.NotebookNode, profile: str) -> None:
    """Remove paths, times and whatever else would differ between two equal runs."""
    language = notebook.metadata.get("language_info", {})
    kept = ("name", "file_extension", "mimetype", "pygments_lexer")
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
            "language_info": {field: language[field] for field in kept if field in language},
            "ldp": {"profile": profile},
        }
    )
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = merge_streams(cell.outputs)
            for output in cell.outputs:
                if "image/png" in output.get("data", {}):
                    output.data["image/png"] = lighten(output.data["image/png"])
        for volatile in ("papermill", "execution", "ldp"):
            cell.metadata.pop(volatile, None)
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.metadata["tags"] = ["injected-parameters", "remove-cell"]
            cell["id"] = "injected-parameters"


def lighten(png: str) -> str:
    """Write an opaque figure with 256 colours: a third of the bytes, and no difference to the eye.

    A picture that is not opaque stays as it is, for a palette would lose its edges.
    """
    image = Image.open(io.BytesIO(base64.b64decode(png)))
    if image.convert("RGBA").getextrema()[3] != (255, 255):
        return png
    file = io.BytesIO()
    few = image.convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(file, "png", optimize=True)
    return base64.b64encode(file.getvalue()).decode("ascii")


def merge_streams(given: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join pieces of one printed text: where the kernel cut it depends on the clock."""
    merged: list[nbformat.NotebookNode] = []
    for output in given:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last["text"] += output.text
        else:
            merged.append(output)
    return merged
