# What no C++ compiler reads in CUDA's language becomes a call of on_cpu.h. Lines stay lines.
#
# kernel<<<grid, block, bytes, stream>>>(arguments), whose three signs may be on three lines
s/([A-Za-z_][A-Za-z_0-9]*(<[^<>]*>)?)<<</on_cpu::launch([](auto... a) { \1(a...); }, on_cpu::shape(/g
s/>>>\(/), /g
# extern __shared__ type name[];    __shared__ type name[length];    __shared__ type name;
s/extern __shared__ (.+) ([A-Za-z_][A-Za-z_0-9]*)\[\];/\1 *const \2 = static_cast<\1 *>(cudaFakeDynamicShared());/
s/__shared__ (.+) ([A-Za-z_][A-Za-z_0-9]*)\[(.+)\];/auto \&\2 = on_cpu::shared<\1[\3]>([] {});/
s/__shared__ (.+) ([A-Za-z_][A-Za-z_0-9]*);/auto \&\2 = on_cpu::shared<\1>([] {});/
s/\b(threadIdx|blockIdx|blockDim|gridDim)\./on_cpu::\1()./g
