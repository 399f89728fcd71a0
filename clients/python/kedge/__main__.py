"""`python -m kedge` and the `kedge` script: the program itself."""
import os
import sys

from ._program import program_path


def main() -> None:
    program = program_path()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
