import type { Work, WorkInHand } from '@baton/engine/ports';

/**
 * The tree that the engine works on, in memory that both threads share. The main thread can read it even
 * while the engine thread hangs. The engine writes without locks, and increases a counter with every change.
 */

const TURN = 0;
const LENGTH = 1;
const ID_BYTES = 2;
const HEADER_BYTES = 12;
const MAX_ID_BYTES = 244;

const LENGTHS = ['none', 'step', 'long'] as const;

export interface InHand {
  /** Grows each time work begins or ends. The same number means the same piece of work. */
  readonly turn: number;
  readonly length: (typeof LENGTHS)[number];
  readonly rootId?: string;
}

export function inHandMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(HEADER_BYTES + MAX_ID_BYTES);
}

export function inHandWriter(memory: SharedArrayBuffer): WorkInHand {
  const { header, id } = partsOf(memory);
  const scratch = new Uint8Array(MAX_ID_BYTES);
  const encoder = new TextEncoder();
  function write(length: InHand['length'], rootId: string | undefined): void {
    let written = 0;
    if (rootId !== undefined) {
      ({ written } = encoder.encodeInto(rootId, scratch));
      id.set(scratch.subarray(0, written));
    }
    header[ID_BYTES] = written;
    header[LENGTH] = LENGTHS.indexOf(length);
    Atomics.add(header, TURN, 1);
  }
  return {
    take: ({ length, rootId }: Work) => write(length, rootId),
    putDown: () => write('none', undefined),
  };
}

export function readInHand(memory: SharedArrayBuffer): InHand {
  const { header, id } = partsOf(memory);
  const turn = Atomics.load(header, TURN);
  const length = LENGTHS[header[LENGTH] ?? 0] ?? 'none';
  const bytes = header[ID_BYTES] ?? 0;
  if (bytes === 0) return { turn, length };
  return { turn, length, rootId: new TextDecoder().decode(id.slice(0, bytes)) };
}

function partsOf(memory: SharedArrayBuffer): { readonly header: Int32Array; readonly id: Uint8Array } {
  return {
    header: new Int32Array(memory, 0, HEADER_BYTES / 4),
    id: new Uint8Array(memory, HEADER_BYTES, MAX_ID_BYTES),
  };
}
