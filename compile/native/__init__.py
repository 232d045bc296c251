"""A λ-program comes in, machine code by LLVM goes out."""
