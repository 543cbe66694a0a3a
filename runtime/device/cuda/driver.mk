# The cuda driver needs CUDA's headers when it is built. The libraries are found when plbrun runs.
# Without the headers, no_cuda.c takes the place of the other files.
NVCC_FOUND := $(realpath $(shell command -v nvcc || echo /usr/local/cuda/bin/nvcc))
CUDA_HOME := $(if $(filter 1,$(CUDA)),$(patsubst %/bin/nvcc,%,$(NVCC_FOUND)))
CUDA_INC := $(if $(wildcard $(CUDA_HOME)/include/cuda_runtime_api.h),-isystem $(CUDA_HOME)/include)
NO_CUDA := runtime/device/cuda/no_cuda.c

DRIVER_INC += $(CUDA_INC)
DRIVER_LIBS += $(if $(CUDA_INC),-Wl$(,)-rpath$(,)$(CUDA_HOME)/lib64)
DRIVER_LEFT_OUT += $(if $(CUDA_INC),$(NO_CUDA),$(filter-out $(NO_CUDA),$(wildcard runtime/device/cuda/*.c)))
