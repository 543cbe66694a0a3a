# Copyright the plbrun authors. SPDX-License-Identifier: BSD-3-Clause
"""The Spack recipe of plbrun: docs/start.md says how to use it."""

import os

from spack.package import *

try:  # from Spack 1.0 on
    from spack_repo.builtin.build_systems.cuda import CudaPackage
    from spack_repo.builtin.build_systems.makefile import MakefilePackage
except ImportError:
    pass


class Plbrun(MakefilePackage, CudaPackage):
    """Runs one data-parallel job over unlike CPUs and GPUs of several machines, and shares
    the work so that all of them finish at the same time."""

    # The release of "make dist" lies in the folder that PLBRUN_DIST names, or beside this file.
    url = "file://{0}/plbrun-0.1.0.tar.xz".format(
        os.environ.get("PLBRUN_DIST", os.path.dirname(os.path.abspath(__file__)))
    )

    license("BSD-3-Clause")

    version("0.1.0")

    depends_on("c", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("gmake", type="build")
    depends_on("mpi")
    depends_on("openblas threads=openmp")
    depends_on("nlopt")
    depends_on("hwloc")
    depends_on("libinih")
    depends_on("jansson")
    depends_on("libpng")
    depends_on("zlib-api")
    depends_on("cuda@13:", when="+cuda")

    def edit(self, spec, prefix):
        pass

    def flags(self):
        """What each call of make gets."""
        spec = self.spec
        mpicc = getattr(spec["mpi"], "mpicc", None) or spec["mpi"].prefix.bin.mpicc
        return [
            "PREFIX=" + self.prefix,
            "CC=" + spack_cc,
            "MPICC=" + mpicc,
            "CUDA=" + ("1" if "+cuda" in spec else "0"),
        ] + self.one_architecture()

    def one_architecture(self):
        """The GPUs to build for: all, where the spec does not name one."""
        arch = self.spec.variants["cuda_arch"].value if "+cuda" in self.spec else ()
        return ["CUDA_ARCH=sm_" + arch[0]] if len(arch) == 1 and arch[0] != "none" else []

    def build(self, spec, prefix):
        make(*self.flags(), "all")

    def install(self, spec, prefix):
        make(*self.flags(), "install")

    def check(self):
        with open("spmm.conf", "w") as conf:
            conf.write("[app]\nkernel = spmm\n")
        Executable("./plbrun")("--verify", "spmm.conf")
