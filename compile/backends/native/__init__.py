"""Native code: LLVM IR as text, optimised for the CPU it runs on and loaded into this process; needs `llvmlite`."""
