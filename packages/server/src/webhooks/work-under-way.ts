/** Knows which pieces of work have not ended. */
interface WorkUnderWay {
  add(work: Promise<void>): void;
  /** Resolves when none is left, including those that were added meanwhile. */
  idle(): Promise<void>;
}

export function workUnderWay(): WorkUnderWay {
  const underWay = new Set<Promise<void>>();
  return {
    add(work) {
      underWay.add(work);
      void work.finally(() => underWay.delete(work));
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
