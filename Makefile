# plbrun: one non-recursive makefile. `make help` says what there is.
#
#   CC, CFLAGS, LDFLAGS   as usual          SAN=address,undefined | thread   sanitizers
#   MPICC=folder/mpicc    another MPI
#   CUDA=0                build without it  CUDA_ARCH=native                 quick build for this GPU
#   DRIVER=folder         device drivers of others, built in (docs/reference/device-drivers.md)
#   PREFIX, LIBDIR, ...   where to install (scripts/install.mk)              DESTDIR  a folder before them
#   V=1                   show commands
#
# Where they are not named, the settings CC, MPICC, CFLAGS, LDFLAGS, CUDA, CUDA_ARCH and DRIVER are those of
# the last build. `make clean` forgets them.

.DEFAULT_GOAL := all
, := ,
define newline


endef
SHELL := /bin/bash
CC := gcc
MPICC := mpicc
PREFIX := /usr/local
CFLAGS := -O2 -g
CUDA := 1
CUDA_ARCH :=
DRIVER :=
KEPT := CC MPICC CFLAGS LDFLAGS CUDA CUDA_ARCH DRIVER
$(if $(filter clean,$(MAKECMDGOALS)),,$(eval -include build/settings.mk))
NVCC := $(if $(filter 1,$(CUDA)),$(if $(SAN),,$(shell command -v nvcc)))
Q := $(if $(V),,@)

