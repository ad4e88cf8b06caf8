/** Time and root ids come from outside, so that tests and replays decide them. */
export interface Clock {
  now(): number;
  /** Calls back once at `at` (or soon after), unless cancelled. */
  at(time: number, callback: () => void): () => void;
}

export interface Ids {
  /** Time-ordered and unique. */
  rootRunId(now: number): string;
}
