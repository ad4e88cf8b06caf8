import { fieldTable, page } from './markdown.mjs';

export async function eventPage() {
  const { EVENT_PAYLOADS, EVENT_SUMMARIES } = await import('@baton/protocol');
  const intro =
    'Every event type of a log, with the fields of its payload. Each event also has `eventId`, `runId`, ' +
    '`sequence` (from 0, without gaps), `timestamp`, `type`, and where it applies `nodeId` and `causationId`, ' +
    'the id of the event that caused it. Types that begin with `baton.` are extensions of this host.';
  const parts = Object.entries(EVENT_PAYLOADS).map(([type, schema]) =>
    [`## ${type}`, EVENT_SUMMARIES[type], fieldTable(schema)].filter(Boolean).join('\n\n'),
  );
  return page('Events', intro, ...parts);
}