# A device driver is a folder. Its driver.mk, if it has one, adds to these what the driver needs.
OWN_DRIVERS := $(foreach d,$(abspath $(DRIVER)),$(or $(wildcard $d),$(error DRIVER=$d is no folder)))
DRIVERS := $(patsubst runtime/device/%/,%,$(wildcard runtime/device/*/)) $(notdir $(OWN_DRIVERS))
DRIVER_INC :=
DRIVER_LIBS :=
DRIVER_LEFT_OUT :=
include $(wildcard runtime/device/*/driver.mk $(OWN_DRIVERS:%=%/driver.mk))

# A sanitized build lives beside the normal one.
B := build$(if $(SAN),/san-$(subst $(eval) ,,$(subst $(shell echo ,),-,$(SAN))))
BIN := $(if $(SAN),$(B)/plbrun,plbrun)
SANFLAGS := $(if $(SAN),-fsanitize=$(SAN) -fno-omit-frame-pointer)

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
# MPI's own compiler says what it needs, whichever MPI it is of. Without one pkg-config may know an Open MPI.
MPI_WORDS := $(wordlist 2,99,$(shell $(MPICC) -show 2>/dev/null))
MPI_CFLAGS := $(if $(MPI_WORDS),$(filter -I% -D%,$(MPI_WORDS)),\
                $(shell pkg-config --cflags ompi-c 2>/dev/null))
MPI_LIBS := $(if $(MPI_WORDS),$(filter-out -I% -D%,$(MPI_WORDS)),\
              $(shell pkg-config --libs ompi-c 2>/dev/null || echo -lmpi))
# A sanitized build is a debug build: the master checks its invariants after every event.
C := -std=c11 -D_GNU_SOURCE $(if $(SAN),-DPLB_DEBUG) $(WARN) -fPIC -pthread -MMD -MP $(SANFLAGS)
OPENMP := -fopenmp
PACKAGES := $(shell pkg-config --cflags inih jansson hwloc libpng 2>/dev/null)
# LAPACKE is part of OpenBLAS, or (Debian) an archive beside it. Linked so, no other BLAS of the system comes
# into the program.
BLAS_CFLAGS := $(shell pkg-config --cflags openblas 2>/dev/null)
BLAS_LIBS := -lopenblas
LAPACKE_LIBS := $(filter /%,$(shell $(CC) -print-file-name=liblapacke.a)) $(BLAS_LIBS)
PNG_LIBS := $(or $(shell pkg-config --libs libpng zlib 2>/dev/null),-lpng -lz)
INC := -Iruntime/include -Iruntime $(DRIVER_INC) $(MPI_CFLAGS) $(PACKAGES) $(BLAS_CFLAGS)
LIBS := $(MPI_LIBS) $(LAPACKE_LIBS) -lnlopt -lhwloc -linih -ljansson $(PNG_LIBS) -lgomp -ldl -lm \
        $(DRIVER_LIBS)

RUNTIME := $(filter-out $(DRIVER_LEFT_OUT),$(wildcard runtime/*/*.c runtime/*/*/*.c))
BALANCER_C := $(wildcard balancers/*.c)
KERNELS := $(patsubst kernels/%/,%,$(wildcard kernels/*/))
OBJECTS := $(RUNTIME:%.c=$(B)/%.o) $(BALANCER_C:%.c=$(B)/%.o) \
           $(patsubst %,$(B)/%.o,balancers drivers page new_kernel) \
           $(foreach d,$(OWN_DRIVERS),$(patsubst $d/%.c,$(B)/driver/$(notdir $d)/%.o,$(wildcard $d/*.c))) \
           $(if $(SAN),$(B)/test/support/keep_loaded.o)
CUDA_KERNELS := $(patsubst kernels/%/,%,$(dir $(wildcard kernels/*/*.cu)))
OPENCL_KERNELS := $(if $(OPENCL),$(patsubst kernels/%/opencl/,%,$(wildcard kernels/*/opencl/)))
KERNEL_SO := $(KERNELS:%=$(B)/kernels/%.so) $(if $(NVCC),$(CUDA_KERNELS:%=$(B)/kernels/%.cuda.so)) \
             $(OPENCL_KERNELS:%=$(B)/kernels/%.opencl.so)
PAPER_SO := $(patsubst %,$(B)/papers/%.so,grn k-means)

.PHONY: all demo bundle install uninstall format lint style check-style help clean
all: $(BIN) $(KERNEL_SO) $(PAPER_SO)

# The functions that a kernel may call are exported from the program to the shared objects it loads.
LINK := -Wl,--dynamic-list=runtime/exports.list $(LDFLAGS) $(LIBS)
$(BIN): $(B)/runtime/plbrun.o $(OBJECTS) runtime/exports.list
	@echo "  link  $@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -o $@ $(filter %.o,$^) $(LINK)
	$(file >$(B)/settings.mk,$(foreach v,$(KEPT),$v := $(subst $$,$$$$,$($v))$(newline)))

# Objects that were built with other flags are rebuilt.
FLAGS := $(CC) $(CFLAGS) $(SAN) $(CUDA_INC) $(CUDA_ARCH) $(MPI_CFLAGS) $(MPI_LIBS)
$(shell mkdir -p $(B); echo '$(FLAGS)' | cmp -s - $(B)/flags || echo '$(FLAGS)' >$(B)/flags)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(OPENMP) -c $< -o $@

define own_driver
$(B)/driver/$(notdir $1)/%.o: $1/%.c $(B)/flags
	@mkdir -p $$(@D)
	@echo "  cc    $$<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(OPENMP) -c $$< -o $$@
endef
$(foreach d,$(OWN_DRIVERS),$(eval $(call own_driver,$d)))

# The table of balancers is the folder.
$(B)/balancers.c: $(BALANCER_C)
	@mkdir -p $(@D)
	@{ echo '#include "plb/balancer.h"'; echo '#include "job/balancer_table.h"'; \
	   for b in $(basename $(notdir $^)); do echo "extern const struct plb_balancer plb_balancer_$$b;"; done; \
	   echo 'const struct plb_balancer *const plb_balancers[] = {'; \
	   for b in $(basename $(notdir $^)); do echo "    &plb_balancer_$$b,"; done; echo '    0};'; } > $@
# The files of a page, as arrays of bytes that end with a zero.
PAGE_SCRIPTS := $(addprefix runtime/report/page/,svg.js gantt.js ends.js energy.js what_if.js charts.js)
$(B)/page.c: $(PAGE_SCRIPTS) runtime/report/page/page.css Makefile
	@mkdir -p $(@D)
	@bytes() { cat "$$@" | od -An -v -tu1 | sed -E 's/ +([0-9]+)/\1,/g'; }; \
	 { echo '#include "report/page/page.h"'; \
	   echo 'const unsigned char plb_page_script[] = {'; bytes $(PAGE_SCRIPTS); echo '0};'; \
	   echo 'const unsigned char plb_page_style[] = {'; bytes runtime/report/page/page.css; echo '0};'; } > $@
# And those of a kernel to begin with.
NEW_KERNEL := $(addprefix runtime/check/new_kernel.d/,kernel makefile conf)
$(B)/new_kernel.c: $(NEW_KERNEL) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "check/new_kernel.h"'; for f in $(notdir $(NEW_KERNEL)); do \
	   echo "const unsigned char plb_new_kernel_$$f[] = {"; \
	   od -An -v -tu1 runtime/check/new_kernel.d/$$f | sed -E 's/ +([0-9]+)/\1,/g'; echo '0};'; done; } > $@
# So is the table of device drivers, by their folders' names.
$(B)/drivers.c: $(B)/driver-folders
	@{ echo '#include "device/driver.h"'; \
	   for d in $(DRIVERS); do echo "extern const struct plb_device_driver plb_device_$$d;"; done; \
	   echo 'const struct plb_device_driver *const plb_device_drivers[] = {'; \
	   for d in $(DRIVERS); do echo "    &plb_device_$$d,"; done; echo '    0};'; } > $@
$(shell echo '$(DRIVERS)' | cmp -s - $(B)/driver-folders || echo '$(DRIVERS)' >$(B)/driver-folders)
$(patsubst %,$(B)/%.o,balancers drivers page new_kernel): $(B)/%.o: $(B)/%.c
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) -c $< -o $@

# Kernels see plb/kernel.h alone, as a user's do.
KERNEL_INC := -Iruntime/include
KERNEL_CFLAGS_matmul := $(BLAS_CFLAGS)
KERNEL_LIBS_matmul := $(BLAS_LIBS)
# binomial reads the same contracts as blackscholes.
KERNEL_CFLAGS_binomial := -Ikernels/blackscholes
KERNEL_ALSO_binomial := kernels/blackscholes/contracts.c
# kmeans turns rows into columns as blackscholes does.
KERNEL_CFLAGS_kmeans := -Ikernels/blackscholes
# No result depends on these: square roots and comparisons are vectorised, and products and sums are rounded
# one by one, as every C11 compiler may do.
KERNEL_CFLAGS := -O3 -fno-math-errno -fno-trapping-math -ffp-contract=off
$(B)/kernels/%.o: kernels/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(KERNEL_CFLAGS) $(KERNEL_INC) $(KERNEL_CFLAGS_$(*D)) $(OPENMP) -c $< -o $@

$(B)/kernels/python/python.o: kernels/python/arrays.py kernels/python/host.py

# The first of each GPU generation that this nvcc knows from sm_80 on, whose code the others of it run, and
# PTX of the oldest for those that do not (Tegra, so 110 too) and for later ones.
ARCHS = $(shell $(NVCC) --list-gpu-arch | sed -n 's/compute_//p' | sort -n | \
          awk '$$1 >= 80 && $$1 != 110 && !seen[int($$1 / 10)]++')
GENCODE = $(if $(CUDA_ARCH),-arch=$(CUDA_ARCH),$(foreach a,$(ARCHS),-gencode arch=compute_$(a),code=sm_$(a)) \
          -gencode arch=compute_$(firstword $(ARCHS)),code=compute_$(firstword $(ARCHS)))
# A third of the size. Every driver that runs CUDA 13 can read it; one for CUDA 12 perhaps not.
COMPRESS = $(shell $(NVCC) --version | grep -qE 'release (1[3-9]|[2-9][0-9])\.' && echo --compress-mode=size)
NVCC_C = $(NVCC) -O3 -std=c++17 --threads 2 $(GENCODE) $(COMPRESS) $(KERNEL_INC) -Xcompiler -fPIC -MMD -MP
CUDA_LINK = -L$(CUDA_HOME)/lib64 -Wl$(,)-rpath$(,)$(CUDA_HOME)/lib64
CUDA_LIBS_matmul := -lcublas
CUDA_LIBS_spmm := -lcusparse
$(B)/kernels/%.cu.o: kernels/%.cu $(B)/flags
	@mkdir -p $(@D)
	@echo "  nvcc  $<"
	$(Q)$(NVCC_C) -c $< -o $@

define KERNEL_RULE
$(B)/kernels/$(1).so: $(patsubst %.c,$(B)/%.o,$(wildcard kernels/$(1)/*.c) $(KERNEL_ALSO_$(1)))
	@echo "  link  $$@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -shared -o $$@ $$^ $(LDFLAGS) $(OPENMP) $$(KERNEL_LIBS_$(1)) -lm
# Its cuda entries are in a file of their own, so that a node without CUDA libraries runs the rest.
$(B)/kernels/$(1).cuda.so: $(patsubst %.cu,$(B)/%.cu.o,$(wildcard kernels/$(1)/*.cu))
	@echo "  link  $$@"
	$(Q)$(CC) -shared -o $$@ $$^ $$(CUDA_LINK) $$(CUDA_LIBS_$(1)) -lcudart -lstdc++
# Its opencl entries, in the same way.
$(B)/kernels/$(1).opencl.so: $(B)/kernels/$(1)/opencl/$(1).o
	@echo "  link  $$@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -shared -o $$@ $$^ $(LDFLAGS) -lOpenCL
endef
$(foreach k,$(KERNELS),$(eval $(call KERNEL_RULE,$(k))))

# One source, a cost model of each of the papers' applications.
$(B)/papers/%.so: examples/papers/application.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $< ($*)"
	$(Q)$(CC) $(C) $(CFLAGS) $(KERNEL_INC) -DAPPLICATION=$(shell echo $* | tr a-z- A-Z_) -shared -o $@ $<

include test/fake-cuda/fake.mk test/cuda-on-cpu/build.mk test/fake-mpi/fake.mk scripts/gpu-check.d/build.mk
include scripts/install.mk packaging/packaging.mk test/test.mk test/bench/bench.mk test/fuzz/fuzz.mk

demo: all
	@scripts/imbalance --no-install

# A folder for machines without our packages; BUNDLE= names another than build/bundle.
bundle: all
	@scripts/bundle $(if $(BUNDLE),'$(BUNDLE)')

# The needs of kernels on an H100, and its bounds, in docs/reference/kernels.md. BEFORE: a commit to compare.
.PHONY: kernel-resources
kernel-resources:
	@NVCC='$(NVCC)' BEFORE='$(BEFORE)' docs/kernel-resources.py

# The style, and the mistakes that tools see. Each tool's configuration says what it leaves out, and why.
FORMATTED := $(shell find runtime balancers kernels examples test scripts -name '*.[ch]' -o -name '*.cu')
# CHANGED=COMMIT: of these those that differ from that commit, since clang-tidy takes a second for each.
LINTED := $(RUNTIME) runtime/plbrun.c $(BALANCER_C) $(wildcard kernels/*/*.c)
LINTED := $(if $(CHANGED),$(filter $(shell git diff --name-only $(CHANGED)),$(LINTED)),$(LINTED))
# TENTH=1: a tenth of them, another one for each commit.
COMMITS_TENTH = awk 'NR % 10 == n' n=$$((0x$$(git rev-parse --short=6 HEAD | cut -c 1-6) % 10))
LINTED := $(if $(TENTH),$(shell printf '%s\n' $(LINTED) | $(COMMITS_TENTH)),$(LINTED))
SCRIPTS := $(shell grep -rlE '^\#!.*(ba)?sh$$|^\# shellcheck shell=' .ci scripts test examples docs \
             --include='*.sh' --include='[!.]*')
format:
	clang-format -i $(FORMATTED)
lint: $(LINTED:%=$(B)/lint/%) style
style:
	clang-format --dry-run -Werror $(FORMATTED)
	shellcheck $(SCRIPTS)
# As a stage of scripts/check, which counts results.
check-style:
	@$(MAKE) --no-print-directory -s lint TENTH=1 && echo "1 passed, 0 failed, 0 skipped" || \
	    { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
# clang-tidy writes to stderr how many warnings of other people's headers it hides.
$(B)/lint/%.c: %.c $(B)/%.o .clang-tidy
	@mkdir -p $(@D)
	@echo "  lint  $<"
	$(Q)clang-tidy --quiet $< -- $(filter-out -MMD -MP,$(C)) $(INC) \
	  $(KERNEL_CFLAGS_$(notdir $(*D))) $(OPENMP) 2>/dev/null
	@touch $@

help:
	@echo "make                    build ./plbrun and its kernels (CUDA=0: without CUDA)"
	@echo "make install            to PREFIX=$(PREFIX), below DESTDIR, what was built last (LIBDIR=$(LIBDIR))"
	@echo "make uninstall          take away what make install has placed there"
	@echo "make bundle             build/bundle: plbrun and all it needs, for machines without our packages"
	@echo "make demo               sparse rows of unequal cost: static and sure, without and with migration"
	@echo "                        (MATRIX=file.mtx: another matrix)"
	@echo "make dist               build/dist/plbrun-VERSION.tar.xz: the commit checked out (DIST=folder)"
	@echo "make deb                Debian packages of that, in build/deb"
	@echo "make site               the documents as HTML, from build/site/index.html on (SITE=folder)"
	@echo "make clean"
	@echo
	@echo "make check              all tests of this build, JOBS=N at a time; the last line counts their results"
	@echo "                        (QUICK=1: fewer simulated clusters, no valgrind; SEEDS=N: so many clusters)"
	@echo "make SAN=address,undefined check   the same under sanitizers (or SAN=thread)"
	@echo "make mutants            planted faults, and which test sees each (N=10: ten, others for each"
	@echo "                        commit; COMMIT=: those of this one; FAULTS='worker/*': those alone)"
	@echo "make idle-program       the test scripts with a program that does nothing: each result must fail"
	@echo "make check-seeds        simulated clusters (N=1000000 from seed FROM=1 on), and what they met"
	@echo "make check-deep         all tests, sanitizers and faults, a million simulated clusters: hours"
	@echo "make check-mpi          build and run with MPICH and Open MPI 5 (Python wheels, from the network)"
	@echo "make check-peers        results of kernels beside those of QuantLib, SciPy and others (pip)"
	@echo "make check-packages     package, release, container, pip: each runs the demo in a bare Debian"
	@echo "make check-slurm        the batch scripts in examples/slurm under Debian's Slurm (root)"
	@echo "make check-survival     ranks and hosts of real runs are lost at random times (N=100 of each job)"
	@echo "make check-naps         threads take naps at random: finds races (N=100 seeds from SEED=1)"
	@echo "make check-large        data in files, three times rank 0's memory (LARGE=1024 MB of memory)"
	@echo "make fuzz SECONDS=60    readers of files and messages get any bytes, each for so long (needs clang)"
	@echo "make tests              build what the tests, scripts/gpu-check and its bundle need"
	@echo "make format             write the style of the sources"
	@echo "make style              look for what make format would change, and for mistakes in scripts"
	@echo "make lint               this, and look for mistakes with clang-tidy"
	@echo "                        (CHANGED=COMMIT: clang-tidy reads what differs from that commit alone)"
	@echo
	@echo "make bench              speed, as ratios taken in one run"
	@echo "make bench-papers       the papers' experiments in virtual time, to build/bench-papers"
	@echo "make bench-growth       10 to 10,000 PUs with their data behind rank 0's link, in virtual time"
	@echo "make bench-real         the same jobs simulated and on emulated PUs (RUNS=3: median of so many)"
	@echo "make bench-ideal        how near the ideal jobs end on three unlike emulated ranks"
	@echo "make bench-serve        a server for each slot beside a program for each line (RUNS=3)"
	@echo "make bench-map          plbrun.map beside multiprocessing, and joblib, mpi4py, Dask where installed"
	@echo "                        (RUNS=3: best of so many; PYTHON=python3)"
	@echo "make bench-command      the kernel command beside GNU parallel and xargs (RUNS=3)"
	@echo "make bench-costs        lines whose costs are given, given wrongly, and unknown (RUNS=3)"
	@echo "make bench-unknown-costs  unequal jobs whose costs are not given, on 1 to 3 ranks (RUNS=3: median)"
	@echo "make bench-results      examples/papers/RESULTS.md; in parts: -simulated, -real, -page"
	@echo "make bench-coexecution  what a CPU adds to a GPU, in virtual time"
	@echo "make bench-energy  a paper's shares for least time and least energy beside ours"
	@echo "make bench-mixed        all balancers on up to 10,000 PUs of mixed kinds, in virtual time"
	@echo "make bench-random       all balancers on 1,000 random clusters (N=60: fewer; PART=tune, report"
	@echo "                        or fresh; BENCH_RANDOM=1234: that one alone)"
	@echo "make bench-journal      what a journal and its checksums cost (RUNS=3: median)"
	@echo "make bench-kernels      entries of kernels beside what limits them, and beside other programs"
	@echo "                        (THREADS=1: cores; ROUNDS=3: best of so many; after make check-peers)"
	@echo "make kernel-resources   registers, occupancy and bounds of the CUDA entries, to the documents"
	@echo "                        (CUOBJDUMP=cuobjdump; BEFORE=COMMIT: its kernels beside them)"
	@echo "make bench-libraries    code of plbrun beside libraries that do the same"
	@echo "make bench-overhead     what a task and a steal cost"

clean:
	rm -rf build plbrun

-include $(OBJECTS:.o=.d) $(B)/runtime/plbrun.d
-include $(shell find $(B)/gpu $(B)/kernels $(B)/papers $(B)/test $(B)/bench -name '*.d' 2>/dev/null)
