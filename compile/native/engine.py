"""From LLVM IR to functions in memory: optimise for one CPU, emit an object file, load it, find the addresses.

    optimised(ir, target) : assembly or object code        load(objects, names) : names → addresses

`llvmlite` is imported by the first call that needs it, and `available()` says whether that works. Everything here may
be called from several threads: one lock guards LLVM's context and the linker. A long module is made in `units`, each in
a context of its own, on as many threads as there are processors. Symbols that the IR declares and does not define are
looked up in `symbols`, a map from name to address, and then in this process, which has the C and the mathematical
library.

The code lives as long as the `Loaded` that `load` or `compile_ir` returns: whoever holds an address holds that too.

    loaded = compile_ir(ir, ["kernel"])
    kernel = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(loaded["kernel"])

`cpu()` is the CPU this process runs on; it, or another `Cpu`, is an argument of the functions here.
"""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import cache
from typing import Any

from ccc.compile.native import emission, store, windows
from ccc.compile.native.cpus import Cpu
from ccc.compile.native.functions import Code
from ccc.compile.native.installation import installed
from ccc.compile.native.units import STRETCH, in_units
from ccc.compile.program.apart import go_on, processors

LOCK = threading.RLock()
if hasattr(os, "register_at_fork"):  # a fork waits until LLVM is left: what it holds itself, nobody could let go of
    for lock in (emission.EMISSIONS, LOCK):  # the last one is the first to be held
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)
COUNT = itertools.count()


class Loaded:
    """Machine code in memory: `loaded[name]` is the address of a function, valid as long as this object lives."""

    def __init__(self, addresses: Mapping[str, int], tracker: Any) -> None:
        self.addresses = dict(addresses)
        self.tracker = tracker

    def __getitem__(self, name: str) -> int:
        return self.addresses[name]


@cache
def available() -> bool:
    """Whether `llvmlite` is there and can be loaded; asking loads it."""
    if not installed():
        return False
    try:
        _binding()
    except (ImportError, OSError):
        return False
    return True


@cache
def _binding() -> Any:
    """`llvmlite.binding` with the native target set up."""
    from llvmlite import binding

    with LOCK:
        binding.initialize_native_target()
        binding.initialize_native_asmprinter()
        binding.initialize_native_asmparser()
    return binding


@cache
def cpu() -> Cpu:
    """The CPU that this process runs on."""
    binding = _binding()
    return Cpu(binding.get_host_cpu_name(), binding.get_host_cpu_features().flatten())


@cache
def _machine(target: Cpu, effort: int = 3) -> Any:
    """LLVM's code generator for a CPU."""
    return _new_machine(target, effort)


def _new_machine(target: Cpu, effort: int = 3) -> Any:
    """A code generator that nobody else uses."""
    triple = _binding().Target.from_default_triple()
    return triple.create_target_machine(
        cpu=target.name, features=target.features, opt=effort, reloc="pic", codemodel="small"
    )


@cache
def _linker() -> Any:
    """The just-in-time linker of this process."""
    return _binding().create_lljit_compiler(_machine(cpu()), use_jit_link=True)


class Effort(Enum):
    """What LLVM does to a module."""

    ALL = "all"
    SIMPLE = "it looks for no more vectors, nor for functions to inline"
    NONE = "it changes nothing"
    SELDOM = "nor does it matter how fast the code is, but how soon it is there"


MOVES_MASKED_LOADS = 22
"""The version of LLVM that moves masked loads over writes (`masked_loads`): it may make none of its own from loops."""


def level(effort: Effort) -> int:
    """How much LLVM's code generator does."""
    return 0 if effort is Effort.SELDOM else 3


def makes_vectors(target: Cpu) -> bool:
    """Whether LLVM may make vectors of loops itself."""
    return _binding().llvm_version_info[0] != MOVES_MASKED_LOADS or not target.lanes


def optimised(ir: str, target: Cpu | None = None, effort: Effort = Effort.ALL, context: Any = None) -> Any:
    """LLVM's module of a text of IR after its passes; its text is `str(module)`."""
    binding, machine = _binding(), _machine(target or cpu())
    with LOCK:
        module = binding.parse_assembly(ir, context)
        module.triple, module.data_layout = machine.triple, str(machine.target_data)
        module.verify()
        if effort in (Effort.NONE, Effort.SELDOM):
            return module
        tuning = binding.create_pipeline_tuning_options(speed_level=2 if effort is Effort.SIMPLE else 3)
        tuning.loop_vectorization = makes_vectors(target or cpu())
        tuning.slp_vectorization = tuning.loop_interleaving = True
        builder = binding.create_pass_builder(machine, tuning)
        if effort is Effort.SIMPLE:
            simplify(module, builder)
        else:
            builder.getModulePassManager().run(module, builder)
            if "vector-function-abi-variant" in ir:
                inline_variants(module, builder)
        if "masked.gather" not in ir and "masked.scatter" not in ir:
            return module
        text = str(module)
        whole = windows.read_whole(text)
        return module if whole is text else binding.parse_assembly(whole, context)


