import type { Baton, ConnectionState } from '@baton/client';
import type { RunEvent } from '@baton/protocol';
import { printable } from '../output/printable.ts';
import type { Session } from '../session.ts';
import { foldChunk, foldEvent } from './fold-event.ts';
import { framesOf } from './frames.ts';
import { painterOn, SHOW_CURSOR } from './painter.ts';
import { treeLines } from './tree-lines.ts';
import { newView, type RunView, shortId, type Views } from './view.ts';
import { waitsForPerson } from './waiting.ts';

/** Shows a run while it works: as a live tree, as lines or as JSON, or not at all. */

const PAUSE_MS = 100;
const TICK_MS = 1000;

interface WatchOptions {
  /** Also stop when the run goes on only after a person has answered. */
  readonly untilWaiting: boolean;
  /** Whether the events are shown. If not, the command only waits. */
  readonly shows: boolean;
}

/** How the watching ended. `views` are as they were then. */
export interface Watched {
  readonly end: 'ended' | 'waiting' | 'interrupted';
  readonly views: Views;
  readonly isShown: boolean;
}

interface Shown {
  changed(followed: Followed): void;
  connected(isConnected: boolean): void;
  finish(views: Views): void;
}

export async function watchRun(session: Session, runId: string, options: WatchOptions): Promise<Watched> {
  const stopping = new AbortController();
  const shown = options.shows ? showingOn(session, runId) : undefined;
  let views: Views = new Map();
  let end: Watched['end'] = 'ended';
  const stopAs = (reason: Watched['end']): void => {
    end = reason;
    stopping.abort();
  };
  // While the beginning of a log is read, its questions seem to be open. So the host is asked whether one is.
  let isLooking = false;
  const lookForQuestions = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    const open = await session.baton
      .run(runId)
      .interrupts()
      .catch(() => []);
    isLooking = false;
    if (open.length > 0 && waitsForPerson(runId, views)) stopAs('waiting');
  };
  const interrupt = (): void => stopAs('interrupted');
  process.once('SIGINT', interrupt);
  try {
    await followTree(session.baton, runId, {
      signal: stopping.signal,
      now: Date.now,
      changed(followed) {
        if (stopping.signal.aborted) return;
        views = followed.views;
        shown?.changed(followed);
        if (options.untilWaiting && waitsForPerson(runId, views)) void lookForQuestions();
      },
      connected(isConnected) {
        if (!stopping.signal.aborted) shown?.connected(isConnected);
      },
    });
  } catch (error) {
    if (!stopping.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', interrupt);
    // Also after a failure: nothing is drawn below the last tree.
    stopping.abort();
    shown?.finish(views);
  }
  return { end, views, isShown: options.shows };
}

function showingOn({ out }: Session, runId: string): Shown {
  switch (out.form) {
    case 'terminal':
      return asTree(runId, out.paint);
    case 'json':
      return {
        changed: ({ event }) => event !== undefined && out.give(event, ''),
        connected: () => undefined,
        finish: () => undefined,
      } as Shown;
    case 'lines':
      return asLines(runId, out);
  }
}

function asTree(runId: string, paint: Session['out']['paint']): Shown {
  const screen = process.stdout;
  const painter = painterOn(screen);
  let views: Views = new Map();
  let isConnected = true;
  const lines = (): string[] =>
    treeLines(runId, views, Date.now(), (screen.columns ?? 80) - 1, paint, isConnected);
  const frames = framesOf(() => painter.draw(lines()), { pause: PAUSE_MS, longest: TICK_MS });
  const resized = (): void => painter.draw(lines());
  const showCursor = (): void => void screen.write(SHOW_CURSOR);
  screen.on('resize', resized);
  process.on('exit', showCursor);
  return {
    changed(followed) {
      views = followed.views;
      frames.changed();
    },
    connected(isNow) {
      isConnected = isNow;
      frames.changed();
    },
    finish(last) {
      views = last;
      screen.off('resize', resized);
      process.off('exit', showCursor);
      frames.stop();
      painter.finish(lines());
    },
  };
}

function asLines(rootId: string, out: Session['out']): Shown {
  const before = new Map<string, RunView>();
  return {
    changed({ views, event }) {
      if (event === undefined) return;
      const line = eventLine(rootId, event, before.get(event.runId));
      const view = views.get(event.runId);
      if (view !== undefined) before.set(event.runId, view);
      if (line !== undefined) out.give(undefined, line);
    },
    connected(isConnected) {
      out.note(isConnected ? 'The connection is back.' : 'The connection is lost. Trying again …');
    },
    finish: () => undefined,
  };
}

/**
 * One line of text for an event, for outputs that are no terminal. Events of child runs have the end of their id, such
 * as `.3`, in front. Events that the tree does not show have no line.
 * The line is what the event changes in the view of its run, so that the lines and the tree never disagree.
 */
function eventLine(rootId: string, event: RunEvent, before: RunView | undefined): string | undefined {
  const view = before ?? newView(event.runId);
  const text = told(view, foldEvent(view, event), event);
  if (text === undefined) return undefined;
  const time = event.timestamp.slice(11, 19);
  const child = event.runId === rootId ? '' : `${shortId(event.runId)}  `;
  return printable(`${time}  ${child}${text}`).replace(/\s*\n\s*/g, ' ');
}

function told(before: RunView, after: RunView, event: RunEvent): string | undefined {
  if (after.status !== before.status) {
    const why = after.why === undefined ? '' : `: ${after.why}`;
    const started = `started as ${after.runId}`;
    return `${after.workflowId} ${event.type === 'run.started' ? started : after.status}${why}`;
  }
  const { nodeId } = event;
  if (nodeId === undefined) return undefined;
  const node = after.nodes.findLast((one) => one.nodeId === nodeId);
  const known = before.nodes.findLast((one) => one.nodeId === nodeId);
  if (node === undefined || node === known) return undefined;
  const step = node.steps.find((one) => !known?.steps.includes(one));
  if (step !== undefined && known !== undefined) {
    const child = step.childRunId === undefined ? '' : ` ${shortId(step.childRunId)}`;
    return `${nodeId}: ${step.text}${child} [${step.mark}]`;
  }
  return `${nodeId}${node.text === '' ? '' : `: ${node.text}`} [${node.mark}]`;
}

/** Follows a run and its descendants, and keeps the views of all of them. */

interface Followed {
  readonly views: Views;
  /** The event that changed the views. Absent if a part of a text did. */
  readonly event?: RunEvent;
}

interface FollowOptions {
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** Called after each change. */
  changed(followed: Followed): void;
  /** Called when the connection to the host is lost, and when it is back. */
  connected(isConnected: boolean): void;
}

/** Resolves when the run and all its descendants have ended. */
async function followTree(baton: Baton, rootId: string, options: FollowOptions): Promise<Views> {
  const views = new Map<string, RunView>([[rootId, newView(rootId)]]);
  const viewOf = (runId: string): RunView => views.get(runId) ?? newView(runId);
  const onConnection = (state: ConnectionState): void => options.connected(state === 'open');
  for await (const item of baton.run(rootId).tree({ signal: options.signal, onConnection })) {
    if (item.kind === 'chunk') {
      const { chunk } = item;
      views.set(chunk.runId, foldChunk(viewOf(chunk.runId), chunk, options.now()));
      options.changed({ views });
    } else {
      views.set(item.runId, foldEvent(viewOf(item.runId), item.event));
      options.changed({ views, event: item.event });
    }
  }
  return views;
}
