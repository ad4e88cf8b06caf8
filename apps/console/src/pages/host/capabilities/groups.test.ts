import { expect, it } from 'vitest';
import { capabilityGroups, rolesOf } from './groups.ts';

const DOCUMENT = {
  protocolVersion: '1.0',
  supportedTransports: ['rest'],
  limits: { maxRunDurationMs: 31_536_000 },
  memory: { supported: true, search: { modes: ['filter', 'text'] }, extras: [] },
  'x-custom_part': { on: false },
  authorization: { supported: true, roles: [{ role: 'viewer', scopes: ['runs:read'] }, 'broken'] },
  capabilities: { memory: { supported: true } },
};

it('groups the document, with the known parts first and nothing twice', () => {
  expect(capabilityGroups(DOCUMENT)).toEqual([
    {
      title: 'Protocol',
      facts: [
        { name: 'Protocol version', value: '1.0' },
        { name: 'Supported transports', value: 'rest' },
      ],
    },
    { title: 'Limits of runs', facts: [{ name: 'Max run duration ms', value: '31,536,000' }] },
    {
      title: 'Memory',
      facts: [
        { name: 'Supported', value: 'Yes' },
        { name: 'Search, modes', value: 'filter, text' },
        { name: 'Extras', value: 'None' },
      ],
    },
    { title: 'Roles', facts: [{ name: 'Supported', value: 'Yes' }] },
    { title: 'X custom part', facts: [{ name: 'On', value: 'No' }] },
  ]);
});

it('reads the roles', () => {
  expect(rolesOf(DOCUMENT)).toEqual([{ role: 'viewer', scopes: ['runs:read'] }]);
  expect(rolesOf({})).toEqual([]);
});
