import type { OpenVault } from '@baton/engine';
import type { LogReads, SecretReads, SecretRecord } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';

/**
 * Removes secrets from everything that a tenant is sent: whole answers, and the events and states of streams.
 * An event that was recorded before its value became a secret stays unchanged in the log, because the hash
 * chain covers it. The secret is removed only when the event is sent.
 */
export interface Telling {
  /** A JSON text without the secrets of the tenant. A text without secrets is returned unchanged. */
  json(tenant: string, text: string): string;
}

export function tellingWithout(vault: Pick<OpenVault, 'redactor'>): Telling {
  return {
    json(tenant, text) {
      const redactor = vault.redactor(tenant);
      if (redactor === undefined || redactor.redactText(text) === text) return text;
      try {
        return JSON.stringify(redactor.redactJson(JSON.parse(text) as Json));
      } catch {
        // The text is not JSON, such as the text of a metric.
        return redactor.redactText(text);
      }
    },
  };
}

/** Reads whose events have no secrets. */
export function tellingEvents<R extends Pick<LogReads, 'events' | 'eventsInTree'>>(
  reads: R,
  vault: Pick<OpenVault, 'redactor'>,
  telling: Telling,
): R {
  return {
    ...reads,
    events: async (tenant: string, runId: string, from: number, limit: number) => {
      const texts = await reads.events(tenant, runId, from, limit);
      return vault.redactor(tenant) === undefined ? texts : texts.map((text) => telling.json(tenant, text));
    },
    eventsInTree: async (tenant: string, runId: string, from: number, limit: number) => {
      const events = await reads.eventsInTree(tenant, runId, from, limit);
      if (vault.redactor(tenant) === undefined) return events;
      return events.map(({ place, text }) => ({ place, text: telling.json(tenant, text) }));
    },
  };
}

const PAGE = 100;

/** The stored secrets of all tenants. */
export async function* storedPages(
  reads: Pick<SecretReads, 'everySecret'>,
): AsyncGenerator<readonly SecretRecord[]> {
  let last: SecretRecord | undefined;
  do {
    const page = await reads.everySecret(last, PAGE);
    if (page.length > 0) yield page;
    last = page.at(-1);
  } while (last !== undefined);
}
