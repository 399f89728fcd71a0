"""Where the program is."""
import os
import pathlib
import shutil

from ._errors import KedgeError


def program_path() -> str:
    """$KEDGE_BIN, else the program in this package, else the one on PATH."""
    chosen = os.environ.get("KEDGE_BIN")
    if chosen:
        return chosen
    bundled = pathlib.Path(__file__).parent / "bin" / "kedge"
    if bundled.exists():
        return str(bundled)
    found = shutil.which("kedge")
    if found:
        return found
    raise KedgeError("", "the kedge program is neither in this package nor on PATH; set KEDGE_BIN", 127)
