# Tests: C programs (cmocka) and shell scripts that speak TAP; test/run counts them.

TEST_C := $(wildcard test/unit/*.c test/conformance/*.c test/simulation/*.c test/system/*.c)
TEST_BIN := $(TEST_C:test/%.c=$(B)/test/%)
TEST_SH := $(sort $(wildcard test/*/test_*.sh))
TEST_KERNELS := $(patsubst test/kernels/%.c,$(B)/test/kernels/%.so,$(wildcard test/kernels/*.c))
BENCH_BIN := $(patsubst test/bench/%.c,$(B)/bench/%,$(wildcard test/bench/*.c))
TEST_LIBS := -lcmocka

# Stand-ins for CUDA's libraries on host memory, against CUDA's own headers. A sanitized build has no nvcc
# but wants them most. Where there are no headers, their test says so and skips.
STANDIN_SO := $(if $(CUDA_INC),$(B)/test/fake-cuda/libcudart.so.13 $(B)/test/fake-cuda/libcublas.so.13)
STANDIN_KERNELS := $(if $(CUDA_INC),$(patsubst %,$(B)/test/fake-cuda/%.so,entries kernels/modes kernels/modes.cuda kernels/gpu_only kernels/gpu_only.cuda))
STANDIN_TESTS := $(B)/test/fake-cuda/test_standin $(B)/test/fake-cuda/test_standin_streams
TEST_BIN += $(STANDIN_TESTS)

# Tests see the runtime's inside; they link all of it but main().
$(B)/test/%: test/%.c $(OBJECTS) runtime/exports.list
	@mkdir -p $(@D)
	@echo "  test  $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) -Itest/support $(OPENMP) -o $@ $< $(OBJECTS) -Wl,--dynamic-list=runtime/exports.list $(LDFLAGS) $(LIBS) $(TEST_LIBS)

# The old kind of rpath: LD_LIBRARY_PATH, which names the real ones where they are, does not go before it.
STANDIN_C = $(C) $(CFLAGS)
STANDIN_RPATH := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN'
STANDIN_OBJECTS := $(patsubst %,$(B)/test/fake-cuda/%.o,standin config memory copies execute streams device nvcc)

$(B)/test/fake-cuda/%.o: test/fake-cuda/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $<"
	$(Q)$(CC) $(STANDIN_C) $(INC) -c $< -o $@

$(B)/test/fake-cuda/libcudart.so.13: $(STANDIN_OBJECTS) test/fake-cuda/cudart.map
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -shared -Wl,-soname,$(@F),--version-script=test/fake-cuda/cudart.map -o $@ $(filter %.o,$^)

$(B)/test/fake-cuda/libcublas.so.13: $(B)/test/fake-cuda/cublas.o test/fake-cuda/cublas.map $(B)/test/fake-cuda/libcudart.so.13
	$(Q)$(CC) $(CFLAGS) $(SANFLAGS) -pthread -shared -Wl,-soname,$(@F),--version-script=test/fake-cuda/cublas.map $(STANDIN_RPATH) -o $@ \
	  $(B)/test/fake-cuda/cublas.o $(B)/test/fake-cuda/libcudart.so.13 -lopenblas

$(STANDIN_TESTS): $(B)/test/%: test/%.c $(STANDIN_SO) $(B)/flags
	@mkdir -p $(@D)
	@echo "  test  $<"
	$(Q)$(CC) $(STANDIN_C) $(INC) $(if $(CUDA_INC),-DWITH_CUDA_HEADERS) -o $@ $< $(STANDIN_RPATH) $(STANDIN_SO) $(LDFLAGS) $(TEST_LIBS) -lm

# Kernels for the stand-in, in a folder of their own: a real GPU cannot run them.
$(B)/test/fake-cuda/entries.so $(B)/test/fake-cuda/kernels/modes.cuda.so $(B)/test/fake-cuda/kernels/gpu_only.cuda.so: $(B)/test/fake-cuda/%.so:
	@mkdir -p $(@D)
	$(Q)$(CC) $(STANDIN_C) $(INC) -shared -o $@ $< $(B)/test/fake-cuda/libcudart.so.13
$(B)/test/fake-cuda/entries.so: test/fake-cuda/entries.c test/fake-cuda/on_stream.h $(STANDIN_SO)
$(B)/test/fake-cuda/kernels/modes.cuda.so: test/fake-cuda/modes.c test/kernels/modes.c test/fake-cuda/on_stream.h $(STANDIN_SO)
$(B)/test/fake-cuda/kernels/gpu_only.cuda.so: test/fake-cuda/gpu_only.c test/fake-cuda/on_stream.h $(STANDIN_SO)
$(B)/test/fake-cuda/kernels/modes.so $(B)/test/fake-cuda/kernels/gpu_only.so: $(B)/test/fake-cuda/kernels/%.so: $(B)/test/kernels/%.so
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(B)/test/kernels/%.so: test/kernels/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(KERNEL_INC) -shared -o $@ $<

$(B)/bench/%: test/bench/%.c $(OBJECTS) runtime/exports.list
	@mkdir -p $(@D)
	@echo "  bench $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) -Itest/support $(OPENMP) -o $@ $< $(OBJECTS) -Wl,--dynamic-list=runtime/exports.list $(LDFLAGS) $(LIBS)

# What scripts/gpu-check needs beside the tests; built without a GPU too, so that it does not rot.
GPU_PARTS := $(if $(CUDA_INC),$(B)/gpu/plain $(B)/gpu/blocks) $(if $(NVCC),$(patsubst %,$(B)/gpu/%.so,burn burn.cuda faulty faulty.cuda entries))
$(B)/gpu/plain: scripts/gpu-check.d/plain.c $(OBJECTS) runtime/exports.list
	@mkdir -p $(@D)
	@echo "  gpu   $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(OPENMP) -o $@ $< $(OBJECTS) -Wl,--dynamic-list=runtime/exports.list $(LDFLAGS) $(LIBS) -L$(CUDA_HOME)/lib64 -lcudart
$(B)/gpu/blocks: scripts/gpu-check.d/blocks.c
	@mkdir -p $(@D)
	@echo "  gpu   $<"
	$(Q)$(CC) $(C) $(CFLAGS) -o $@ $< $(LDFLAGS) -ljansson
$(B)/gpu/burn.so $(B)/gpu/faulty.so: $(B)/gpu/%.so: scripts/gpu-check.d/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) -O3 $(KERNEL_INC) $(OPENMP) -shared -o $@ $<
$(B)/gpu/%.cu.o: scripts/gpu-check.d/%.cu $(B)/flags
	@mkdir -p $(@D)
	@echo "  nvcc  $<"
	$(Q)$(NVCC) -O3 -std=c++17 --threads 2 $(GENCODE) $(KERNEL_INC) -Xcompiler -fPIC -MMD -MP -c $< -o $@
$(B)/gpu/burn.cuda.so: $(B)/gpu/burn.cu.o
$(B)/gpu/faulty.cuda.so: $(B)/gpu/faulty.cu.o
$(B)/gpu/entries.so: $(B)/gpu/entries.cu.o
$(B)/gpu/burn.cuda.so $(B)/gpu/faulty.cuda.so $(B)/gpu/entries.so:
	$(Q)$(CC) -shared -o $@ $^ -L$(CUDA_HOME)/lib64 -Wl$(,)-rpath$(,)$(CUDA_HOME)/lib64 -lcudart -lstdc++

# A test runs the bench of the papers; it knows the kernels of the normal build alone.
tests: all $(TEST_BIN) $(TEST_KERNELS) $(STANDIN_KERNELS) $(GPU_PARTS) $(if $(SAN),,$(B)/bench/papers)

.PHONY: test-kernels
test-kernels: $(TEST_KERNELS)

# Tests run JOBS at a time, each with its output in one piece. QUICK=1: fewer seeds, no valgrind. SEEDS=N: that many
# simulated clusters, and as many fits.
JOBS := $(shell nproc)
check: tests
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) SAN=$(SAN) PLB_QUICK=$(QUICK) \
	  $(if $(SEEDS),PLB_SEEDS=$(SEEDS) PLB_FIT_SEEDS=$(SEEDS) PLB_TIMEOUT=7200) test/run -j $(JOBS) $(TEST_BIN) $(TEST_SH)

# Plants faults in copies of the tree, and shows which test sees each. N=10: a fixed spread of ten. FAULTS='worker/*':
# those alone.
.PHONY: mutants
mutants:
	@test/mutants/run -j $(JOBS) $(if $(N),-n $(N)) $(FAULTS:%='%')

# Everything that there is, with many more seeds; takes hours.
check-deep:
	@scripts/check --deep

bench: all $(BENCH_BIN) $(TEST_KERNELS)
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/run

# The experiments of the papers in virtual time: tables, CSVs, and plots where gnuplot is.
PAPERS := papers adaptation growth
bench-papers: all $(PAPERS:%=$(B)/bench/%)
	@mkdir -p $(B)/bench-papers
	@set -o pipefail; for b in $(PAPERS); do $(B)/bench/$$b $(B)/bench-papers | tee $(B)/bench-papers/$$b.txt || exit; done
	@test/bench/papers.sh $(B)/bench-papers

# What a CPU adds to a GPU, over a wide grid.
.PHONY: bench-coexecution
bench-coexecution: all $(B)/bench/coexecution
	@$(B)/bench/coexecution 15

# All balancers on up to 10,000 PUs of mixed kinds.
.PHONY: bench-mixed
bench-mixed: all $(B)/bench/mixed
	@$(B)/bench/mixed

# What the runtime itself costs.
.PHONY: bench-overhead
bench-overhead: all $(B)/bench/steal $(TEST_KERNELS)
	@PLBRUN=$(abspath $(BIN)) BUILD=$(abspath $(B)) test/bench/overhead.sh
