"""Every number that decides whether a transformation pays, or how far one looks.

None changes what a program computes, but for the order of sums: the random programs are run with each at its extremes
(tests/optimise/test_thresholds.py).  `python -m benchmarks --only thresholds` halves and doubles each, over the programs on
which mechanisms are tried, and says in how many the C changes and how much longer these run (benchmarks/results/thresholds.md).

Weights are operations: an addition is 1, `exp` is 15 (core/primitives.py).  Nodes are constructs of the core, each part once
for every place where it stands.  What is a fact of a format, of the arithmetic or of a processor stays with what uses it.

They are read where they are used, as `thresholds.NAME`.
"""

# -- sizes and proofs (core, rewrite) ------------------------------------------------------------------------------------

TRIPS = 1000.0
"""What every size that is not known counts as where costs are compared.  Larger than any loop that is written out."""

SIZE_NODES = 40
"""A size of at most so many nodes is written without names."""

COPIED_SIZE = 9
"""A size of at most so many nodes is written several times: `n - 1`, `max 0 (n - k)`, a length of a component."""

COPIED_CONDITION = 24
"""Parts of at most so many nodes of what must hold are computed again rather than named."""

COPIED_CHOICES = 3
"""A choice by at most so many conditions in turn is read twice by its derivative, for the value and the tangent."""

UNEVEN = 32
"""A comprehension of at most so many elements whose sizes differ is a list of unlike parts."""

PRODUCT_TERMS = 64
"""Two sums of integers are multiplied out if the product has no more terms than this; what does not fit is an atom."""

CASES = 2
"""So many maxima and minima are looked into, one inside the other, to prove an order of integers."""

CARRIED_TERMS = 400
"""So many terms are looked at to prove by induction that what a loop carries, numbers or elements, is below a size."""

CARRIED_BOUNDS = 3
"""So many sizes are tried, of those that are met in a loop."""

MAGNITUDE_DEPTH = 8
"""So many constructs are looked into to prove that an integer does not wrap around."""

CHOICES = 3
"""Choices of choices of an index are looked into so deep to prove that it is in bounds."""

REWRITES = 20_000
"""Rewritings, each of what the one before has made: so many, and the rules go in circles."""

# -- optimisation of terms -----------------------------------------------------------------------------------------------

SIMPLIFIED = 6
"""So often is a program simplified, at most, by one family of rules; most are done after two."""

UNROLLED = 16
"""Loops of at most so many iterations may be written out.

With 32 the Jacobian of a layer whose size of 30 is known takes 12 × as long, and 4 s more of the C compiler; with 8 the
derivative of bundle adjustment takes 2 to 5 × as long, as rotations are no longer written out.
"""

GROWTH = 20_000
"""A loop that is written out may have no more nodes than this: the C compiler takes more than linear time in them."""

INLINED_NODES = 300
"""A value that is read once, but perhaps not evaluated, is put where it is read if it has no more nodes than this."""

COPIED_NODES = 10_000
"""An array is computed where it is read, several times, if that makes no more nodes than this: sharing finds them to be the
same only afterwards.
"""

CALLS = 10.0
"""How often a function is called, for want of anything better."""

DISPLAY = 32
"""States of loops that are arrays of at most so many numbers become numbers of their own."""

SUMMED_DISPLAY = 16
"""Sums of arrays of at most so many numbers become arrays of sums."""

MATRIX_SIDE = 8
"""Products of matrices of which a side is known to be shorter than this are written out."""

IN_TILES = 0.25
"""What a product of matrices costs that is computed whole, of what its elements cost one by one."""

SPECULATION = 600.0
"""Branches of at most this weight are both computed where that lets loops around them run in vectors.

A branch of a robust loss, of a few square roots and divisions, weighs 100 to 400.
"""

GUARDED_PARTS = 8
"""Sums of more parts than this are not searched for guards that exclude one another."""

GATHERED_PARTS = 8
"""Elements of more parts than this are not gathered instead of scattered, nor are arrays whose sizes differ by more."""

GATHERED_NODES = 1_000
"""Elements of more nodes than this are not computed for each of several places instead of scattered to them: what is gathered
from such elements would be twice as large, and so on.
"""

