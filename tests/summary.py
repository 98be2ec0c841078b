"""Add up the results of several pytest runs in one line, the last that `make test` prints."""

import sys
from xml.etree import ElementTree


def main(paths: list[str]) -> int:
    """Print the sum; return 1 if there was no test or one that failed."""
    suites = [suite for path in paths for suite in ElementTree.parse(path).iter("testsuite")]

    def total(field: str) -> int:
        return sum(int(suite.get(field, 0)) for suite in suites)

    failed, errors, skipped = total("failures"), total("errors"), total("skipped")
    passed = total("tests") - failed - errors - skipped
    counts = {"failed": failed, "passed": passed, "skipped": skipped, "errors": errors}
    words = ", ".join(f"{count} {what}" for what, count in counts.items() if count)
    seconds = sum(float(suite.get("time", 0)) for suite in suites)
    print(f"===== {words or 'no tests ran'} in {seconds:.2f}s =====")
    return 1 if failed or errors or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
