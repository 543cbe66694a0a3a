# Benchmarks: what plbrun costs, and the experiments of the papers in virtual time.

BENCH_BIN := $(patsubst test/bench/%.c,$(B)/bench/%, \
               $(filter-out $(if $(OPENCL),,test/bench/opencl.c),$(wildcard test/bench/*.c)))
.PHONY: bench bench-serve bench-papers bench-growth bench-real bench-ideal bench-results \
        bench-coexecution bench-command bench-map bench-energy bench-mixed bench-overhead bench-random \
        bench-journal bench-kernels bench-libraries bench-passes bench-ranks bench-reduce \
        bench-stencil bench-unknown-costs bench-pagerank bench-short-passes

BENCH_CFLAGS_kernel_peaks := $(KERNEL_CFLAGS)
BENCH_CFLAGS_stencil_mpi := $(KERNEL_CFLAGS)
BENCH_CFLAGS_pagerank_mpi := $(KERNEL_CFLAGS)
BENCH_CFLAGS_gemm := $(BLAS_CFLAGS)
BENCH_LIBS_gemm := $(BLAS_LIBS)
BENCH_LIBS_opencl := -lOpenCL
BENCH_CFLAGS_libraries := $(KERNEL_CFLAGS)
BENCH_LIBS_libraries = $(foreach l,sleef xxhash minizip,\
                         $(if $(filter /%,$(shell $(CC) -print-file-name=lib$l.so)),-l$l))
$(B)/bench/%: test/bench/%.c $(OBJECTS) runtime/exports.list
	@mkdir -p $(@D)
	@echo "  bench $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(TEST_INC) $(BENCH_CFLAGS_$*) $(OPENMP) -o $@ $< \
	  $(OBJECTS) $(LINK) $(BENCH_LIBS_$*)

# No test runs them, and a change elsewhere may break them: so `make tests` reads them.
BENCH_CHECKED := $(BENCH_BIN:%=%.checked)
tests: $(if $(SAN),,$(BENCH_CHECKED))
$(B)/bench/%.checked: test/bench/%.c
	@mkdir -p $(@D)
	@echo "  check $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(TEST_INC) $(BENCH_CFLAGS_$*) $(OPENMP) -fsyntax-only -MF $@.d -MT $@ $<
	@touch $@

bench: all $(BENCH_BIN) $(TEST_KERNELS)
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/run

# Tables, CSVs, and plots where gnuplot is installed.
PAPERS := papers adaptation growth
bench-papers: all $(PAPERS:%=$(B)/bench/%)
	@mkdir -p $(B)/bench-papers
	@set -o pipefail; \
	 for b in $(PAPERS); do $(B)/bench/$$b $(B)/bench-papers | tee $(B)/bench-papers/$$b.txt || exit; done
	@test/bench/papers.sh $(B)/bench-papers

# All tables and plots of examples/papers/RESULTS.md, and the table of examples/li-table5: what is simulated,
# five minutes of a core; real processes, six minutes with nothing else on the machine; and the page.
# PIECES="li-512 watts": these alone.
RESULTS = PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) RUNS=$(RUNS) test/bench/results.sh $(B)/bench-papers
.PHONY: bench-results-build bench-results-simulated bench-results-real bench-results-page
bench-results: bench-results-build
	@$(RESULTS) simulated
	@$(RESULTS) real
	@$(RESULTS) page
bench-results-build: all $(TEST_KERNELS) $(foreach b,$(PAPERS) solver energy curves,$(B)/bench/$b)
	@mkdir -p $(B)/bench-papers/{quiet,readings,one-gpu,ranks-1,ranks-2}
bench-results-simulated bench-results-real bench-results-page: bench-results-%: bench-results-build
	@$(RESULTS) $* $(PIECES)

bench-growth: all $(B)/bench/growth
	@mkdir -p $(B)/bench-papers
	@$(B)/bench/growth $(B)/bench-papers

# Simulated and on emulated PUs, median of RUNS.
RUNS := 3
bench-real: all $(TEST_KERNELS)
	@mkdir -p $(B)/bench-papers
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/real.sh $(B)/bench-papers $(RUNS)

bench-ideal: all $(TEST_KERNELS)
	@mkdir -p $(B)/bench-papers
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/ideal.sh $(B)/bench-papers

# Code beside libraries that do the same: libsleef-dev, libxxhash-dev and libminizip-dev, where there.
bench-libraries: $(B)/bench/libraries
	@$<

# Programs for lines, beside GNU parallel and xargs.
bench-command: all
	@PLBRUN=$(abspath $(BIN)) test/bench/command.sh 10000 $(RUNS)

# Lines whose costs are told, told wrongly, and not told, on unlike hosts.
.PHONY: bench-costs
bench-costs: all
	@PLBRUN=$(abspath $(BIN)) test/bench/costs.sh 200 $(RUNS)

# A server for each slot, beside a program for each line.
bench-serve: all
	@PLBRUN=$(abspath $(BIN)) test/bench/serve.sh 500 $(RUNS)

# Python functions, beside what else is installed for that.
bench-map: all
	@PYTHONPATH=$(abspath python) PLBRUN=$(abspath $(BIN)) \
	    $(or $(PYTHON),python3) test/bench/map.py 2 $(or $(RUNS),3)

# Jobs whose costs nobody tells, on 1 to 3 ranks of this machine, median of RUNS.
bench-unknown-costs: all $(TEST_KERNELS)
	@mkdir -p $(B)/bench-papers
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/unknown_costs.sh $(B)/bench-papers $(RUNS)

# Entries of kernels on THREADS cores, beside their peaks and other programs; the best of ROUNDS rounds.
ROUNDS := 3
THREADS := 1
bench-kernels: all $(B)/bench/kernels $(B)/bench/kernel_peaks
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/kernels.sh $(ROUNDS) $(THREADS)

bench-coexecution: all $(B)/bench/coexecution
	@$(B)/bench/coexecution 15

# The tables of Stafford et al. 2017 beside ours.
bench-energy: $(B)/bench/energy
	@$(B)/bench/energy

bench-mixed: all $(B)/bench/mixed
	@$(B)/bench/mixed

bench-overhead: all $(B)/bench/steal $(B)/bench/frames $(B)/bench/beats $(TEST_KERNELS)
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/overhead.sh

# N=60: fewer clusters; PART=tune|report|fresh; BALANCERS=a,b; BENCH_RANDOM=1234: that one alone.
bench-random: all $(B)/bench/random $(B)/test/kernels/random.so
	@mkdir -p $(B)/bench-random
	@set -o pipefail; \
	 BUILD=$(abspath $(B)) $(B)/bench/random $(B)/bench-random | tee $(B)/bench-random/random.txt
	@$(if $(BENCH_RANDOM),,test/bench/papers.sh $(B)/bench-random)

# The CPU time of a journal, and of its checksums.
bench-journal: all
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/journal.sh $(RUNS)

# Passes of k-means, a stencil and bodies beside the entries alone on the same cores, and steps of a stencil
# and passes of pagerank beside plain MPI. JOB="kmeans-8 nbody-8000": these alone of the former. ROUNDS: more
# of them where the machine is noisy. bench-stencil, bench-pagerank: one alone; SIZES="1024 2048": some of the
# plates, or so many pages.
ROUNDS := 7
bench-passes: all $(B)/bench/passes bench-stencil bench-pagerank
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) JOB="$(JOB)" \
	 test/bench/passes.sh $(ROUNDS)
bench-stencil: all $(B)/bench/stencil_mpi
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) SIZES="$(SIZES)" test/bench/stencil.sh $(ROUNDS)

bench-pagerank: all $(B)/bench/pagerank_mpi
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) SIZES="$(SIZES)" test/bench/pagerank.sh $(ROUNDS)

# Each kernel on two and three ranks of this machine, beside one rank. JOB="matmul nbody", LENGTHS="0.1 1",
# RANKS=2: these alone. All of it takes more than an hour.
bench-ranks: all
	@mkdir -p $(B)/bench-ranks
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) LENGTHS="$(LENGTHS)" RANKS="$(RANKS)" \
	 test/bench/ranks.sh $(B)/bench-ranks $(RUNS) $(JOB)

# Passes of 5 ms on up to 1,000 simulated nodes.
bench-short-passes: $(B)/bench/short_passes
	@$(B)/bench/short_passes

# Passes with reduced arrays of several sizes on up to 1,000 simulated nodes.
bench-reduce: $(B)/bench/reduce
	@$(B)/bench/reduce