SCATTER = 8.0
"""What an addition to memory weighs that keeps a loop from running in vectors, with its share of setting the array to zero."""

FACTORS = 12
"""Products of more factors than this are not made one fraction."""

TAKEN_APART = 1.2
"""The arrays of the components may cost so many times what the array of tuples costs, if one of them leaves a loop."""

MERGING_ROUNDS = 12
"""Partitions of the components of two loops that are not stable after so many refinements are given up."""

MERGING_TRIES = 4
"""So many loops before it, at most, is a loop compared with."""

SHARED_SCOPE = 64
"""What was made in scopes of fewer nodes than this is known in the scopes inside."""

ENTRY = 4.0
"""What weighs more than this is worth an entry of a table, which is a load."""

LOOP = 1000.0
"""What a loop weighs that an entry of a table saves."""

SCATTERED_TEST = 2.0
"""What the test of an index weighs that is not affine: it cannot be made for all iterations at once."""

UNSWITCHED = 2_000
"""Loops of more nodes than this are not written twice, for a condition that is the same in all iterations."""

ABSENT_WEIGHT = 15
"""An operation of this weight, that of `exp`, leaves a loop that may not run, under a test of whether it does."""

ABSENT_NODES = 24
"""What has more nodes than this is not written out again beside such a test."""

RECOMPUTED = 2.0
"""Definitions of at most this weight are computed again in both parts of a loop that is taken apart, and not stored."""

STATE_NUMBER = 2.0
"""What storing and loading a number of the state of each element weighs, where loops are interchanged."""

STATE_ARRAY = 24.0
"""What storing and loading an array of the state of each element weighs: arrays no longer stay in the cache."""

WINDOW_TRIPS = 16
"""Loops of at most so many iterations are not kept to a window."""

DEMAND_ROUNDS = 3
"""So often may what is wanted of an array widen, before all of it is wanted."""

DEMAND_MOST_ROUNDS = 12
"""After so many rounds all is wanted of all arrays."""

# -- derivatives ---------------------------------------------------------------------------------------------------------

COMPARED_NODES = 2_000
"""Functions of at most so many nodes, with those of rules, are differentiated both ways to choose a mode."""

COMPARED_OPERATIONS = 1940.0
"""Derivatives of at most so many operations, as predicted, are written out to be compared."""

BELIEVED = 16.0
"""Predictions of the two modes that are further apart than this are believed."""

SPARSER = 4.0
"""That forward mode costs so many times less is believed: tangents whose number is known are sparser than predicted."""

FORWARD_BELOW = 0.6
"""Forward mode is taken if, simplified, it costs less than this part of reverse mode, which gains less by what is shared:
what is differentiated has been shared already.
"""

REVERSE_BELOW = 0.85
"""Reverse mode is taken if it costs less than this part of forward mode, whose loops keep nothing and run in vectors."""

SAVED = 8.0
"""What weighs so much is saved for the way back rather than computed again: a store, a load, and their memory."""

SAVED_IN_BRANCHES = 4.0
"""What weighs so much in a branch is saved for the way back: a branch runs once, and what it saves is a number or an array."""

EARLY_VALUES = 50
"""What must run earlier for a cotangent to be known may have no more definitions than this."""

TABLE_WRITES = 32
"""Tables that are written in more places of the program than this are not followed."""

SUMMED_COTANGENTS = 8
"""So many cotangents are added one after the other, more by halves, so that terms stay shallow."""

DEFINITIONS = 20
"""So many definitions, each of which stands in another, are followed to write a size or an index without names."""

INDEX_NODES = 60
"""Indices of more nodes than this are not looked into."""

JACOBIAN_ROWS = 4
"""Jacobians of at most so many rows are written out, each row without what the zeros of its cotangent make zero."""

HELD = 8.0
"""A table of so many elements may be kept for each one that then need not be saved."""

STEPS_WITHOUT_BLOCKS = 16
"""Loops of at most so many steps, if their number is known, are reversed without checkpoints in between."""

# -- loops ---------------------------------------------------------------------------------------------------------------

ON_STACK = 64
"""Arrays of at most so many scalars are locals, if their size is known."""

ROOMS_ON_STACK = 32
"""So many rooms of a function start on the stack, others empty: stacks are small, and programs may be long."""