def simplify(module: Any, builder: Any) -> None:
    """Inline what is to be inlined, and simplify each function: little where nothing in it branches, or where it is a
    part of a long one."""
    binding = _binding()
    passes = binding.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, builder)
    branching, few = builder.getFunctionPassManager(), binding.create_new_function_pass_manager()
    few.add_sroa_pass()
    few.add_instruction_combine_pass()
    few.add_simplify_cfg_pass()
    for function in module.functions:
        go_on()
        if not function.is_declaration:
            one_block = next(itertools.islice(function.blocks, 1, None), None) is None
            (few if one_block or STRETCH in function.name else branching).run(function, builder)


def inline_variants(module: Any, builder: Any) -> None:
    """Inline the vector variants of calls that the vectoriser has put into loops."""
    passes = _binding().create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    passes.run(module, builder)


def assembly(ir: str, target: Cpu | None = None) -> str:
    """The optimised machine code as text."""
    with LOCK:
        return _machine(target or cpu()).emit_assembly(optimised(ir, target))


def object_code(ir: str, target: Cpu | None = None, effort: Effort = Effort.ALL) -> bytes:
    """The optimised machine code as an object file, which `load` takes now or in a later process on the same CPU."""
    with LOCK:
        machine = _machine(target or cpu(), level(effort))
        module = optimised(ir, target, effort)
        go_on()
        return machine.emit_object(module)


def machine_code(module: Any, target: Cpu | None = None) -> bytes:
    """The object file of LLVM's module."""
    with LOCK:
        return _machine(target or cpu()).emit_object(module)


def object_codes(irs: Sequence[str], target: Cpu | None = None, effort: Effort = Effort.ALL) -> list[bytes]:
    """The object files of the units of a module, made side by side."""
    if len(irs) == 1:
        return [object_code(irs[0], target, effort)]

    def made(ir: str) -> bytes:
        with LOCK:
            module = optimised(ir, target, effort, _binding().create_context())
            machine = _new_machine(target or cpu(), level(effort))
        return emission.emitted(machine, module)

    with ThreadPoolExecutor(len(irs)) as threads:
        return list(threads.map(made, irs))


def load(codes: Sequence[bytes], names: Iterable[str], symbols: Mapping[str, int] | None = None) -> Loaded:
    """The functions called `names` of the object files of a module, in memory."""
    binding = _binding()
    with LOCK:
        builder = binding.JITLibraryBuilder().add_current_process()
        for code in codes:
            builder.add_object_img(code)
        for name, address in (symbols or {}).items():
            builder.import_symbol(name, address)
        for name in names:
            builder.export_symbol(name)
        tracker = builder.link(_linker(), f"ccc{next(COUNT)}")
        return Loaded({name: tracker[name] for name in names}, tracker)


def compile_ir(
    ir: str | Code, names: Iterable[str], symbols: Mapping[str, int] | None = None, target: Cpu | None = None,
    effort: Effort | None = None,
) -> Loaded:  # fmt: skip
    """The functions called `names` of a module, or of a text of IR, optimised for `target` and in memory; made by an
    earlier process where a folder of object files is asked for (`store`)."""
    names, place, texts = list(names), store.folder(), [ir] if isinstance(ir, str) else in_units(ir, processors())
    effort = effort or (Effort.SIMPLE if isinstance(ir, Code) and ir.simple else Effort.ALL)
    if place is None:
        return load(object_codes(texts, target, effort), names, symbols)
    texts, objects = store.relocated(texts)
    version = f"{_binding().llvm_version_info} {effort.name}"
    files = [store.key(unit, target or cpu(), version, names) for unit in texts]
    codes = [code for file in files if (code := store.read(place, file)) is not None]
    if len(codes) < len(files):
        codes = object_codes(texts, target, effort)
        for file, code in zip(files, codes, strict=True):
            store.write(place, file, code)
    return load(codes, names, {**(symbols or {}), **objects})
