# The parts that scripts/gpu-check needs beside the tests. `make tests` builds them also where there is no
# GPU, so that they do not rot.

GPU_CHECK_CUDA := burn burn.cuda faulty faulty.cuda rod rod.cuda entries
GPU_PARTS := $(if $(CUDA_INC),$(B)/gpu/plain $(B)/gpu/blocks) $(if $(NVCC),$(GPU_CHECK_CUDA:%=$(B)/gpu/%.so))

$(B)/gpu/plain: scripts/gpu-check.d/plain.c $(OBJECTS) runtime/exports.list
	@mkdir -p $(@D)
	@echo "  gpu   $<"
	$(Q)$(CC) $(C) $(CFLAGS) $(INC) $(OPENMP) -o $@ $< $(OBJECTS) $(LINK) -L$(CUDA_HOME)/lib64 -lcudart
$(B)/gpu/blocks: scripts/gpu-check.d/blocks.c
	@mkdir -p $(@D)
	@echo "  gpu   $<"
	$(Q)$(CC) $(C) $(CFLAGS) -o $@ $< $(LDFLAGS) -ljansson
$(B)/gpu/burn.so $(B)/gpu/faulty.so $(B)/gpu/rod.so: $(B)/gpu/%.so: scripts/gpu-check.d/%.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(C) $(CFLAGS) -O3 $(KERNEL_INC) $(OPENMP) -shared -o $@ $<
$(B)/gpu/%.cu.o: scripts/gpu-check.d/%.cu $(B)/flags
	@mkdir -p $(@D)
	@echo "  nvcc  $<"
	$(Q)$(NVCC_C) -c $< -o $@
$(B)/gpu/burn.cuda.so: $(B)/gpu/burn.cu.o
$(B)/gpu/faulty.cuda.so: $(B)/gpu/faulty.cu.o
$(B)/gpu/rod.cuda.so: $(B)/gpu/rod.cu.o
$(B)/gpu/entries.so: $(B)/gpu/entries.cu.o
$(B)/gpu/burn.cuda.so $(B)/gpu/faulty.cuda.so $(B)/gpu/rod.cuda.so $(B)/gpu/entries.so:
	$(Q)$(CC) -shared -o $@ $^ $(CUDA_LINK) -lcudart -lstdc++