TOO_SHORT_FOR_VECTORS = 4
"""Loops of at most so many iterations are not marked for vectors."""

FEW_GATHERED = 24
"""Fewer terms that are read through an index are added one after the other; of twenty, both ways take as long."""

MOVED_COUNT = 24
"""Counts of elements of at most this weight are computed before a loop, so that the array is allocated there."""

INVARIANT_STATEMENTS = 400
"""Bodies of more statements than this are not searched for invariant loops, so that lowering stays linear."""

REPEATED_CHECK = 60
"""A check whose computation has more nodes than this is not made before a loop besides."""

COMPARED_DEFINITIONS = 6
"""Checks that need at most so many definitions are compared with those made before."""

STREAMS = 16
"""Loops are not fused if they then run over more arrays than this: processors follow no more."""

KEPT_SUM = 30
"""What is summed is written out before the loops around if it weighs no more than this."""

KEPT_IN_STRIPS = 8
"""Numbers of this weight are kept from one strip to the next rather than computed again."""

COLUMNS_FOR_STRIPS = 8
"""Fewer columns do not fill a vector: their loops run down the columns as they were.  `logsumexp` of each column of a matrix of
1,000 rows takes 3.2 times as long in strips for 3 columns, 0.65 times for 8.
"""

RECURRENCES_FOR_STRIPS = 4
"""Fewer recurrences run one after the other.  In strips, of a step, each of 4 takes 0.5 times as long, each of 9 a quarter, each
of 1,000 a third to a twelfth: one alone waits for the number of the step before.
"""

COLUMN_IN_STRIPS = 65_536
"""What a recurrence keeps of more steps is kept for one of them at a time: 16 need 8 MiB for each number that is kept.  Of 10,000
steps the gradient of Lotka and Volterra's equations takes an eighth of the time so.
"""

NUMBERS_IN_STRIP = 64
"""So many numbers of a column may have rows in a strip: rows of 64 of them fill the fastest cache, and half of a small stack."""

MATH_KEPT = 8
"""So many results of functions are kept of an iteration: of 64 iterations, a quarter of the stack of a chunk."""

ROWS_IN_STRIP = 16
"""So many rows are added up before functions of their sums: those of 300 numbers are then read again in the fastest cache."""

STRIP_ROWS_ON_STACK = 32
"""Arrays of at most so many rows of strips are on the stack: a matrix of 32 rows of 64 fits the fastest cache."""

JAMMED = 4
"""Loops that add to a row or carry one run so many iterations at once, the former for JAMMED_ROWS rows.  Of
`python -m benchmarks --only arrays`, at n = 256, `A @ B` takes 0.3 times as long as with 1, `solve` 0.6 times.
"""

JAMMED_ROWS = 4
"""So many rows are added to at once; with 2, `A @ B` of 256 takes 1.6 times as long; those of more do not fit the registers."""

JAMMED_STATEMENTS = 500
"""Loops that add to rows are left as they are in functions of more statements than this: each product is 0.2 s for the C
compiler, which takes its time with such functions already.
"""

FIXED_PLACES = 16
"""So many places that a loop adds to in each iteration are added up in registers: half of those of a processor."""

ROW_IN_VECTORS = 4
"""Loops that add to a whole row in each iteration run in vectors if it has no more numbers, which gcc transposes in registers.
Of `python -m benchmarks --only loops`, the forces of 200 particles take 1.7 times as long with 2.
"""

UPDATE_WEIGHT = 200
"""What is added in a nest of two loops is an update of a matrix if it has at most this weight with the definitions in its loops
put in: of a chain of these, each of which uses the one before twice, it doubles with each.
"""

GATHERED_UPDATES = 32
"""So many updates of a matrix, or of its rows, are added to it at once."""

BLOCK_STORES = 4
"""Loops that store at least so many scalars in each iteration, not each to an array of its own, run in blocks."""

BLOCK_DEFINITIONS = 16
"""Bodies of so many definitions gain from blocks even if they store little: what they read comes by rows."""

TILE = 128
"""Tiles of more scalars an iteration than this would leave the fastest cache."""

ROW_COLUMNS = 3
"""Rows of which at least so many columns are read are transposed first."""

