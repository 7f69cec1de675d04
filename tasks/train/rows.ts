/** Posts as rows of numbers, as networks and regressions read them. */

/** Sparse rows: row i is `index[starts[i]..starts[i+1])` with `value` beside it. */
export interface Rows {
  readonly starts: Int32Array;
  readonly index: Int32Array;
  readonly value: Float32Array;
}

/** What a network reads: one row per post, and the rows of the post's sentences. */
export interface NetworkInputs {
  readonly posts: Rows;
  readonly sentences: Rows;
  /** The sentences of post i are rows `firstSentence[i]..firstSentence[i+1])`. */
  readonly firstSentence: Int32Array;
}
