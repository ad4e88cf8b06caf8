let turn: Promise<void> | undefined;

/** One turn of the event loop, shared by all that wait for it. */
export function turnOfOthers(): Promise<void> {
  turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = undefined;
      resolve();
    }),
  );
  return turn;
}
