import { readdirSync, readFileSync } from 'node:fs';
import { NODE_SUMMARIES, PRODUCT_NODES } from '@baton/engine';
import { expect, it } from 'vitest';

/** The reference is written from the schemas and the command, and is checked in. */

const FOLDER = new URL('../../docs/reference/', import.meta.url);

it('is current; `npm run docs` writes it again', async () => {
  const { referencePages } = await import('../../scripts/reference/pages.mjs');
  const pages = await referencePages();
  expect(readdirSync(FOLDER).sort()).toEqual(Object.keys(pages).sort());
  for (const [name, text] of Object.entries(pages)) {
    expect(readFileSync(new URL(name, FOLDER), 'utf8'), name).toBe(text);
  }
});

it('says what each node type does, and describes no other', () => {
  expect(Object.keys(NODE_SUMMARIES).sort()).toEqual(PRODUCT_NODES.ids);
});
