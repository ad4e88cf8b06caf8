/** Pauses that end early when the host stops. Afterwards there are none. */
interface Pauses {
  pause(ms: number): Promise<void>;
  end(): void;
}

export function pauses(after: (ms: number, run: () => void) => () => void): Pauses {
  const open = new Set<() => void>();
  let isEnded = false;
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        if (isEnded) return resolve();
        const end = (): void => {
          open.delete(end);
          cancel();
          resolve();
        };
        const cancel = after(ms, end);
        open.add(end);
      }),
    end() {
      isEnded = true;
      for (const end of [...open]) end();
    },
  };
}
