import { afterAll, describe, expect, it } from 'vitest';
import { type Answer, sharedHost } from './host.ts';

/** Half of a character in what callers send: refused, with the field, on every route that takes a body. */
const host = await sharedHost();
afterAll(() => host.stop());

const HALF = '\\ud83d';

function expectRefused(answer: Answer, field: string): void {
  expect(answer).toMatchObject({ status: 400, body: { error: 'validation_error', details: { field } } });
  expect(answer.body.message).toContain(field);
}

describe('half of a character', () => {
  it.each([
    ['a workflow', 'POST', '/v1/workflows', '{"id":"w","name":"H","nodes":[]}', 'name'],
    ['an input', 'POST', '/v1/runs', '{"workflowId":"echo","inputs":{"payload":["H"]}}', 'inputs.payload.0'],
    ['the name of an input', 'POST', '/v1/runs', '{"workflowId":"echo","inputs":{"H":1}}', 'inputs.\ufffd'],
    ['a file', 'PUT', '/v1/host/workspace/files/a.txt', '{"content":"H"}', 'content'],
    ['a tag', 'POST', '/v1/runs', '{"workflowId":"quick","tags":["H"]}', 'tags.0'],
    ['a reason', 'POST', '/v1/runs/none:cancel', '{"reason":"H"}', 'reason'],
    ['an id', 'POST', '/v1/runs:bulk-cancel', '{"runIds":["H"]}', 'runIds.0'],
    [
      'an overlay',
      'POST',
      '/v1/runs/none:fork',
      '{"mode":"branch","fromSeq":1,"runOptionsOverlay":{"variables":{"a":"H"}}}',
      'runOptionsOverlay.variables.a',
    ],
    [
      'an answer',
      'POST',
      '/v1/runs/none/interrupts/gate',
      '{"resumeValue":{"action":"accept","comment":"H"}}',
      'resumeValue.comment',
    ],
  ])('is refused in %s, with and without an Idempotency-Key', async (_what, method, path, body, field) => {
    const raw = body.replace('H', `x${HALF}`);
    const named = field.replace('\ufffd', 'x\ufffd');
    expectRefused(await host.send(method, path, undefined, { raw }), named);
    const headers = { 'idempotency-key': 'half' };
    expectRefused(await host.send(method, path, undefined, { raw, headers }), named);
  });

  it.each([
    ['in upper case', '"\\uD83D"'],
    ['the second half', '"\\ude00"'],
    ['both halves, the wrong way round', '"\\ude00\\ud83d"'],
  ])('is refused as %s', async (_what, text) => {
    const raw = `{"workflowId":"echo","inputs":{"payload":${text}}}`;
    expectRefused(await host.post('/v1/runs', undefined, { raw }), 'inputs.payload');
  });

  it.each([
    ['both halves', '"\\ud83d\\ude00"', '😀'],
    ['the escape itself', '"\\\\ud83d"', '\\ud83d'],
  ])('is not confused with %s', async (_what, text, read) => {
    const raw = `{"workflowId":"echo","inputs":{"payload":${text}}}`;
    const { status, body } = await host.post('/v1/runs', undefined, { raw, headers: { prefer: 'wait=10' } });
    expect(status).toBe(201);
    const { variables } = (await host.get(`/v1/runs/${body.runId}`)).body;
    expect(variables.payload).toBe(read);
  });

  it('as bytes that are no UTF-8 is refused, and not silently read as something else', async () => {
    const [head = '', tail = ''] = '{"content":"cut |"}'.split('|');
    const body = Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0xbd]), Buffer.from(tail)]);
    const response = await fetch(`${host.url}/v1/host/workspace/files/a.txt`, {
      method: 'PUT',
      body,
      headers: { authorization: 'Bearer operator-key-for-tests', 'content-type': 'application/json' },
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: 'invalid_json',
      message: expect.stringMatching(/UTF-8/),
    });
  });

  it.each(['%ED%A0%BD', '%ud83d'])('cannot be named in an address: %s', async (text) => {
    for (const path of [`/v1/runs/${text}`, `/v1/runs?tag=${text}`, `/v1/host/workspace/files/${text}`]) {
      expect((await host.get(path)).status).toBeLessThan(500);
    }
  });
});
