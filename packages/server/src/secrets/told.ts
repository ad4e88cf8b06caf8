import type { OpenVault } from '@baton/engine';
import type { StoreReads } from '@baton/engine/ports';
import type { Json } from '@baton/protocol';

/**
 * The one place through which everything that a tenant is told goes: answers as a whole, and the events and states
 * of streams, which are written piece by piece. What was recorded before its value joined the secrets stays in the
 * log, where the chain covers it, and is told without it.
 */
export interface Telling {
  /** A JSON text without the tenant's secrets; the same text when there are none in it. */
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
        // Not JSON after all, such as the text of a metric.
        return redactor.redactText(text);
      }
    },
  };
}

/** Reads for people: events come as they are told. Costs nothing on a host without secrets. */
export function tellingEvents(reads: StoreReads, vault: OpenVault, telling: Telling): StoreReads {
  if (vault.everyRedactor === undefined) return reads;
  return {
    ...reads,
    events: (tenant, runId, from, limit) =>
      reads.events(tenant, runId, from, limit).map((text) => telling.json(tenant, text)),
  };
}
