import { describe, expect, it } from 'vitest';
import {
  formatTraceparent,
  parseTraceparent,
  spanIdOf,
  traceOfRun,
  traceparentOfCall,
  traceparentOfRun,
} from './trace.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    [`00-${TRACE}-${SPAN}-01`, true],
    [`00-${TRACE}-${SPAN}-00`, false],
    // Only the lowest bit of the flags is known.
    [`00-${TRACE}-${SPAN}-fe`, false],
    [`00-${TRACE}-${SPAN}-03`, true],
    // A later version may have more fields.
    [`01-${TRACE}-${SPAN}-01`, true],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, true],
  ])('%s is read', (text, sampled) => {
    expect(parseTraceparent(text)).toEqual({ traceId: TRACE, spanId: SPAN, sampled });
  });

  it.each([
    '',
    'x',
    TRACE,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01-`,
    `01-${TRACE}-${SPAN}-01more`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    ` 00-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
    `00_${TRACE}_${SPAN}_01`,
    `00-${TRACE}-${SPAN}-0g`,
  ])('%j is ignored', (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  it('is written in the version that we know', () => {
    const read = parseTraceparent(`cc-${TRACE}-${SPAN}-03-more`);
    expect(read && formatTraceparent(read)).toBe(`00-${TRACE}-${SPAN}-01`);
  });
});

describe('the trace of a run', () => {
  it('is that of its caller', () => {
    expect(traceOfRun('a', `00-${TRACE}-${SPAN}-00`)).toEqual({ traceId: TRACE, sampled: false });
  });

  it('otherwise follows from its root, so that a tree is one trace', () => {
    const { traceId, sampled } = traceOfRun('a');
    expect(traceId).toMatch(/^[0-9a-f]{32}$/);
    expect(sampled).toBe(true);
    expect(traceOfRun('a.1.2')).toEqual({ traceId, sampled });
    expect(traceOfRun('b').traceId).not.toBe(traceId);
  });
});

it('gives each call a span of its own, which is the same for each try', () => {
  const call = { runId: 'a.1', key: 'a.1/n/1/1/3' };
  const sent = traceparentOfCall(call);
  expect(sent).toBe(`00-${traceOfRun('a').traceId}-${spanIdOf('effect', call.key)}-01`);
  expect(traceparentOfCall({ ...call })).toBe(sent);
  expect(traceparentOfCall({ ...call, key: 'a.1/n/1/1/4' })).not.toBe(sent);
  expect(traceparentOfCall({ ...call, trace: `00-${TRACE}-${SPAN}-00` })).toMatch(
    new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`),
  );
  expect(spanIdOf('node', 'a')).not.toBe(spanIdOf('agent', 'a'));
});

it('gives messages about a run its trace and its span', () => {
  const given = `00-${TRACE}-${SPAN}-00`;
  expect(traceparentOfRun('r', given)).toBe(`00-${TRACE}-${spanIdOf('run', 'r')}-00`);
  expect(traceparentOfRun('r')).toBe(`00-${traceOfRun('r').traceId}-${spanIdOf('run', 'r')}-01`);
});
