import type { EventInTree } from '@baton/engine/ports';
import type { LiveChunk } from '../progress/live-chunks.ts';

/** Server-sent frames of consecutive events of a log. */
export interface Frames {
  readonly text: string;
  /** True when the last of the events ends the run. */
  readonly ended: boolean;
  /** The sequence of the last of the events. */
  readonly upTo?: number;
}

type Shows = ((type: string) => boolean) | undefined;

/** One frame for each event, with its type as the name and its sequence as the id. */
export function eventFrames(events: readonly string[], first: number, shows: Shows): Frames {
  let text = '';
  let type = '';
  for (let i = 0; i < events.length; i += 1) {
    const event = events[i] ?? '';
    type = typeOf(event);
    if (shows === undefined || shows(type)) {
      text += `event: ${type}\nid: ${first + i}\ndata: ${event}\n\n`;
    }
  }
  return { text, ended: endsRun(type) };
}

/** One frame for all events, for readers that asked for fewer and larger frames. */
export function batchFrame(events: readonly string[], first: number, shows: Shows): Frames {
  const last = events.at(-1);
  const ended = last !== undefined && endsRun(typeOf(last));
  const shown = shows === undefined ? events : events.filter((event) => shows(typeOf(event)));
  if (shown.length === 0) return { text: '', ended };
  return { text: `event: batch\nid: ${first + events.length - 1}\ndata: [${shown.join(',')}]\n\n`, ended };
}

/** An event of a tree. The id is its place, so a reader that connects again gets the events after it. */
export function treeEventFrame(runId: string, { place, text }: EventInTree): string {
  const data = `{"runId":${JSON.stringify(runId)},"place":${place},"event":${text}}`;
  return `event: tree.event\nid: ${place}\ndata: ${data}\n\n`;
}

/** Tells the reader that no more events will come. A stream without it was broken off. */
export const TREE_ENDED_FRAME = 'event: tree.ended\ndata: {}\n\n';

/** A part of a text that is not recorded yet. It has no id: a reader that connects again cannot ask for it. */
export function chunkFrame(chunk: LiveChunk): string {
  return `event: ai.message.chunk\ndata: ${JSON.stringify(chunk)}\n\n`;
}

export function valuesFrame(snapshot: string, lastSequence: number): string {
  return `event: values\nid: ${lastSequence}\ndata: ${snapshot}\n\n`;
}

/** Streams send stored events unchanged. The type of an event is read from its text, without parsing it. */

const TYPE = '"type":"';

/** The type of an event. In the stored text it comes before every value that a workflow can choose. */
export function typeOf(event: string): string {
  const start = event.indexOf(TYPE) + TYPE.length;
  return event.slice(start, event.indexOf('"', start));
}

/** Whether an event of this type ends its run. */
export function endsRun(type: string): boolean {
  return type === 'run.completed' || type === 'run.failed' || type === 'run.cancelled';
}
