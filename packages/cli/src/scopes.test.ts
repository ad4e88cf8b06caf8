import { describe, expect, it } from 'vitest';
import { parseScopes } from './scopes.ts';

describe('parseScopes', () => {
  it('reads a list, each scope once', () => {
    expect(parseScopes(' runs:create,runs:read, runs:create,')).toEqual(['runs:create', 'runs:read']);
  });

  it('suggests the scope that was meant', () => {
    expect(() => parseScopes('runs:reed')).toThrow(/"runs:reed".*did you mean runs:read\?/);
  });

  it('refuses an empty list', () => {
    expect(() => parseScopes(' , ')).toThrow(/one or more of manifest:read/);
  });
});
