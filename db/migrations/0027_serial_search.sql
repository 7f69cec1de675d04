-- A search reads some hundreds of rows by an index, in a millisecond or two. The planner expects many times as many,
-- since it takes words for independent, and has parallel workers started and machine code made, for 25 ms and more.
alter function signals_found(jsonb, boolean, integer) set max_parallel_workers_per_gather = 0;
alter function signals_found(jsonb, boolean, integer) set jit = off;
alter function signals_counted(jsonb, boolean, integer) set max_parallel_workers_per_gather = 0;
alter function signals_counted(jsonb, boolean, integer) set jit = off;
alter function signals_sliced(tsquery, jsonb, integer) set max_parallel_workers_per_gather = 0;
alter function signals_sliced(tsquery, jsonb, integer) set jit = off;
