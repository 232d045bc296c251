"""A Python function and the types of its arguments come in, a λ-program goes out, or a refusal with its place.

The modules stand on floors, the highest first. Imports go down or along a floor, never in a circle. What has to ask
upward, as an expression that is a comprehension, asks the `Elaboration`, whose table of handlers `elaborate` fills.

derivatives: derivation directions flows inline reading shown_integers truncations wanted_parts written_inside
    A derivative that a program takes is elaborated on its own, derived and spliced in, its ints read as it needs them.
whole: elaborate written
    A function and the types of its arguments become a program, by an elaboration whose handlers are those below.
syntax: attributes calls comparing draws expressions function_values imports joined_texts known_functions
    lifted local_classes managers matching misused operators special_methods spreading statements
    ufunc_options unpacking
    A node of Python's syntax, or a call, becomes what it does to the names of an activation, and a value.
library: builtin classes_at_run complex_numbers copying custom definitions first_results foreign functional
    inner_programs iterators library_calls numpy_arguments opaque outside_calls pools rules_given sequences standing
    A call of a function of Python's, NumPy's or another library, or of one with a derivative of its own, becomes its
    value.
functions: asked bodies carried chains closing closures comprehensions cursors decorated defaults extremes first_runs
    generators handing iterated left_loops loop_aliases loop_names loop_sequences loops misfits pushing raised_within
    reading_out recursion resuming steady unrolling user_calls whiles wrapped_calls
    Functions of users and loops become λs and loops of the program, or are read at each call and each run.
objects: attribute_dicts augmenting cached_properties conditions dict_views equality frozen known_sets outside
    pictures protocols record_making record_operators records supers
    Objects, what is read from outside and tests become their parts, hidden arguments and bools.
branches: alternatives atoms branches joins paths presence snapshots trying
    Two ways through a program become one value and one set of names where they meet.
memory: memory
    Values that change and those who see them become new contents, or a refusal; entered by `memory.interface`.
program: boxed class_variables effects forms kinds_met known_calls known_objects lending on_host outside_sets patterns
    reals refused_builtins result_trees settling stand_ins sums texts unread_calls viewed_dicts
    Sums, functions, texts, reals and results become values that the program has when it runs, numbers what they are.
run: attempts elaboration stores turns
    The state of one run over a function, and the table of what upper floors do for lower ones.
values: absences activations complex_values counterparts describing earlier earlier_lambdas ends facts guards
    interrupts iterables iterator_values lent members objects_at_places parameters parts pieces place_kinds prelude
    readings recorder regions sameness survey values
    What a Python expression denotes meanwhile, and what is noted of it; `memory.undo_log`, `memory.notes` and
    `memory.array_store` belong here.
numpy: numpy_functions
    What functions of NumPy's mean, written in Python with others.
text: captures fitting global_names grammar integers liveness names private_names python_functions receivers_once source
    suspending switch unrepeatable yielding
    Functions, their syntax trees and the names in them, before anything has a value.
"""

from ccc.later import load_later

load_later(__name__)
