# What the cuda driver needs to be built: CUDA's headers. The libraries are found when plbrun runs. Without the
# headers, no_cuda.c takes the place of the other files.
CUDA_HOME := $(if $(filter 1,$(CUDA)),$(patsubst %/bin/nvcc,%,$(realpath $(shell command -v nvcc || echo /usr/local/cuda/bin/nvcc))))
CUDA_INC := $(if $(wildcard $(CUDA_HOME)/include/cuda_runtime_api.h),-isystem $(CUDA_HOME)/include)

DRIVER_INC += $(CUDA_INC)
DRIVER_LIBS += $(if $(CUDA_INC),-Wl$(,)-rpath$(,)$(CUDA_HOME)/lib64)
DRIVER_LEFT_OUT += $(if $(CUDA_INC),runtime/device/cuda/no_cuda.c,$(filter-out %/no_cuda.c,$(wildcard runtime/device/cuda/*.c)))
