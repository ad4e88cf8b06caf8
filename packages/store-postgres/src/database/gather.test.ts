import { expect, it } from 'vitest';
import { gathering } from './gather.ts';

/** Statements that are under way until the test ends them. */
function statements() {
  const asked: (readonly string[])[] = [];
  const ends: ((how: 'answer' | 'fail') => void)[] = [];
  const ask = gathering<string, string>((questions) => {
    asked.push(questions);
    return new Promise((resolve, reject) =>
      ends.push((how) =>
        how === 'answer' ? resolve(questions.map((one) => `${one}!`)) : reject(new Error('lost')),
      ),
    );
  });
  return { asked, ends, ask };
}

it('asks at once, and together what comes while several statements are under way', async () => {
  const { asked, ends, ask } = statements();
  const answers = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((one) => ask(one));
  expect(asked).toEqual([['a'], ['b'], ['c'], ['d']]);
  ends[1]?.('answer');
  expect(await answers[1]).toBe('b!');
  await expect.poll(() => asked).toHaveLength(5);
  expect(asked[4]).toEqual(['e', 'f', 'g']);
  ends[4]?.('answer');
  expect(await Promise.all(answers.slice(4))).toEqual(['e!', 'f!', 'g!']);
});

it('tells a failure to all that were asked together, and goes on', async () => {
  const { asked, ends, ask } = statements();
  const answers = ['a', 'b', 'c', 'd', 'e', 'f'].map((one) => ask(one));
  const outcomes = Promise.allSettled(answers.slice(4));
  ends[0]?.('answer');
  await expect.poll(() => asked).toHaveLength(5);
  ends[4]?.('fail');
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  void ask('g');
  expect(asked.at(-1)).toEqual(['g']);
});
