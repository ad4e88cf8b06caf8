import { FetchRefusal } from './fetch-refusal.ts';

/** Bodies that are not there may not be given to a `Response`. */
const WITHOUT_BODY = new Set([101, 103, 204, 205, 304]);

/**
 * The response with a body of at most `maxBytes`, counted after decompression: a small compressed body can be
 * gigabytes of text. A longer body ends with an error and never as if it were whole.
 */
export function boundedResponse(response: Response, maxBytes: number, url: string): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  // The body is no longer in this form.
  for (const name of ['content-encoding', 'content-length']) headers.delete(name);
  const body =
    response.body === null || WITHOUT_BODY.has(status) ? null : response.body.pipeThrough(bound(maxBytes));
  const bounded = new Response(body, { status, statusText, headers });
  Object.defineProperty(bounded, 'url', { value: url });
  return bounded;
}

function bound(maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new FetchRefusal('size', `the response has more than ${maxBytes} bytes`);
      controller.enqueue(chunk);
    },
  });
}
