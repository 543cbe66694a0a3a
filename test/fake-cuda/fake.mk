# The fake CUDA runtime, cuBLAS and cuSPARSE: host memory behind CUDA's own headers. A sanitized build has no
# nvcc, but needs the fake most. Without CUDA's headers its tests say so and skip.

FAKE := $(B)/test/fake-cuda
FAKE_SO := $(if $(CUDA_INC),$(FAKE)/libcudart.so.13 $(FAKE)/libcublas.so.13 $(FAKE)/libcusparse.so.12)
FAKE_OWN := modes blur heat heard gpu_only
FAKE_KERNELS := $(if $(CUDA_INC),$(FAKE)/device_file.so $(FAKE)/entries.so \
                $(FAKE_OWN:%=$(FAKE)/kernels/%.so) $(FAKE_OWN:%=$(FAKE)/kernels/%.cuda.so))
FAKE_TESTS := $(patsubst test/%.c,$(B)/test/%,$(wildcard test/fake-cuda/test_*.c))
FAKE_OBJECTS := $(patsubst %,$(FAKE)/%.o,fake config memory pool copies peers execute \
                streams blocks device nvcc)

# The old kind of rpath goes before LD_LIBRARY_PATH, which names the real libraries where they are.
FAKE_RPATH := -Wl,--disable-new-dtags,-rpath,'$$ORIGIN'
FAKE_LINK = $(CC) $(CFLAGS) $(SANFLAGS) -pthread -shared -Wl,-soname,$(@F)

$(FAKE)/%.o: test/fake-cuda/%.c $(B)/flags
	@mkdir -p $(@D)
	@echo "  cc    $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(BLAS_CFLAGS) -c $< -o $@

# The thread sanitizer lists the calls that a thread is in, in an array whose end it does not check. A fiber
# never returns from its calls, so that the list would grow with each kernel.
$(FAKE)/blocks.o: CFLAGS += -fno-sanitize=thread
$(FAKE)/blocks.o: test/fake-cuda/fake.mk

$(FAKE)/libcudart.so.13: $(FAKE_OBJECTS) test/fake-cuda/cudart.map
	$(Q)$(FAKE_LINK),--version-script=test/fake-cuda/cudart.map -o $@ $(FAKE_OBJECTS)

$(FAKE)/device_file.so: test/fake-cuda/device_file.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) -shared -o $@ $<

$(FAKE)/libcublas.so.13: $(FAKE)/cublas.o $(FAKE)/libcudart.so.13 test/fake-cuda/cublas.map
	$(Q)$(FAKE_LINK),--version-script=test/fake-cuda/cublas.map $(FAKE_RPATH) -o $@ \
	  $(filter-out %.map,$^) $(BLAS_LIBS)

$(FAKE)/libcusparse.so.12: $(FAKE)/cusparse.o $(FAKE)/libcudart.so.13 test/fake-cuda/cusparse.map
	$(Q)$(FAKE_LINK),--version-script=test/fake-cuda/cusparse.map $(FAKE_RPATH) -o $@ $(filter-out %.map,$^)

$(FAKE_TESTS): $(B)/test/%: test/%.c $(FAKE_SO) $(B)/flags
	@mkdir -p $(@D)
	@echo "  test  $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(if $(CUDA_INC),-DWITH_CUDA_HEADERS) -o $@ $(filter test/%.c,$^) \
	  $(FAKE_RPATH) $(FAKE_SO) $(LDFLAGS) $(TEST_LIBS) -lm

# Kernels for the fake are in a folder of their own: a real GPU cannot run them.
FAKE_ENTRIES := $(FAKE)/entries.so $(FAKE_OWN:%=$(FAKE)/kernels/%.cuda.so)
$(FAKE)/entries.so: test/fake-cuda/entries.c
$(FAKE)/kernels/modes.cuda.so: test/fake-cuda/modes.c test/kernels/modes.c
$(FAKE)/kernels/blur.cuda.so: test/fake-cuda/blur.c test/kernels/blur.c
$(FAKE)/kernels/heat.cuda.so: test/fake-cuda/heat.c test/kernels/heat.c
$(FAKE)/kernels/heard.cuda.so: test/fake-cuda/heat.c test/kernels/heat.c
$(FAKE)/kernels/gpu_only.cuda.so: test/fake-cuda/gpu_only.c
# A .d file names what a source includes, too: that is not to be compiled again.
$(FAKE_ENTRIES): test/fake-cuda/on_stream.h $(FAKE_SO)
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) -shared -o $@ \
	  $(filter-out test/fake-cuda/../%,$(filter test/fake-cuda/%.c,$^)) $(FAKE)/libcudart.so.13
$(FAKE_OWN:%=$(FAKE)/kernels/%.so): $(FAKE)/kernels/%.so: $(B)/test/kernels/%.so
	@mkdir -p $(@D)
	$(Q)cp $< $@
