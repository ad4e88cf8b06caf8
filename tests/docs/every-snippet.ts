import { expect, it } from 'vitest';
import { NOT_RUN } from './not-run.ts';
import { snippetsIn, textOf } from './pages.ts';

/** Returns the text of the next snippet of the page, which has to be in this language. */
export type Take = (language: string) => string;

/**
 * A test of all snippets of one page, in their order. It fails when a snippet was not taken, so a snippet that is
 * added to the page needs a line in the test. The name of the page is written out, because
 * `every-snippet.test.ts` looks for it in the sources of the tests.
 */
export function everySnippetOf(page: string, test: (take: Take) => Promise<void> | void, timeout?: number) {
  it(
    `${page} does what it says`,
    async () => {
      const left = snippetsOf(page);
      await test((language) => {
        const next = left.shift();
        expect(next?.language, `the language of the snippet in line ${next?.line}`).toBe(language);
        return next?.text ?? '';
      });
      expect(left, 'snippets that the test did not take').toEqual([]);
    },
    timeout,
  );
}

/** The snippets of a page without those that no test runs. */
export function snippetsOf(page: string) {
  const omitted = NOT_RUN.filter((one) => one.page === page);
  return snippetsIn(textOf(page)).filter(
    ({ text }) => !omitted.some(({ begins }) => text.startsWith(begins)),
  );
}
