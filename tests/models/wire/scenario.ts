/** What the wire server does with one request. Each dialect writes it in the frames of its vendor. */
export interface Scenario {
  readonly reasoning?: string;
  /** Binds the reasoning to the vendor, and must come back with it. */
  readonly signature?: string;
  readonly text?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: string }[];
  readonly refusal?: string;
  readonly stop?: 'end' | 'length' | 'pause';
  /** `false`: the vendor counts no tokens. */
  readonly usage?: WireUsage | false;
  /** The model that the vendor names in its answer. Absent: the one of the request. */
  readonly model?: string;
  /** The request fails with an HTTP status. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Nothing is sent, not even a status. */
  readonly reset?: true;
  /** The server falls silent after so many frames; at -1 it sends no status. */
  readonly hangAfter?: number;
  /** The stream ends after so many frames: regularly, or with its socket. */
  readonly cutAfter?: { readonly frames: number; readonly how: 'end' | 'destroy' };
  /** A frame with an error follows after so many frames, and then the regular end. */
  readonly errorAfter?: { readonly frames: number; readonly type: string };
  /** A frame that is not JSON follows after so many frames. */
  readonly garbageAfter?: number;
}

interface WireUsage {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly reasoning?: number;
}

export const USAGE: WireUsage = { input: 40, output: 12 };

/** The frames of a whole answer in one dialect. */
export type Frames = (scenario: Scenario, model: string) => readonly string[];

/** One frame with an error, in the words of the vendor. It repeats the key, as vendors have done. */
export type ErrorFrame = (type: string, key: string) => string;

export function frame(data: unknown, event?: string): string {
  return `${event === undefined ? '' : `event: ${event}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** In two pieces, as a model would stream it. */
export function pieces(text: string): string[] {
  const half = Math.ceil(text.length / 2);
  return [text.slice(0, half), text.slice(half)].filter((piece) => piece !== '');
}
