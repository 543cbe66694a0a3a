# Our CUDA kernels, compiled for the CPU. They need CUDA's headers and a C++ compiler, and no nvcc.

ON_CPU := $(B)/test/cuda-on-cpu
ON_CPU_CHECK := burn faulty rod # of scripts/gpu-check
ON_CPU_SO := $(if $(CUDA_INC),$(ON_CPU)/blocks.cuda.so \
               $(foreach k,$(CUDA_KERNELS) $(ON_CPU_CHECK),$(ON_CPU)/$(k).so $(ON_CPU)/$(k).cuda.so))
ON_CPU_OBJECTS := $(foreach k,$(CUDA_KERNELS),$(ON_CPU)/$(k)/$(k).o) $(ON_CPU)/blocks/blocks.o \
                  $(ON_CPU_CHECK:%=$(ON_CPU)/%.o)
ON_CPU_LIBS_matmul := $(FAKE)/libcublas.so.13
ON_CPU_LIBS_spmm := $(FAKE)/libcusparse.so.12
# nvcc's warnings are for its own language.
ON_CPU_CXX = $(CXX) -std=c++17 -w $(CFLAGS) $(SANFLAGS) -fPIC -pthread -ffp-contract=off -MMD -MP \
             -include test/cuda-on-cpu/on_cpu.h -Itest/cuda-on-cpu/include $(KERNEL_INC) $(CUDA_INC)

vpath %.cu kernels test/cuda-on-cpu scripts/gpu-check.d
$(ON_CPU_OBJECTS): $(ON_CPU)/%.o: %.cu test/cuda-on-cpu/kernel.sed test/cuda-on-cpu/build.mk $(B)/flags
	@mkdir -p $(@D)
	@echo "  c++   $<"
	$(Q)sed -E -e '1i #line 1 "$<"' -f test/cuda-on-cpu/kernel.sed $< >$(@:.o=.cpp)
	$(Q)$(ON_CPU_CXX) -c $(@:.o=.cpp) -o $@

define ON_CPU_RULE
$(ON_CPU)/$(1).cuda.so: $(ON_CPU)/$(1)/$(1).o $(FAKE)/libcudart.so.13 $(ON_CPU_LIBS_$(1))
	$(Q)$(CXX) $(CFLAGS) $(SANFLAGS) -pthread -shared -o $$@ $$^
$(ON_CPU)/$(1).so: $(B)/kernels/$(1).so
	@mkdir -p $$(@D)
	$(Q)cp $$< $$@
endef
$(foreach k,$(CUDA_KERNELS) blocks,$(eval $(call ON_CPU_RULE,$(k))))

$(ON_CPU_CHECK:%=$(ON_CPU)/%.cuda.so): $(ON_CPU)/%.cuda.so: $(ON_CPU)/%.o $(FAKE)/libcudart.so.13
	$(Q)$(CXX) $(CFLAGS) $(SANFLAGS) -pthread -shared -o $@ $^
$(ON_CPU_CHECK:%=$(ON_CPU)/%.so): $(ON_CPU)/%.so: $(B)/gpu/%.so
	@mkdir -p $(@D)
	$(Q)cp $< $@

$(FAKE)/test_fake_blocks: $(if $(CUDA_INC),$(foreach k,blocks binomial blackscholes,$(ON_CPU)/$(k).cuda.so))
