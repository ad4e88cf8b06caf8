/** Pauses that end early when the host stops. */
interface Pauses {
  pause(ms: number): Promise<void>;
  end(): void;
}

export function pauses(after: (ms: number, run: () => void) => () => void): Pauses {
  const open = new Set<() => void>();
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        const end = (): void => {
          open.delete(end);
          cancel();
          resolve();
        };
        const cancel = after(ms, end);
        open.add(end);
      }),
    end() {
      for (const end of [...open]) end();
    },
  };
}
