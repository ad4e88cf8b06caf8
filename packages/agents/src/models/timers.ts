/** Calls back after a time. The returned function cancels the call. */
export type Later = (ms: number, callback: () => void) => () => void;

export const realLater: Later = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};
