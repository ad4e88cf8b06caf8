import { describe, expect, it } from 'vitest';
import { memoryBook } from '../../../../conformance/src/testkit/memory-book.ts';
import { type Simulation, simulate } from '../../../../conformance/src/testkit/simulation.ts';
import { inOrder, node, workflow } from '../../../../conformance/src/testkit/workflows.ts';

/**
 * Every kind of change to memory is redacted, not only writes. The values are in the definition, as if it was
 * registered before they became secrets: a value that comes in as a variable is redacted earlier.
 */

const CANARY = 'sk-canary-7f3d0c9a51b2';
const secrets = new Map([['acme', new Map([['key', CANARY]])]]);
const keep = node('keep', 'vendor.baton.memory.write', {
  key: `note ${CANARY}`,
  content: `It is ${CANARY}.`,
  tags: [CANARY],
});
const forget = node('forget', 'vendor.baton.memory.forget', { key: `note ${CANARY}` });
const file = node('file', 'vendor.baton.workspace.write', { path: 'notes.txt', content: CANARY });

/** A run with these nodes, and all its changes to memory. */
function run(...nodes: readonly Record<string, unknown>[]): { simulation: Simulation; asked: string } {
  const book = memoryBook();
  const asked: unknown[] = [];
  const memory = {
    ...book,
    apply: (changes: Parameters<typeof book.apply>[0]) => {
      asked.push(...changes);
      return book.apply(changes);
    },
  };
  const simulation = simulate([workflow('w', nodes, { edges: inOrder(nodes) })], { secrets, memory });
  return { simulation, asked: JSON.stringify(asked) };
}

describe('secrets in memory', () => {
  it.each([
    ['what is written', keep, '"write"'],
    ['what is forgotten', forget, '"forget"'],
    ['files of the workspace', file, '"write"'],
  ])('MEM-16 are redacted in %s, before it is stored', (_what, change, kind) => {
    const { simulation, asked } = run(change);
    expect(simulation.status()).toBe('completed');
    expect(asked).toContain(kind);
    expect(asked).toContain('[REDACTED:key]');
    expect(asked).not.toContain(CANARY);
  });

  it('MEM-16 what was remembered under a name with a secret can be forgotten by that name', () => {
    expect(run(keep).simulation.memory()).toMatchObject([
      { id: 'note [REDACTED:key]', content: 'It is [REDACTED:key].', tags: ['[REDACTED:key]'] },
    ]);
    expect(run(keep, forget).simulation.memory()).toEqual([]);
  });
});
