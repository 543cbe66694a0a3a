#!/bin/sh
# plbrun in an allocation of Flux: flux batch flux.sh app.conf [plbrun's options]. Untried: see README.md.
#flux: --nodes=2
#flux: --exclusive
#flux: --time-limit=1h
#flux: --output=plbrun-{{id}}.out

# One rank on each node. Open MPI 5 needs Flux's plugin for PMIx.
exec flux run --nodes=2 --tasks-per-node=1 --exclusive -o pmi=pmix -o cpu-affinity=off plbrun "$@"
