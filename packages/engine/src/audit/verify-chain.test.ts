import { describe, expect, it } from 'vitest';
import type { ChainRecord } from '../ports/audit.ts';
import type { RunRow } from '../ports/store.ts';
import { eraseLog } from './erasure.ts';
import { extendLink } from './sha256.ts';
import { type ChainedEvent, verifyChain } from './verify-chain.ts';

const HEAD = 12;

const textOf = (sequence: number, value: unknown = sequence, runId = 'r') =>
  `{"eventId":"${runId}:${sequence}","runId":"${runId}","sequence":${sequence},"timestamp":"t","type":"x","payload":${JSON.stringify({ value })}}`;

const TEXTS = Array.from({ length: HEAD }, (_, sequence) => textOf(sequence));
const linkAfter = (head: number) => extendLink('', TEXTS.slice(0, head));
const EVENTS: readonly ChainedEvent[] = TEXTS.map((text, sequence) => ({
  sequence,
  place: 100 + sequence,
  text,
}));

const ROW: RunRow = {
  runId: 'r',
  rootId: 'r',
  tenant: 'acme',
  principal: 'ada',
  workflowId: 'w',
  workflowVersion: 1,
  tags: [],
  createdAt: 0,
  status: 'completed',
  updatedAt: 0,
  head: HEAD,
  chain: linkAfter(HEAD),
};

/** Signed at 4, 8 and 12. A state was saved at 6. */
const RECORD: ChainRecord = {
  row: ROW,
  leaves: [4, 8, 12].map((head, index) => ({
    runId: 'r',
    head,
    link: linkAfter(head),
    checkpoint: index + 1,
  })),
  marks: [{ head: 6, link: linkAfter(6) }],
};

function verdict(events: readonly ChainedEvent[], record: ChainRecord = RECORD) {
  const verifier = verifyChain(record);
  for (const event of events) verifier.add(event);
  return verifier.finish();
}

const brief = (events: readonly ChainedEvent[], record?: ChainRecord) =>
  verdict(events, record).findings.map(({ what, from, to }) => [what, from, to]);

const changed = (at: number, value: unknown = 'forged') =>
  EVENTS.map((event) => (event.sequence === at ? { ...event, text: textOf(at, value) } : event));

