import { describe, expect, it } from 'vitest';
import { storageRoomOf } from './storage-room.ts';

const CALLER = { tenant: 'acme', principal: 'ana' };
const create = { kind: 'create-run', caller: CALLER, body: { workflowId: 'w' } } as const;
const cancel = { kind: 'cancel-run', caller: CALLER, runId: 'r' } as const;
const file = (content: string) =>
  ({ kind: 'put-file', caller: CALLER, path: 'a.md', content, contentType: 'text/plain' }) as never;
const roomWith = (bytes: number, limit = 100) => storageRoomOf({ bytesOf: async () => bytes }, limit);
const FULL = { code: 'tenant_storage_full' };

describe('the room of a tenant', () => {
  it('is full at the very limit, for new work and for runs under way alike', async () => {
    await expect(roomWith(100).admit(create)).rejects.toMatchObject(FULL);
    expect(await roomWith(100).isFull('acme')).toBe(true);
    await expect(roomWith(99).admit(create)).resolves.toBeUndefined();
    expect(await roomWith(99).isFull('acme')).toBe(false);
  });

  it('takes a file that fills it to the last byte, and none that goes beyond', async () => {
    await expect(roomWith(90).admit(file('x'.repeat(10)))).resolves.toBeUndefined();
    await expect(roomWith(90).admit(file('x'.repeat(11)))).rejects.toMatchObject(FULL);
    await expect(roomWith(90).admit(file('é'.repeat(6)))).rejects.toMatchObject(FULL);
  });

  it('counts what a round has admitted before, and forgets it with the round', async () => {
    const room = roomWith(90);
    await room.admit(file('x'.repeat(10)));
    await expect(room.admit(create)).rejects.toMatchObject(FULL);
    room.roundEnded();
    await expect(room.admit(create)).resolves.toBeUndefined();
  });

  it('lets a full tenant end its runs, and asks for nothing where there is no limit', async () => {
    await expect(roomWith(1000).admit(cancel)).resolves.toBeUndefined();
    await expect(roomWith(1000, 0).admit(create)).resolves.toBeUndefined();
    expect(await roomWith(1000, 0).isFull('acme')).toBe(false);
  });
});
