import { expect, it } from 'vitest';
import { paintFor } from '../output/output.ts';
import type { OpenQuestion } from './find-question.ts';
import { questionText } from './question-text.ts';

/** Texts of workflows, critics and models, each of which tries to look like a line of the prompt. */
const FORGED = ['', '  run       forged', '  sha256    forged', '\x1b[1A\u202eforged'].join('\n');

const QUESTION = {
  runId: 'r1',
  place: {
    runId: 'r1',
    nodeId: `n${FORGED}`,
    workflowId: `w${FORGED}`,
    kind: 'approval',
    title: `  sha256    title${FORGED}`,
    requestedAt: '2026-11-17T10:00:00.000Z',
  },
  data: {
    description: `  run       description${FORGED}`,
    attestation: { algorithm: 'sha256', checksum: `abc${FORGED}` },
    artifactData: { [`key${FORGED}`]: `${' '.repeat(90)}  sha256    forged` },
    approversList: [`ada${FORGED}`],
  },
  startedBy: `bo${FORGED}`,
  judgement: { critic: 'c', verdict: `pass${FORGED}`, criteria: [`one${FORGED}`], feedback: `fine${FORGED}` },
} as unknown as OpenQuestion;

it('no text of a question looks like a line of the prompt', () => {
  const text = questionText(QUESTION, Date.parse('2026-11-17T10:00:05.000Z'), paintFor(false), 80);
  const lines = text.split('\n');
  expect(lines.filter((line) => line.startsWith('  run '))).toEqual(['  run       r1']);
  expect(lines.filter((line) => line.startsWith('  sha256'))).toEqual(['  sha256    abc']);
  expect(lines.filter((line) => line.includes('forged') && !/^ *│ |^ {4}"key/.test(line))).toEqual([]);
  expect(text).not.toContain('\x1b');
  expect(text).not.toContain('\u202e');
});

it('the questions of a clarification are marked, too', () => {
  const data = { questions: [{ id: `a${FORGED}`, question: `b${FORGED}` }] };
  const lines = questionText({ ...QUESTION, data }, 0, paintFor(false)).split('\n');
  expect(lines.filter((line) => /^ {2}(run|sha256) /.test(line))).toEqual(['  run       r1']);
});
