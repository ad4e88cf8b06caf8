import type { LogReads } from '@baton/engine/ports';
import { isTerminal } from '@baton/protocol';
import type { Identity } from '../auth/keyring.ts';
import type { HostContext } from '../http/context.ts';
import type { RunOfTenant } from '../runs/run-of.ts';
import { readSnapshot } from '../runs/snapshot.ts';
import { batchFrame, eventFrames, type Frames, valuesFrame } from './frames.ts';
import { createPages } from './pages.ts';

/**
 * Produces the frames of a stream. Each call returns what is new since the previous call, which has to be
 * finished.
 */
export type FrameSource = () => Promise<Frames | undefined>;

interface LogPlace {
  /** Sequence of the first event to send. */
  readonly from: number;
  /** One frame for all events of a page instead of one for each. */
  readonly batched: boolean;
  readonly shows?: (type: string) => boolean;
}

/** Frames of the log. All events are read from the store in order, so none is missing or repeated. */
export function logFrames(
  host: { readonly reads: Pick<LogReads, 'events'> },
  run: RunOfTenant,
  place: LogPlace,
): FrameSource {
  const pages = createPages(host.reads, run, place.from);
  const toFrames = place.batched ? batchFrame : eventFrames;
  return async () => {
    const first = pages.position();
    const events = await pages.read();
    if (events.length === 0) return undefined;
    return { ...toFrames(events, first, place.shows), upTo: pages.position() - 1 };
  };
}

/** Frames of the state of a run. A slow reader may miss states in between, but never the latest one. */
export function valueFrames(host: HostContext, runId: string, identity: Identity): FrameSource {
  let shown = -1;
  return async () => {
    const snapshot = await readSnapshot(host, runId, identity);
    if (snapshot === undefined || snapshot.lastSequence === shown) return undefined;
    shown = snapshot.lastSequence;
    const told = host.telling.json(identity.tenant, JSON.stringify(snapshot));
    return { text: valuesFrame(told, shown), ended: isTerminal(snapshot.status) };
  };
}
