import type { Command, Reply } from '@baton/engine';
import { BatonError } from '@baton/protocol';
import type { Numbered } from './messages.ts';

/** Commands that were sent to the engine and not yet answered. */
export interface InFlight {
  /** Rejects with `overloaded` when there are too many. */
  send(command: Command): Promise<Reply>;
  answer(replies: Numbered): void;
  count(): number;
  /** Sends the gathered commands at once. */
  flush(): void;
  /**
   * Called when the thread has ended unexpectedly. Callers whose command was sent are told that its outcome
   * is unknown. Commands that were not sent yet, and new ones, are gathered until `go` and sent to the next
   * thread.
   */
  hold(): void;
  go(): void;
}

/** Further commands are refused. Commands that were accepted before are not affected. */
export const MAX_IN_FLIGHT = 10_000;
/** One tenant may use half of the places, so that there is room for the others. */
export const MAX_OF_A_TENANT = MAX_IN_FLIGHT / 2;

interface Sent {
  readonly tenant: string;
  readonly resolve: (reply: Reply) => void;
}

export function inFlightCommands(post: (batch: Numbered) => void): InFlight {
  const waiting = new Map<number, Sent>();
  const ofTenant = new Map<string, number>();
  let lastId = 0;
  let outgoing: (number | string)[] = [];
  let held = false;

  function settle(id: number, reply: Reply): void {
    const sent = waiting.get(id);
    if (sent === undefined) return;
    waiting.delete(id);
    const left = (ofTenant.get(sent.tenant) ?? 1) - 1;
    if (left === 0) ofTenant.delete(sent.tenant);
    else ofTenant.set(sent.tenant, left);
    sent.resolve(reply);
  }

  function flush(): void {
    if (held || outgoing.length === 0) return;
    const batch = outgoing;
    outgoing = [];
    post(batch);
  }

  return {
    send(command) {
      const tenant = 'caller' in command ? command.caller.tenant : '';
      const own = ofTenant.get(tenant) ?? 0;
      if (waiting.size >= MAX_IN_FLIGHT || own >= MAX_OF_A_TENANT) {
        return Promise.reject(new BatonError('overloaded'));
      }
      const id = ++lastId;
      // All requests that were read in this iteration of the event loop share one message.
      if (outgoing.length === 0) setImmediate(flush);
      outgoing.push(id, JSON.stringify(command));
      ofTenant.set(tenant, own + 1);
      return new Promise((resolve) => waiting.set(id, { tenant, resolve }));
    },
    answer(replies) {
      for (let i = 0; i + 1 < replies.length; i += 2) {
        settle(Number(replies[i]), JSON.parse(String(replies[i + 1])));
      }
    },
    count: () => waiting.size,
    flush,
    hold() {
      held = true;
      const unsent = new Set(outgoing.filter((_, index) => index % 2 === 0));
      const error = new BatonError('engine_restarted').body();
      for (const id of [...waiting.keys()]) if (!unsent.has(id)) settle(id, { ok: false, error });
    },
    go() {
      held = false;
      flush();
    },
  };
}
