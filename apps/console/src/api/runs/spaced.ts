/**
 * Calls a function at most once in a while: at once when it is quiet, and once more at the end of a busy while.
 * Example: the inbox is read again when runs change, and a busy host changes a hundred runs in a second.
 */
export function spaced(action: () => void, milliseconds: number): () => void {
  let isQuiet = true;
  let isWanted = false;
  const act = () => {
    isQuiet = false;
    isWanted = false;
    setTimeout(() => {
      isQuiet = true;
      if (isWanted) act();
    }, milliseconds);
    action();
  };
  return () => {
    if (isQuiet) act();
    else isWanted = true;
  };
}
