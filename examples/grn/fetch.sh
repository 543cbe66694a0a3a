#!/usr/bin/env bash
# Fetches a real expression table, and writes it to golub.csv beside this file: 3,051 genes of 38 patients
# with leukaemia (Golub et al., Science 286, 1999). Debian ships it in r-bioc-multtest; the Python package
# rdata reads it without R. Takes a few seconds, and the network.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
apt-get download -q r-bioc-multtest 2>/dev/null
dpkg-deb -x r-bioc-multtest_*.deb .
python3 -m venv venv
venv/bin/pip install -q 'rdata>=0.11' 'numpy>=1.24'
venv/bin/python - "$here/golub.csv" <<'END' 2>/dev/null
import sys
import numpy as np
import rdata
data = rdata.read_rda("usr/lib/R/site-library/multtest/data/golub.RData")
table = np.asarray(data["golub"])
names = np.asarray(data["golub.gnames"]).reshape(3, -1)[2]  # R has columns one after the other
kind = ["ALL", "AML"]
with open(sys.argv[1], "w") as out:
    print("gene", *(f"{kind[int(c)]}{i + 1}" for i, c in enumerate(data["golub.cl"])), sep=",", file=out)
    for name, row in zip(names, table):
        print(f'"{name}"', *map(repr, map(float, row)), sep=",", file=out)
END
echo "golub.csv: $(($(wc -l <"$here/golub.csv") - 1)) genes"
