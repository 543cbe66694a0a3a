# The opencl driver needs OpenCL's headers when it is built, and entries the library too (Debian:
# ocl-icd-opencl-dev). plbrun finds the library when it runs. Without the two, no_opencl.c takes the place of
# the other files.
OPENCL := $(shell pkg-config --exists OpenCL 2>/dev/null && echo yes)
NO_OPENCL := runtime/device/opencl/no_opencl.c

DRIVER_LEFT_OUT += $(if $(OPENCL),$(NO_OPENCL), \
                     $(filter-out $(NO_OPENCL),$(wildcard runtime/device/opencl/*.c)))
