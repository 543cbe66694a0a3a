# Tests: C programs (cmocka) and shell scripts that speak TAP. test/run runs and counts them.

TEST_C := $(wildcard test/unit/*.c test/conformance/*.c test/simulation/*.c test/system/*.c)
TEST_BIN := $(TEST_C:test/%.c=$(B)/test/%)
TEST_SH := $(sort $(wildcard test/*/test_*.sh))
TEST_KERNELS := $(patsubst test/kernels/%.c,$(B)/test/kernels/%.so,$(wildcard test/kernels/*.c))
TEST_LIBS := -lcmocka

# Tests see the runtime's inside: all of it but main() is a library that they load, so that a change there
# links one library, and not each test again. They find it beside their folders, also in a copy of the tree.
TEST_INC := $(INC) -Itest/support
RUNTIME_SO := $(B)/libplbrun-test.so
$(RUNTIME_SO): $(OBJECTS)
	@echo "  link  $@"
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -shared -Wl,-soname,$(@F),-Bsymbolic-functions -o $@ \
	  $(OBJECTS) $(LDFLAGS) $(LIBS)
TEST_LINK := $(RUNTIME_SO) '-Wl,-rpath,$$ORIGIN/..:$$ORIGIN/../..' $(LDFLAGS) $(LIBS)
$(B)/test/%.o: test/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(TEST_CFLAGS) $(TEST_INC) $(OPENMP) -c $< -o $@
# A test's own lines take little time, and these compile in a third of it. The runtime is optimised.
$(TEST_BIN:%=%.o): TEST_CFLAGS := -O0
$(TEST_BIN): %: %.o | $(RUNTIME_SO)
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -o $@ $< $(TEST_LINK) $(TEST_LIBS)
# A kernel's own parts.
TASK_O := $(B)/runtime/app/task_error.o
COMMAND_O := $(patsubst %.c,$(B)/%.o,$(wildcard kernels/command/*.c)) $(TASK_O)
$(B)/test/unit/test_command: TEST_LIBS += $(COMMAND_O) -lm
$(B)/test/unit/test_command: $(COMMAND_O)
$(B)/test/unit/test_server: TEST_LIBS += $(SERVER_O)
SERVER_O := $(patsubst %,$(B)/kernels/command/%.o,server child guard progress template) $(TASK_O)
$(B)/test/unit/test_server: $(SERVER_O)

# A bundle takes this one along, alone (scripts/gpu-check).
$(B)/test/conformance/test_devices: TEST_LINK = $(OBJECTS) $(LINK)
$(B)/test/conformance/test_devices: $(OBJECTS)

# This one receives data in the place of MPI.
$(B)/test/unit/test_rank0_fetch: TEST_LINK = $(OBJECTS) $(LINK) -Wl,--wrap=plb_mpi_get,--wrap=plb_mpi_is_lost
$(B)/test/unit/test_rank0_fetch: $(OBJECTS)

$(B)/test/kernels/%.so: test/kernels/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(KERNEL_INC) $(OPENMP) -shared -o $@ $< -lm

# A library that is loaded already is found by this name.
$(B)/test/support/nvml.so: CFLAGS += -Wl,-soname,libnvidia-ml.so.1
# hwloc wants the versions of its symbols.
$(B)/test/support/opencl.so: CFLAGS += -Wl,-soname,libOpenCL.so.1,--version-script=test/support/opencl.map
test-kernels: $(B)/test/support/opencl.so

# Entries by OpenCL for test_devices, and a device that fails.
$(B)/test/opencl/%.so: test/opencl/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(KERNEL_INC) -shared -o $@ $< -lOpenCL
test-kernels: $(if $(OPENCL),$(patsubst %,$(B)/test/opencl/%.so,entries fails spread))

# Preloaded into ranks of a run.
$(B)/test/support/%.so: test/support/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(MPI_CFLAGS) -shared -o $@ $<

# A test runs the bench of the papers. That program knows the kernels of the normal build alone.
.PHONY: tests test-kernels check check-seeds check-mpi check-survival check-naps check-large check-deep \
        check-peers mutants idle-program
tests: all test-kernels $(RUNTIME_SO) $(TEST_BIN) $(FAKE_TESTS) $(GPU_PARTS) \
       $(if $(SAN),,$(patsubst %,$(B)/bench/%,papers adaptation energy solver))
test-kernels: $(TEST_KERNELS) $(FAKE_SO) $(FAKE_KERNELS) $(ON_CPU_SO) $(FAKE_MPI_FILES) \
              $(patsubst %,$(B)/test/support/%.so,halt naps nvml ulfm)

# JOBS tests run at a time: more than cores, since many wait for naps and timeouts. QUICK=1: fewer clusters,
# no valgrind, the fake MPI. REST=1: what that leaves out; valgrind takes ten minutes. SEEDS=N: so many
# clusters and fits. REAL_MPI=1: no test uses the fake one. STRICT=1: a skip is a failure, unless test/skips
# lists its cause.
JOBS := $(shell echo $$((3 * $$(nproc))))
SETTINGS = PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) SAN=$(SAN) PLB_QUICK=$(QUICK) \
           $(if $(STRICT),PLB_STRICT=1) REAL_MPI=$(or $(REAL_MPI),$(REST)) \
           $(if $(REST),PLB_TIMEOUT=1800) \
           $(if $(SEEDS),PLB_SEEDS=$(SEEDS) PLB_FIT_SEEDS=$(SEEDS) PLB_TIMEOUT=7200)
# One thread alone is at work in these, or those of a kernel: a thread sanitizer has nothing to see.
UNTHREADED := $(B)/test/simulation/% $(B)/test/conformance/test_balancers test/unit/%.sh \
              test/simulation/%.sh $(patsubst %,test/system/test_%.sh,nbody grn gaussian blackscholes \
              binomial mandelbrot taylor kernel_errors cuda_kernels cuda_results) \
              $(B)/test/fake-cuda/test_fake_blocks
# These read texts, and run nothing that a sanitizer has been built into.
UNBUILT := $(patsubst %,test/unit/test_%.sh,docs layers licences size site dist install_deps mpi_flags)
# Those that take longest come first, so that no core waits for the last one.
LONG := $(patsubst %,test/%.sh,simulation/test_valgrind system/test_plbrun_mpirun system/test_nbody \
        system/test_grn system/test_page simulation/test_papers system/test_hung system/test_interrupt \
        system/test_join system/test_testbed system/test_bundle system/test_install) \
        $(patsubst %,$(B)/test/%,conformance/test_balancers simulation/test_growth)
ALL_TESTS = $(LONG) $(filter-out $(LONG),$(TEST_SH) $(TEST_BIN) $(FAKE_TESTS))
# What QUICK leaves out: seeds, other things that depend on it, and the real MPI.
SEEDED = $(patsubst test/%.c,$(B)/test/%,$(shell grep -lwE 'seeds|PLB_SEEDS|PLB_FIT_SEEDS' $(TEST_C)))
ABRIDGED = $(shell grep -l PLB_QUICK $(TEST_SH); grep -LE 'test/run: real MPI' test/system/*.sh)
TESTS = $(filter-out $(if $(SAN),$(UNBUILT)) $(if $(filter thread,$(SAN)),$(UNTHREADED)), \
        $(if $(REST),$(filter $(SEEDED) $(ABRIDGED),$(ALL_TESTS)),$(ALL_TESTS)))
check: tests
	@$(SETTINGS) test/run -j $(JOBS) $(TESTS)

# Simulated clusters alone, N of them from seed FROM on, and the table of what they met.
check-seeds: $(B)/test/simulation/test_seeds
	@PLB_SEEDS=$(or $(N),1000000) PLB_FIRST_SEED=$(or $(FROM),1) $< && echo "1 passed, 0 failed, 0 skipped"

# Data in files, three times the memory of rank 0: LARGE MB.
check-large: all
	@$(SETTINGS) PLB_LARGE=$(or $(LARGE),1024) PLB_TIMEOUT=3600 test/run test/system/test_large.sh

# Faults are planted in copies of the tree. N=10: ten, others for each commit (COMMIT=: those of another one).
# FAULTS='worker/*': those alone.
mutants:
	@test/mutants/run -j $(JOBS) $(if $(N),-n $(N)) $(if $(COMMIT),-c $(COMMIT)) $(FAULTS:%='%')

# The test scripts with a program that does nothing: each result must fail.
idle-program: test-kernels
	@BUILD=$(abspath $(B)) test/idle-program/run -j $(JOBS)

# Results of the kernels beside those of other libraries, from the network.
check-peers: all
	@$(SETTINGS) test/peers/run

# MPIs that this system does not have.
check-mpi:
	@test/other-mpi/run -j $(JOBS)

# Ranks and hosts of real runs are lost at random times. N=20: so many of each job. A run that does not end
# right leaves its evidence in $(B)/survival.
LOSSES = $(or $(N),100)
SURVIVAL = $(SETTINGS) test/survival/run --runs
check-survival: all test-kernels
	@failed=0; \
	echo "== $(LOSSES) runs each on one host"; $(SURVIVAL) $(LOSSES) || failed=1; \
	echo "== over TCP between four hosts"; $(SURVIVAL) $(LOSSES) --hosts 4 || failed=1; \
	echo "== hosts are lost"; $(SURVIVAL) $$(($(LOSSES) / 5)) --hosts 4 --victim hosts || failed=1; \
	echo "== rank 0 is lost"; $(SURVIVAL) $$(($(LOSSES) / 5)) --victim rank0 || failed=1; \
	exit $$failed

# Threads of ranks take naps at random, with N seeds from SEED on.
check-naps: all test-kernels
	@$(SETTINGS) PLB_ROUNDS=$(or $(N),100) SEED=$(or $(SEED),1) PLB_TIMEOUT=36000 \
	  test/run test/survival/test_naps.sh

check-deep:
	@scripts/check --deep
