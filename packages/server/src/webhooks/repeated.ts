interface RepeatedParts {
  /** Returns whether there may be more to do. */
  readonly work: () => Promise<boolean>;
  readonly isStopping: () => boolean;
  readonly onProblem: (problem: unknown) => void;
  /** After a problem. */
  readonly pause: () => Promise<void>;
}

interface Repeated {
  wake(): void;
  idle(): Promise<void>;
}

/** Does a piece of work again and again while there is more to do, and once more if it was woken meanwhile. */
export function repeated({ work, isStopping, onProblem, pause }: RepeatedParts): Repeated {
  let running: Promise<void> | undefined;
  let again = false;

  async function run(): Promise<void> {
    while (again && !isStopping()) {
      again = false;
      try {
        if (await work()) again = true;
      } catch (problem) {
        onProblem(problem);
        again = true;
        await pause();
      }
    }
    running = undefined;
  }

  return {
    wake() {
      again = true;
      running ??= run();
    },
    idle: async () => running,
  };
}
