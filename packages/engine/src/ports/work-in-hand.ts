/**
 * Is told what the engine is about to do and when it is done. If a tree stops the engine, this tree can then
 * be named: by a watchdog while the thread hangs, and by the next process after a crash.
 */
export interface WorkInHand {
  take(work: Work): void;
  /** The work is done, with any result. A crash after this is not caused by a tree. */
  putDown(): void;
}

export interface Work {
  /** The stored tree that is worked on. Absent for a new tree and for work without a tree. */
  readonly rootId?: string;
  /**
   * `step`: work that the kernel bounds, and that takes milliseconds.
   * `long`: work whose length depends on stored or sent data, such as an erasure or a registration.
   */
  readonly length: 'step' | 'long';
}

/** Work on this tree was under way when the process or the engine thread ended unexpectedly. */
export interface Loss {
  readonly rootId: string;
  /** `stalled`: the engine did not finish its work on the tree in time, so the tree is surely the cause. */
  readonly how: 'lost' | 'stalled';
}
