import { afterAll, describe, expect, it } from 'vitest';
import { sharedHost } from './host.ts';

/** Whole numbers in queries and headers: up to the documented maximum, and not beyond. */

const LARGEST = '9007199254740991';
const TOO_LARGE = ['9007199254740992', '9007199254740993', '99999999999999999999999'];

const host = await sharedHost();
afterAll(() => host.stop());
const runId: string = (await host.run('three-steps')).body.runId;

describe('the largest number is read, and larger ones are refused', () => {
  it.each([
    ['state?at=', (number: string) => `/v1/runs/${runId}/state?at=${number}`, 422],
    ['events?lastEventId=', (number: string) => `/v1/runs/${runId}/events?lastEventId=${number}`, 200],
    ['poll?lastSequence=', (number: string) => `/v1/runs/${runId}/events/poll?lastSequence=${number}`, 200],
    ['audit', (number: string) => `/v1/audit/verify?fromSeq=${number}&toSeq=${number}`, 200],
    ['files?version=', (number: string) => `/v1/host/workspace/files/a?version=${number}`, 404],
  ])('in %s', async (_where, path, status) => {
    expect((await host.get(path(LARGEST))).status).toBe(status);
    for (const number of TOO_LARGE) {
      const refused = await host.get(path(number));
      expect([number, refused.status, refused.body.error]).toEqual([number, 400, 'validation_error']);
      expect(refused.body.message).toContain(`must be <= ${LARGEST}`);
    }
  });
});

describe('the last event that a reader has', () => {
  const sequences = (events: readonly { sequence: number }[]) => events.map(({ sequence }) => sequence);
  const asked = async (place: 'header' | 'query', value: string, accept: string) => {
    const query = place === 'query' ? `?lastEventId=${value}` : '';
    const headers = { accept, ...(place === 'header' && { 'last-event-id': value }) };
    return host.get(`/v1/runs/${runId}/events${query}`, { headers });
  };

  it.each(['header', 'query'] as const)('is heeded in the %s, for JSON as for a stream', async (place) => {
    const all = sequences((await asked(place, '-1', 'application/json')).body.events);
    expect(all.length).toBeGreaterThan(4);
    const some = sequences((await asked(place, '2', 'application/json')).body.events);
    expect(some).toEqual(all.slice(3));
    for (const [value, sent] of [
      ['-1', all],
      ['2', some],
      [LARGEST, []],
    ] as const) {
      const { text } = await asked(place, value, 'text/event-stream');
      expect([...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))).toEqual(sent);
    }
  });

  it.each(['-2', '1.5', 'abc', '9007199254740992', '1e3'])('is refused where it is %s', async (value) => {
    for (const place of ['header', 'query'] as const) {
      const { status, body } = await asked(place, value, 'application/json');
      expect([place, status, body.error]).toEqual([place, 400, 'validation_error']);
    }
  });
});
