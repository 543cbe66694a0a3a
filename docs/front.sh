#!/usr/bin/env bash
# docs/front.sh: makes docs/front.svg, the picture of a front of time and energy in docs/guide/energy.md. It
# needs a built ./plbrun.
set -euo pipefail
cd "$(dirname "$0")/.."
./plbrun --quiet --simulate hostfiles/watts.cluster --pareto=docs/front.svg examples/taylor/app.conf \
    taylor.function=exp taylor.order=50000 balance.objective=energy balance.deadline=5
echo "docs/front.svg is made"