ROW_GAPS = 3
"""Rows of which less than one column in so many is read are not transposed."""

ROW_WIDTH = 96
"""Rows wider than this are not transposed."""

# -- lowering ------------------------------------------------------------------------------------------------------------

SEARCHED = 16
"""Searches of fewer elements are written as loops."""

EXCHANGED_LOOP = 8
"""Loops of fewer iterations are not exchanged for the order of memory."""

REST_OF_BRANCHES = 400
"""What follows a branch is written in both branches if it has no more nodes than this."""

BOTH_BRANCHES = 40
"""Branches of at most this weight are computed both, so that loops around them vectorise."""

CHOSEN_EXPRESSION = 100
"""Branches of more nodes than this are not written into one expression."""

EXPRESSION = 24
"""Expressions of more nodes than this are cut: their parts get names."""

LOOKED_BACK = 32
"""So many statements before a loop, at most, are looked through for the ends of its range."""

TAIL_CONDITION = 24
"""A function that ends in the call of itself tests before each step whether it goes on, if that has at most so many nodes."""

# -- large programs ------------------------------------------------------------------------------------------------------

OUTLINED_FROM = 300
"""Functions of fewer statements are compiled as one (with 500 the first call of the mixture's gradient takes 1.2 s on two
processors, and not 1.0; systems of a few equations take 2 % longer with 300, of a microsecond),"""

OUTLINED_BELOW = 10_000
"""and so are those of so many or more, which are not optimised: that takes a program of 20,000 statements 2 seconds of 13."""

OUTLINED_STRAIGHT = 2_000
"""In functions of fewer statements those without a loop stay: the C compiler makes vectors of numbers side by side there.  (A
gradient of 3,500 statements takes 4 seconds to compile instead of 8, and 1.3 times as long to run.)
"""

OUTLINED = 250
"""A function that is compiled beside its program has at most so many statements,"""

OUTLINED_LEAST = 100
"""and no fewer than these: to start the C compiler takes as long as it takes for them."""

# -- threads -------------------------------------------------------------------------------------------------------------

MOST_CHUNKS = 64
"""Parallel loops have at most so many chunks."""

CHUNK_WORK = 40_000
"""A chunk of a parallel loop does at least so many operations, some ten microseconds: to hand it over takes one or two."""

CHUNK_UNIT = 64
"""Chunks of innermost loops are multiples of so many iterations: what runs in vectors does so whatever the chunks are."""

COLUMN_CHUNKS = 8
"""Chunks of the columns of all rows are so many at most, and"""

COLUMN_UNIT = 128
"""multiples of so many columns: of each row they meet a piece.  Of 2,000 columns, 64 in a chunk take one thread 1.4 times as
long as without chunks, 256 take it 1.1 times (`python -m benchmarks --only threads`).
"""

PRODUCT_WORK = 1_000_000
"""A chunk of a product of matrices has at least so many products of numbers."""

PRODUCT_ROWS = 128
"""and about so many rows, or columns: each packs the other factor, if that is large."""

PRODUCT_UNIT = 8
"""And a multiple of so many, but for the last one."""

COPIED_SUMS = 256
"""For each number of an array that all iterations add to, of which chunks have copies, so many operations less count as work."""

UNKNOWN_TRIPS = 8
"""Loops whose size is not known outside of a parallel loop count as so many iterations."""

# -- products of matrices --------------------------------------------------------------------------------------------------

WIDE_PRODUCT = 256
"""A factor that is computed for a product is stored whole if the other one has more columns than this,"""

FACTOR_ROWS = 96
"""else in blocks of so many rows."""

# -- BLAS ----------------------------------------------------------------------------------------------------------------

BLAS_WORK = 2_097_152
"""With `blas=`, products of matrices with at least so many products of numbers are computed by BLAS,"""

BLAS_VECTOR_WORK = 16_384
"""and with so many those that have one row, or one column: our kernel has no tiles for them."""

# -- calls ---------------------------------------------------------------------------------------------------------------

STATIC_LENGTH = 32
"""Arrays of at most so many elements may have a program of their own, in which their lengths are known."""

STATIC_SIGNATURES = 8
"""So many programs of their own are made for the lengths of arguments; others share the one that serves all."""
