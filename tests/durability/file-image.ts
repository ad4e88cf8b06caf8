/** What can happen to the content of a file. */
export type Change =
  | { readonly kind: 'write'; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly size: number };

/** The content of a file, which grows in place. */
export interface FileImage {
  size(): number;
  /** A view of what is there, which is valid until the next change. */
  bytes(from: number, to: number): Uint8Array;
  apply(change: Change): void;
  copy(): FileImage;
}

export function fileImage(start: Uint8Array = new Uint8Array()): FileImage {
  let room = start;
  let size = start.length;

  function resize(next: number): void {
    if (next > room.length) {
      const larger = new Uint8Array(next * 2);
      larger.set(room.subarray(0, size));
      room = larger;
    }
    // What was cut off must not come back when the file grows again.
    if (next < size) room.fill(0, next, size);
    size = next;
  }

  return {
    size: () => size,
    bytes: (from, to) => room.subarray(Math.min(from, size), Math.min(to, size)),
    apply(change) {
      if (change.kind === 'truncate') {
        resize(change.size);
      } else {
        resize(Math.max(size, change.at + change.bytes.length));
        room.set(change.bytes, change.at);
      }
    },
    copy: () => fileImage(room.slice(0, size)),
  };
}