describe('the chain of a run', () => {
  it('agrees with what was kept when nobody touched it', () => {
    expect(verdict(EVENTS)).toEqual({
      findings: [],
      events: HEAD,
      chained: true,
      signed: true,
      purged: false,
    });
  });

  it.each([
    ['before the first signed link', 2, 0, 3],
    ['before a state was kept', 5, 4, 5],
    ['after a state was kept', 7, 6, 7],
    ['last', 11, 8, 11],
  ])('shows a changed event: %s', (_where, at, from, to) => {
    expect(brief(changed(at))).toEqual([['event-changed', from, to]]);
  });

  it('shows every stretch that was changed', () => {
    const twice = changed(2).map((event) =>
      event.sequence === 9 ? { ...event, text: textOf(9, 'x') } : event,
    );
    expect(brief(twice)).toEqual([
      ['event-changed', 0, 3],
      ['event-changed', 8, 11],
    ]);
  });

  it('shows a text that is no event any more, exactly', () => {
    const broken = EVENTS.map((event) => (event.sequence === 5 ? { ...event, text: '{}' } : event));
    expect(brief(broken)).toEqual([['event-changed', 5, 5]]);
  });

  it('shows a missing event, exactly', () => {
    expect(brief(EVENTS.filter((event) => event.sequence !== 5))).toEqual([['event-missing', 5, 5]]);
    expect(brief(EVENTS.slice(3))).toEqual([['event-missing', 0, 2]]);
  });

  it('shows that the end is gone', () => {
    expect(brief(EVENTS.slice(0, 10))).toEqual([['log-truncated', 10, 11]]);
    expect(brief([])).toEqual([['log-truncated', 0, 11]]);
  });

  it('shows that the end is gone also when the row was made to agree', () => {
    const row = { ...ROW, head: 10, chain: linkAfter(10) };
    expect(brief(EVENTS.slice(0, 10), { ...RECORD, row })).toEqual([['log-truncated', 10, 11]]);
  });

  it('shows an event that was put behind the last one', () => {
    const more = [...EVENTS, { sequence: 12, place: 200, text: textOf(12) }];
    expect(brief(more)).toEqual([['event-inserted', 12, 12]]);
  });

  it('shows an event that was put in between, all later ones renumbered and the row made to agree', () => {
    const texts = [
      ...TEXTS.slice(0, 5),
      textOf(5, 'new'),
      ...TEXTS.slice(5).map((_, i) => textOf(6 + i, 5 + i)),
    ];
    const events = texts.map((text, sequence) => ({ sequence, place: sequence + 1, text }));
    const row = { ...ROW, head: 13, chain: extendLink('', texts) };
    expect(brief(events, { ...RECORD, row })[0]).toEqual(['event-changed', 4, 5]);
  });

  it('shows events that were swapped', () => {
    const swapped = EVENTS.map((event) => {
      if (event.sequence === 5) return { ...event, text: textOf(6) };
      return event.sequence === 6 ? { ...event, text: textOf(5) } : event;
    });
    expect(brief(swapped)).toEqual([
      ['event-reordered', 5, 5],
      ['event-reordered', 6, 6],
    ]);
  });

  it('shows events whose order in the tree was changed', () => {
    const moved = EVENTS.map((event) => (event.sequence === 5 ? { ...event, place: 1 } : event));
    expect(brief(moved)).toEqual([['event-reordered', 5, 5]]);
  });

  it('shows a changed link on the row, and one that was taken away', () => {
    for (const chain of ['0'.repeat(64), undefined]) {
      const { chain: _, ...rest } = ROW;
      const row = chain === undefined ? rest : { ...rest, chain };
      expect(brief(EVENTS, { ...RECORD, row })).toEqual([['link-changed', 12, 12]]);
    }
  });

  it('shows a changed link of a kept state', () => {
    const marks = [{ head: 6, link: 'x' }];
    expect(brief(EVENTS, { ...RECORD, marks })).toEqual([['link-changed', 6, 6]]);
  });

  it('is held against the row alone while nothing is signed yet', () => {
    const unsigned = { ...RECORD, leaves: [] };
    expect(verdict(EVENTS, unsigned)).toMatchObject({ findings: [], signed: false });
    expect(brief(changed(2), unsigned)).toEqual([['event-changed', 0, 5]]);
    expect(brief(changed(9), unsigned)).toEqual([['event-changed', 6, 11]]);
  });

  it('cannot say anything about a run from before there were chains', () => {
    const { chain: _, ...row } = ROW;
    expect(verdict(changed(3), { row, leaves: [], marks: [] })).toEqual({
      findings: [],
      events: HEAD,
      chained: false,
      signed: false,
      purged: false,
    });
  });

  it('goes on from its source when the run is a fork', () => {
    const own = [8, 9].map((sequence) => textOf(sequence, 'own', 'f'));
    const row = { ...ROW, runId: 'f', head: 10, chain: extendLink(linkAfter(8), own) };
    const record = { row, leaves: [], marks: [] };
    const check = (link: string) => {
      const verifier = verifyChain(record, { sequence: 8, link });
      for (const [index, text] of own.entries())
        verifier.add({ sequence: 8 + index, place: index + 1, text });
      return verifier.finish().findings.map(({ what, from, to }) => [what, from, to]);
    };
    expect(check(linkAfter(8))).toEqual([]);
    expect(check(linkAfter(7))).toEqual([['event-changed', 8, 9]]);
  });
});

describe('the chain of an erased run', () => {
  const log = eraseLog('', TEXTS);
  const events = log.texts.map((text, sequence) => ({ sequence, place: sequence + 1, text }));
  const erasure = {
    runId: 'r',
    at: 0,
    by: 'ada',
    reason: 'asked to',
    from: 0,
    links: log.links,
    remains: log.remains,
    keyId: 'k',
    signature: 's',
  };

  it('still agrees with everything that was signed', () => {
    expect(verdict(events, { ...RECORD, erasure })).toMatchObject({
      findings: [],
      events: HEAD,
      signed: true,
    });
    expect(events.some(({ text }) => text.includes('value'))).toBe(false);
  });

  it('does not agree without the record of the erasure', () => {
    expect(brief(events)).toHaveLength(3);
  });

  it('does not agree when what remained was changed', () => {
    const forged = events.map((event) =>
      event.sequence === 5 ? { ...event, text: event.text.replace('"type":"x"', '"type":"y"') } : event,
    );
    expect(brief(forged, { ...RECORD, erasure })).toEqual([['event-changed', 0, 11]]);
  });

  it('does not agree when a recorded link was changed', () => {
    const links = log.links.map((link, index) => (index === 7 ? 'x' : link));
    expect(brief(events, { ...RECORD, erasure: { ...erasure, links } })).toEqual([['event-changed', 6, 7]]);
  });
});
