"""The pictures of the report on the home page: python docs/measured/picture.py

It makes a report on the built-in corpus and shows the top of it with two of its sections, for light
and for dark pages. It needs playwright and Chromium; it writes docs/_static/report-light.png and
report-dark.png.
"""

import base64
import shutil
import struct
import sys
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from playwright.sync_api import Page, sync_playwright

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "_ext"))

from live_report import write_report  # noqa: E402

WIDTH, HEIGHT = 1080, 1010
LIMIT = 200_000
# The sections side by side, without their lists.
STYLE = """
nav, footer, section:not(#confusion, #learning), section h3, section ol, .advice { display: none }
main { display: grid; grid-template-columns: 3fr 2fr; gap: 1rem; align-items: start }
section { margin: 0 !important; min-width: 0 }
.charts { display: block !important }
header { margin-bottom: 1.2rem; padding-top: 1.2rem !important }
.summary { max-width: none !important }
"""
PIXELS = """async (png) => {
  const image = new Image(); image.src = "data:image/png;base64," + png; await image.decode();
  const canvas = new OffscreenCanvas(image.width, image.height), g = canvas.getContext("2d");
  g.drawImage(image, 0, 0);
  const bytes = g.getImageData(0, 0, image.width, image.height).data;
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""


def indexed(rgb: np.ndarray) -> bytes:
    """A PNG of 256 colors: the commonest, and for every other pixel the nearest of them."""
    height, width, _ = rgb.shape
    colors, inverse, counts = np.unique(
        rgb.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True
    )
    palette = colors[np.argsort(-counts)[:256]].astype(int)
    nearest = np.array([np.abs(palette - c).sum(axis=1).argmin() for c in colors.astype(int)])
    rows = nearest[inverse].reshape(height, width).astype(np.uint8)
    lines = b"".join(b"\0" + row.tobytes() for row in rows)

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    parts = [(b"IHDR", head), (b"PLTE", palette.astype(np.uint8).tobytes())]
    parts += [(b"IDAT", zlib.compress(lines, 9)), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(*part) for part in parts)


def picture(page: Page) -> bytes:
    page.add_style_tag(content=STYLE)
    png = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": HEIGHT})
    raw = page.evaluate(PIXELS, base64.b64encode(png).decode())
    pixels = np.frombuffer(base64.b64decode(raw), np.uint8).reshape(HEIGHT, WIDTH, 4)
    return indexed(pixels[:, :, :3])


def main() -> None:
    with TemporaryDirectory() as temporary, sync_playwright() as playwright:
        report = Path(temporary) / "report.html"
        making = write_report(report, Path(temporary))
        if making.wait():
            raise SystemExit(making.stdout.read())
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for scheme in ("light", "dark"):
            context = browser.new_context(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme=scheme, bypass_csp=True
            )
            page = context.new_page()
            page.goto(report.as_uri())
            found = picture(page)
            target = HERE.parent / "_static" / f"report-{scheme}.png"
            target.write_bytes(found)
            print(f"{target.name}: {len(found):,} bytes")
            if len(found) > LIMIT:
                raise SystemExit(f"{target.name} is larger than {LIMIT:,} bytes")
        browser.close()


if __name__ == "__main__":
    main()
