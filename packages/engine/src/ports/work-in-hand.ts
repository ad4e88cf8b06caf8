/**
 * Told what the engine is about to do, and when it has done it, so that the tree that stops the engine can be named
 * from outside: by a watchdog while the thread hangs, and by the next process when this one is lost.
 */
export interface WorkInHand {
  take(work: Work): void;
  /** The work is done, whatever came of it; what follows is nobody's fault but the store's. */
  putDown(): void;
}

export interface Work {
  /** The stored tree that is worked on; nothing for one that is about to be made, and for work without a tree. */
  readonly rootId?: string;
  /**
   * `step`: work that the kernel bounds, and that takes milliseconds.
   * `long`: work whose length depends on what is stored or sent, such as an erasure or a registration.
   */
  readonly length: 'step' | 'long';
}

/** Work on this tree was under way when the process or its thread was lost. */
export interface Loss {
  readonly rootId: string;
  /** `stalled`: the engine did not come back from it, so that the tree is to blame for sure. */
  readonly how: 'lost' | 'stalled';
}
