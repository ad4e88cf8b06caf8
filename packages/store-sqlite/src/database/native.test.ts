import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { isMissingBinding, missingBinding, openNative } from './native.ts';

describe('a SQLite that cannot be loaded', () => {
  it('is recognised when the addon is not there', () => {
    const load = () => new BetterSqlite3(':memory:', { nativeBinding: '/nowhere/better_sqlite3.node' });
    expect(failure(load)).toSatisfy(isMissingBinding);
  });

  it.each([
    new Error('Could not locate the bindings file. Tried:\n → /app/node_modules/better-sqlite3/build'),
    Object.assign(new Error('compiled against a different Node.js version'), { code: 'ERR_DLOPEN_FAILED' }),
  ])('is recognised by: %s', (error) => {
    expect(isMissingBinding(error)).toBe(true);
  });

  it('is not confused with a file that cannot be opened', () => {
    const open = () => openNative('/nowhere/at/all/baton.db');
    expect(failure(open)).not.toSatisfy(isMissingBinding);
  });

  it('tells the operator what to do', () => {
    const { message } = missingBinding(new Error());
    expect(message).toMatch(/no prebuilt SQLite binary was available.*no C\+\+ compiler was found/);
    expect(message).toMatch(/python3, make and g\+\+.*npm rebuild better-sqlite3/);
  });
});

function failure(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}
